import { CLOCK_TOLERANCE_MS } from '@passport-registry/verifier/core';
import { byId, type Child, element, rich } from '../dom/element.js';
import { fact, moment } from '../dom/facts.js';
import { icon } from '../dom/icons.js';
import { formatAge } from '../dom/time.js';
import { visibleMessage, visibleName } from '../dom/visible-text.js';
import type { NotVerified } from '../registry/verified-registry.js';
import { log as text } from '../texts.js';
import type { ClaimedCosignature, LoggedList } from './verified-log.js';

const MAX_COSIGNATURES = 16;

/** Hides what is shown of the log: the registry has no log, or its list is not shown. */
export function hideLog(): void {
  byId('log').hidden = true;
  document.getElementById('logged')?.replaceChildren();
}

/** Shows among the verified facts that the list is in the log. A second call updates the facts. */
export function showLogged(logged: LoggedList): void {
  byId('log').hidden = true;
  const facts = logFacts(logged);
  const place = document.getElementById('logged');
  if (place === null) return;
  const shown = place.querySelector('.facts');
  if (shown === null) place.replaceChildren(element('h3', {}, text.good), facts, limits());
  else shown.replaceWith(facts);
}

/** Warns that nothing proves that the list is in the log, or that the log is still the same. */
export function showUnlogged({ code, message }: NotVerified): void {
  const isOther = code === 'ERR_LOG_INCONSISTENT';
  const alert = element(
    'div',
    { role: 'alert' },
    element('p', {}, isOther ? text.other : text.noProof),
    element('p', {}, element('code', {}, code), `: ${visibleMessage(message)}.`),
    element('p', {}, text.wait),
  );
  const section = byId('log');
  // An unchanged warning stays, so that screen readers do not repeat it every minute.
  if (section.hidden || section.querySelector('[role="alert"]')?.textContent !== alert.textContent) {
    const title = isOther ? text.otherTitle : text.noProofTitle;
    section.replaceChildren(element('h2', {}, icon('alert'), title), alert);
  }
  section.hidden = false;
  document.getElementById('logged')?.replaceChildren();
}

/** The verified head of the log, and what the host claims of witnesses. */
export function logFacts({ origin, sequence, head, cosignatures }: LoggedList): HTMLElement {
  const more = head.size - head.index - 1;
  return element(
    'dl',
    { class: 'facts' },
    fact(text.log, element('code', {}, origin), text.head(head.size)),
    // A publication is logged before it is published. A host can also hold back a list that is published elsewhere.
    fact(text.thisList, text.entry(sequence, head.index + 1), more === 0 ? '' : text.newer(more)),
    fact(text.witnesses, ...witnesses(cosignatures)),
  );
}

function witnesses(cosignatures: readonly ClaimedCosignature[]): Child[] {
  const more = cosignatures.length - MAX_COSIGNATURES;
  if (cosignatures.length === 0) return [element('span', { class: 'unchecked' }, text.noCosignatures)];
  return [
    element('span', { class: 'unchecked' }, text.claimed),
    element(
      'ul',
      { class: 'cosignatures' },
      cosignatures.slice(0, MAX_COSIGNATURES).map((one) => element('li', {}, cosignature(one))),
      more > 0 ? element('li', {}, text.more(more)) : undefined,
    ),
    rich(text.named, { operations: element('a', { href: '#view=operations' }, text.operations) }),
    text.pinned,
  ];
}

function cosignature({ name, time: at }: ClaimedCosignature): Child {
  const isToCome = at.getTime() > Date.now() + CLOCK_TOLERANCE_MS;
  const age = isToCome ? text.future : formatAge(at.getTime());
  // The direction of a name must not turn around the text after it.
  return [element('bdi', {}, visibleName(name)), rich(text.at, { time: moment(at.toISOString()), age })];
}

function limits(): HTMLElement {
  const code = (name: string) => element('code', {}, name);
  return element(
    'details',
    {},
    element('summary', {}, text.limits),
    element('p', {}, text.shows),
    element('p', {}, text.cannot),
    element(
      'p',
      {},
      rich(text.pin, {
        anchor: element('a', { href: 'schemas/trust-anchor.schema.json' }, text.anchor),
        log: code('log'),
        witnesses: code('witnesses'),
        quorum: code('quorum'),
        document: code('docs/verifiers.md'),
      }),
    ),
  );
}
