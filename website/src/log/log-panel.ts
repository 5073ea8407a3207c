import { byId, element, rich } from '../dom/element.js';
import { fact } from '../dom/facts.js';
import { icon } from '../dom/icons.js';
import { visibleMessage } from '../dom/visible-text.js';
import type { NotVerified } from '../registry/verified-registry.js';
import { log as text } from '../texts.js';
import type { LoggedList } from './verified-log.js';

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

/** The verified head of the log, and the entry of the list. */
function logFacts({ origin, sequence, head }: LoggedList): HTMLElement {
  const more = head.size - head.index - 1;
  return element(
    'dl',
    { class: 'facts' },
    fact(text.log, element('code', {}, origin), text.head(head.size)),
    // A publication is logged before it is published. A host can also hold back a list that is published elsewhere.
    fact(text.thisList, text.entry(sequence, head.index + 1), more === 0 ? '' : text.newer(more)),
  );
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
      }),
    ),
  );
}
