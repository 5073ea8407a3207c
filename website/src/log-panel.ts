import { byId, type Child, element } from './element.js';
import { formatAge, time } from './time.js';
import { fact } from './verification-view.js';
import type { ClaimedCosignature, LoggedList } from './verified-log.js';
import type { NotVerified } from './verified-registry.js';
import { visibleText } from './visible-text.js';

const MAX_COSIGNATURES = 16;
const MAX_NAME_LENGTH = 100;
/** A message can quote a text of the host. */
const MAX_MESSAGE_LENGTH = 500;
/** How far a clock may be wrong. */
const TOLERANCE_MS = 5 * 60 * 1000;

/** Hides the panel: the registry has no log, or its list is not shown. */
export function hideLog(): void {
  byId('log').hidden = true;
}

/** Shows that the list is in the log. A second call updates the facts. */
export function showLogged(logged: LoggedList): void {
  const facts = factsOf(logged);
  const shown = document.querySelector('#log.good .facts');
  if (shown === null) show('good', element('h2', {}, 'In the public log'), facts, limits());
  else shown.replaceWith(facts);
  byId('log').hidden = false;
}

/** Warns that nothing proves that the list is in the log. */
export function showUnlogged({ code, message }: NotVerified): void {
  const alert = element(
    'div',
    { role: 'alert' },
    element(
      'p',
      {},
      'This host does not prove that the list on this page is in the public log of the registry. Others may see another ',
      'list. A verifier that pins the log refuses this one.',
    ),
    element('p', {}, element('code', {}, code), `: ${visibleText(message, MAX_MESSAGE_LENGTH)}.`),
    element(
      'p',
      {},
      'Right after a publication, this warning disappears within a minute. If it does not, tell the operator of the ',
      'registry, and use another mirror.',
    ),
  );
  // An unchanged warning stays, so that screen readers do not repeat it every minute.
  if (document.querySelector('#log.bad [role="alert"]')?.textContent !== alert.textContent) {
    show('bad', element('h2', {}, 'Not proven to be in the public log'), alert);
  }
  byId('log').hidden = false;
}

function show(state: 'good' | 'bad', ...children: Node[]): void {
  const section = byId('log');
  section.className = `page panel log ${state}`;
  section.replaceChildren(...children);
}

function factsOf({ origin, sequence, head, cosignatures }: LoggedList): HTMLElement {
  const entries = head.size === 1 ? 'entry' : 'entries';
  return element(
    'dl',
    { class: 'facts' },
    fact('Log', element('code', {}, origin), `, ${head.size.toLocaleString('en')} ${entries}`),
    fact('This list', `publication ${sequence}, proven to be entry ${head.index + 1} of the log`),
    fact('Cosigned by', ...cosignedBy(cosignatures)),
  );
}

function cosignedBy(cosignatures: readonly ClaimedCosignature[]): Child[] {
  if (cosignatures.length === 0) return ['nobody: no witness has cosigned this state of the log'];
  const more = cosignatures.length - MAX_COSIGNATURES;
  return [
    element('span', { class: 'unchecked' }, 'Not checked against a key that you know:'),
    element(
      'ul',
      { class: 'cosignatures' },
      cosignatures.slice(0, MAX_COSIGNATURES).map((one) => element('li', {}, cosignature(one))),
      more > 0 ? element('li', {}, `and ${more} more`) : undefined,
    ),
  ];
}

function cosignature({ name, time: at }: ClaimedCosignature): Child {
  const isToCome = at.getTime() > Date.now() + TOLERANCE_MS;
  const age = isToCome ? 'in the future' : formatAge(at.getTime());
  // The direction of a name must not turn around the text after it.
  return [
    element('bdi', {}, visibleText(name, MAX_NAME_LENGTH)),
    ' at ',
    time(at.toISOString()),
    ` (${age})`,
  ];
}

function limits(): HTMLElement {
  return element(
    'details',
    {},
    element('summary', {}, 'What the log shows, and what this page cannot check'),
    element(
      'p',
      {},
      'A log is a public list of everything that the root key has signed. Entries are only added, so that nobody can ',
      'show you one list, and others another one, without leaving a trace. Your browser checked that the log contains ',
      'the statement with which the root key published this list, and that the log’s key, which the root key names in ',
      'this statement, signed the log.',
    ),
    element(
      'p',
      {},
      'Witnesses cosign a log only if nothing in it was removed or replaced. This page cannot check their cosignatures. ',
      'A cosignature has the name of the witness and the id of its key, but not the key, and this page knows no keys of ',
      'witnesses. A dishonest host can show any name and any time.',
    ),
    element(
      'p',
      {},
      'For the cosignatures to count, get the keys of the witnesses in another way. Pin them in a ',
      element('a', { href: 'schemas/trust-anchor.schema.json' }, 'trust anchor'),
      ', with the number of them that you demand: its members ',
      element('code', {}, 'log'),
      ', ',
      element('code', {}, 'witnesses'),
      ' and ',
      element('code', {}, 'quorum'),
      '. The verifier library then accepts only lists that enough of these witnesses have seen. See ',
      element('code', {}, 'docs/verifiers.md'),
      ' in the library.',
    ),
  );
}
