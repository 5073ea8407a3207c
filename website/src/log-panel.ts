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
  if (shown === null) show('good', element('h2', {}, 'In the registry’s log'), facts, limits());
  else shown.replaceWith(facts);
  byId('log').hidden = false;
}

const OTHER_LOG = {
  title: 'Not proven to be the same log',
  text:
    'This host does not prove that its log continues the log that this page accepted before. Others may see another ' +
    'log. A verifier that pins the log refuses one that does not continue the log that it has accepted.',
};
const NO_PROOF = {
  title: 'Not proven to be in the registry’s log',
  text:
    'This host does not prove that the list on this page is in the log of the registry. Others may see another list. A ' +
    'verifier that pins the log refuses a list without this proof.',
};

/** Warns that nothing proves that the list is in the log, or that the log is still the same. */
export function showUnlogged({ code, message }: NotVerified): void {
  const { title, text } = code === 'ERR_LOG_INCONSISTENT' ? OTHER_LOG : NO_PROOF;
  const alert = element(
    'div',
    { role: 'alert' },
    element('p', {}, text),
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
    show('bad', element('h2', {}, title), alert);
  }
  byId('log').hidden = false;
}

function show(state: 'good' | 'bad', ...children: Node[]): void {
  const section = byId('log');
  section.className = `page panel log ${state}`;
  section.replaceChildren(...children);
}

function factsOf({ origin, sequence, head, cosignatures }: LoggedList): HTMLElement {
  return element(
    'dl',
    { class: 'facts' },
    fact(
      'Log',
      element('code', {}, origin),
      `: a head with ${entries(head.size)}, signed by the key of the log`,
    ),
    fact(
      'This list',
      `publication ${sequence}, proven to be entry ${head.index + 1} of this head${newer(head)}`,
    ),
    fact('Witnesses', ...witnesses(cosignatures)),
  );
}

function entries(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
}

/** A publication is logged before it is published. A host can also hold back a list that is published elsewhere. */
function newer({ size, index }: LoggedList['head']): string {
  const count = size - index - 1;
  return count === 0
    ? ''
    : `. This page has not read the ${entries(count)} after it: there may be a newer list`;
}

function witnesses(cosignatures: readonly ClaimedCosignature[]): Child[] {
  const more = cosignatures.length - MAX_COSIGNATURES;
  return [
    element('span', { class: 'unchecked' }, 'not checked, because this page knows none of their keys.'),
    cosignatures.length === 0
      ? ' This host sends no cosignatures.'
      : ' This host claims cosignatures by these names at these times:',
    cosignatures.length > 0
      ? element(
          'ul',
          { class: 'cosignatures' },
          cosignatures.slice(0, MAX_COSIGNATURES).map((one) => element('li', {}, cosignature(one))),
          more > 0 ? element('li', {}, `and ${more} more`) : undefined,
        )
      : undefined,
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
      'A log is a list of everything that the root key signs, to which entries are only added. The root key names this ',
      'log and its key in the statement with which it published this list. Your browser checked that this key signed the ',
      'head of the log, and that the head contains this statement. While this page is open, it also checks that each ',
      'later head contains the earlier ones. When you close or reload the page, it forgets them.',
    ),
    element(
      'p',
      {},
      'This does not show that everybody sees the same log: the holder of the log’s key can sign one log for you, and ',
      'another one for others. Honest witnesses cosign only heads that contain every head that they have cosigned ',
      'before. This page cannot check their cosignatures. A cosignature has the name of the witness and the id of its key, ',
      'but not the key, and this page knows no keys of witnesses. A dishonest host can show any name and any time, and ',
      'can leave out cosignatures.',
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
      '. The verifier library then accepts only lists in a log that enough of these witnesses have cosigned. See ',
      element('code', {}, 'docs/verifiers.md'),
      ' in the library.',
    ),
  );
}
