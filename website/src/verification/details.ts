import type { IssuerLookup, RegistryClient, RegistryStatus } from '@passport-registry/verifier';
import { byId, type Child, element, rich } from '../dom/element.js';
import { fact, moment } from '../dom/facts.js';
import { formatAge } from '../dom/time.js';
import type { NotVerified } from '../registry/verified-registry.js';
import { causes, log as logText, verification as text } from '../texts.js';
import { causeOf } from './verdict.js';

/** What a look-up has proven of one issuer, while the list is loading. @param isListed - whether the list has it */
export function provenDetails(
  { id, isListed }: { readonly id: string; readonly isListed: boolean },
  lookup: IssuerLookup,
  pinned: string,
): HTMLElement[] {
  const status = lookup.status();
  const { updatedAt = '' } = status;
  const proof = isListed ? text.provenRecord : text.provenNone;
  const age = formatAge(Date.parse(updatedAt));
  return [
    element('p', { role: 'status' }, rich(proof, { id: element('code', {}, id) })),
    element(
      'dl',
      { class: 'facts' },
      rootKeyFact(status, pinned),
      fact(text.list, rich(text.updatedAt, { time: moment(updatedAt), age })),
      payloadHashFact(lookup.sha256),
      fact(text.checkpoint, checkpoint(status)),
    ),
  ];
}

/** Explains a failure that the page shows. */
export function explainFailure(failure: NotVerified): void {
  const words = rich(causes[causeOf(failure)], { time: moment(new Date().toISOString()) });
  byId('cause').replaceChildren(element('span', {}, words));
}

/** What the page pins. */
interface Pinned {
  /** The thumbprint of the root key. */
  readonly pinned: string;
  /** The name of the log. Undefined if the lists need not be in a log. */
  readonly log: string | undefined;
}

/** Shows the verified facts, and what they do not show. A second call updates the facts only. */
export function showDetails(panel: HTMLElement, client: RegistryClient, page: Pinned): void {
  const facts = factsOf(client, page);
  const shown = panel.querySelector('.facts');
  if (shown !== null) shown.replaceWith(facts);
  else panel.replaceChildren(facts, ...(page.log === undefined ? [] : [logLimits()]), limits());
}

function factsOf(client: RegistryClient, { pinned, log }: Pinned): HTMLElement {
  const status = client.status();
  const { updatedAt = '', errors } = status;
  const list = rich(text.updated, {
    count: text.issuers(client.list().length),
    time: moment(updatedAt),
    age: formatAge(Date.parse(updatedAt)),
  });
  return element(
    'dl',
    { class: 'facts' },
    rootKeyFact(status, pinned),
    fact(text.list, list),
    payloadHashFact(client.sha256),
    fact(text.checkpoint, checkpoint(status)),
    log === undefined
      ? undefined
      : fact(logText.log, element('code', {}, log), logText.entry(status.logSize ?? 0)),
    client.hold.length > 0 ? fact(text.onHold, text.held(client.hold.join(', '))) : undefined,
    Object.keys(errors).length > 0 ? fact(text.host, text.late) : undefined,
  );
}

function rootKeyFact({ rootKeys }: RegistryStatus, pinned: string): HTMLElement {
  const key = element('code', {}, rootKeys.join(' '));
  const origin = rootKeys[0] === pinned ? text.pinned : text.rotated;
  return fact(text.rootKey, key, origin);
}

function payloadHashFact(sha256: string): HTMLElement {
  return fact(text.payloadHash, element('code', {}, sha256), ' (SHA-256)');
}

function checkpoint({ checkpointSignedAt, freshUntil }: RegistryStatus): Child[] {
  const until = moment(freshUntil === undefined ? '' : freshUntil.toISOString());
  const signed = moment(checkpointSignedAt?.toISOString() ?? '');
  return rich(text.signed, { time: signed, age: formatAge(checkpointSignedAt?.getTime() ?? 0), until });
}

function logLimits(): HTMLElement {
  const code = (name: string) => element('code', {}, name);
  return element(
    'details',
    {},
    element('summary', {}, logText.limits),
    element('p', {}, logText.shows),
    element('p', {}, logText.cannot),
    element(
      'p',
      {},
      rich(logText.pin, {
        anchor: element('a', { href: 'schemas/trust-anchor.schema.json' }, logText.anchor),
        log: code('log'),
        witnesses: code('witnesses'),
        quorum: code('quorum'),
      }),
    ),
  );
}

function limits(): HTMLElement {
  return element(
    'details',
    {},
    element('summary', {}, text.limits),
    element('p', {}, text.shows),
    element('p', {}, text.cannot),
  );
}
