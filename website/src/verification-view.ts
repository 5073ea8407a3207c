import type { RegistryClient, RegistryStatus } from '@passport-registry/verifier';
import { byId, type Child, element } from './element.js';
import type { ProvenIssuer } from './proven-issuer.js';
import { formatAge, time } from './time.js';
import type { NotVerified } from './verified-registry.js';

/** Shows the state of the verification. The state is also the CSS class. */
function show(state: 'checking' | 'proven' | 'good' | 'bad', ...children: Node[]): void {
  const section = byId('verification');
  section.hidden = false;
  section.className = `page panel verification ${state}`;
  section.replaceChildren(...children);
}

export function showChecking(): void {
  show(
    'checking',
    element('h2', {}, 'Verifying…'),
    element('p', { role: 'status' }, 'Nothing below has been verified yet.'),
  );
}

/** Shows why the verification failed. The caller removes all unverified data from the page. */
export function showFailure({ code, message }: NotVerified): void {
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', () => location.reload());
  show(
    'bad',
    element('h2', {}, 'Not verified: trust nothing here'),
    element(
      'div',
      { role: 'alert' },
      element('p', {}, 'The registry at this URL failed verification. Its issuers are not shown.'),
      element('p', {}, element('code', {}, code), `: ${message}.`),
      element(
        'p',
        {},
        'Right after a publication, this error disappears within a minute. If it does not, tell the operator of the ',
        'registry, and use another mirror.',
      ),
    ),
    element('p', {}, again),
  );
}

/** Shows what proves one issuer, while the list is loading. */
export function showProven({ id, issuer, sha256, status }: ProvenIssuer): void {
  const { updatedAt = '' } = status;
  show(
    'proven',
    element(
      'h2',
      {},
      issuer === undefined ? 'Absence verified in this browser' : 'Issuer verified in this browser',
    ),
    element(
      'p',
      { role: 'status' },
      'The root key signed a statement about the newest list. Hashes from this statement down prove ',
      issuer === undefined ? 'that the list has no issuer ' : 'the record of ',
      element('code', {}, id),
      '. The whole list is still loading.',
    ),
    element(
      'dl',
      { class: 'facts' },
      rootKeyFact(status),
      fact('List', 'updated at ', time(updatedAt), ` (${formatAge(Date.parse(updatedAt))})`),
      payloadHashFact(sha256),
      fact('Checkpoint', ...checkpoint(status)),
    ),
  );
}

/** Shows the verified facts and their age. A second call updates the facts, and keeps what the reader has typed. */
export function showVerified(client: RegistryClient, pinned: string, count: number): void {
  const facts = factsOf(client, count);
  const shown = document.querySelector('.verification.good .facts');
  if (shown !== null) shown.replaceWith(facts);
  else show('good', element('h2', {}, 'Verified in this browser'), facts, limits(pinned));
}

function factsOf(client: RegistryClient, count: number): HTMLElement {
  const status = client.status();
  const { updatedAt = '', errors, age: ageSeconds = 0 } = status;
  const list = [
    `${count.toLocaleString('en')} issuers, updated at `,
    time(updatedAt),
    ` (${formatAge(Date.parse(updatedAt))})`,
  ];
  const hasErrors = Object.keys(errors).length > 0;
  const confirmedAtMs = Date.now() - ageSeconds * 1000;
  return element(
    'dl',
    { class: 'facts' },
    rootKeyFact(status),
    fact('List', ...list),
    payloadHashFact(client.sha256),
    fact('Checkpoint', ...checkpoint(status)),
    client.hold.length > 0
      ? fact('On hold', `${client.hold.join(', ')}: verifiers treat these issuers as suspended`)
      : undefined,
    hasErrors
      ? fact('Host', `the last refresh failed; this list was verified ${formatAge(confirmedAtMs)}`)
      : undefined,
  );
}

/** A row of a list of facts. */
export function fact(name: string, ...value: Child[]): HTMLElement {
  return element('div', {}, element('dt', {}, name), element('dd', {}, value));
}

function rootKeyFact({ rootKeys }: RegistryStatus): HTMLElement {
  const holders = document.querySelector<HTMLMetaElement>('meta[name="registry-holders"]')?.content;
  const key = element('code', {}, rootKeys.join(' '));
  return fact('Root key', key, ', pinned by this page', holders && element('p', {}, holders));
}

function payloadHashFact(sha256: string): HTMLElement {
  return fact('Payload hash', element('code', {}, sha256), ' (SHA-256)');
}

function checkpoint({ checkpointSignedAt, freshUntil }: RegistryStatus): Child[] {
  const until = freshUntil === undefined ? '' : freshUntil.toISOString();
  if (checkpointSignedAt === undefined) {
    return ['none, so this host could hide a newer list; this list is accepted until ', time(until)];
  }
  const signed = checkpointSignedAt.toISOString();
  return [
    'names this list or an earlier one; signed at ',
    time(signed),
    ` (${formatAge(checkpointSignedAt.getTime())}), valid until `,
    time(until),
  ];
}

function limits(pinned: string): HTMLElement {
  const input = element('input', {
    id: 'own-thumbprint',
    autocomplete: 'off',
    spellcheck: 'false',
    size: 44,
  });
  const verdict = element('p', { role: 'status', class: 'comparison' });
  input.addEventListener('input', () => {
    const given = input.value.trim();
    verdict.className = `comparison ${given === '' ? '' : given === pinned ? 'same' : 'different'}`;
    verdict.textContent =
      given === '' ? '' : given === pinned ? 'The same key.' : 'NOT the same key: trust nothing here.';
  });
  return element(
    'details',
    {},
    element('summary', {}, 'What this shows, and what it cannot show'),
    element(
      'p',
      {},
      'Your browser fetched the list, the signature and the root key from this host. It checked that the root key has ',
      'the thumbprint that is built into this page, that the signature over the exact bytes of the list is valid, and ',
      'that the list is valid and not too old. Every minute while the page is open, it asks for changes, and checks that ',
      'the root key signed their hashes.',
    ),
    element(
      'p',
      {},
      'This page cannot show that the page itself is honest. The host that serves the list also serves this page, with ',
      'the thumbprint in it. A dishonest host can serve a page that claims anything. So compare the thumbprint with one ',
      'that you got in another way. For important decisions, verify outside of this page, with the commands below or ',
      'with the verifier library.',
    ),
    element('label', { for: 'own-thumbprint' }, 'The thumbprint that you got in another way'),
    input,
    verdict,
  );
}
