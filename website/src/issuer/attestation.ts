import type { Issuer, RegistryClient } from '@passport-registry/verifier';
import { type ShownStatus, TRUSTED_TIERS } from '@passport-registry/verifier/core';
import { type Child, element, rich } from '../dom/element.js';
import { fact, moment } from '../dom/facts.js';
import { statusMark } from '../list/status-mark.js';
import { fields, attestation as text, verification } from '../texts.js';

/** What a sheet says of an issuer. */
interface Attested {
  readonly issuer: Issuer;
  readonly status: ShownStatus;
  /** Makes the sentence on the issuer. */
  readonly sentence: () => Child;
  /** Makes what follows from it for verifiers. */
  readonly verdict: () => Child;
  /** Makes the warning that its name looks like another one. */
  readonly alike: () => Child;
  /** What the registry calls itself. */
  readonly registryName: string;
}

/** A button that prints one sheet: what the browser has proven of an issuer, and how to check it. */
export function attestationButton(registry: RegistryClient, attested: Attested): HTMLElement {
  const button = element('button', { id: 'attest', type: 'button' }, text.print);
  button.addEventListener('click', () => {
    const sheet = sheetOf(registry, attested);
    const others = [...document.body.children] as HTMLElement[];
    for (const other of others) other.style.display = 'none';
    document.body.append(sheet);
    addEventListener(
      'afterprint',
      () => {
        sheet.remove();
        for (const other of others) other.style.display = '';
        button.focus();
      },
      { once: true },
    );
    print();
  });
  return element('p', { class: 'attest' }, button);
}

function sheetOf(
  registry: RegistryClient,
  { issuer, status, sentence, verdict, alike, registryName }: Attested,
): HTMLElement {
  const { rootKeys, checkpointSignedAt, source = '' } = registry.status();
  const code = (value: string) => element('code', {}, value);
  // One option a line: a line that does not fit breaks where the command does. The policy is the same for every issuer: its
  // own tier would accept any.
  const commands = `passport-registry pin ${source} \\
  --thumbprint ${rootKeys.at(-1) ?? ''}
passport-registry resolve ${issuer.issuer_id} ${source} \\
  --tier ${TRUSTED_TIERS.join()} \\
  --root-key trust-anchor.json`;
  return element(
    'section',
    { class: 'page attestation' },
    element('h2', { dir: 'auto' }, rich(text.title, { registry: element('bdi', {}, registryName) })),
    element('p', { class: 'sentence' }, sentence()),
    element('p', {}, verdict()),
    alike(),
    element(
      'dl',
      { class: 'fields' },
      fact(fields.issuer_id, code(issuer.issuer_id)),
      fact(fields.status, statusMark(issuer, status)),
      fact(fields.tier, issuer.tier),
      fact(text.page, location.href),
      fact(verification.host, source),
      fact(text.verified, moment(new Date().toISOString())),
      fact(text.list, moment(registry.updatedAt), element('p', {}, 'SHA-256 ', code(registry.sha256))),
      fact(text.checkpoint, checkpointSignedAt ? moment(checkpointSignedAt.toISOString()) : text.none),
      fact(verification.rootKey, code(rootKeys.join(' '))),
      fact(text.record, element('pre', {}, code(JSON.stringify(issuer)))),
    ),
    element('p', {}, text.proven),
    element('h3', {}, text.check),
    element('p', {}, text.how),
    element('pre', {}, code(commands)),
  );
}
