import type { Issuer } from '@passport-registry/verifier';
import type { PublicationEntry } from '@passport-registry/verifier/internal';
import { type Child, element } from './element.js';
import { type Gap, type HistoryStep, IssuerHistory } from './issuer-history.js';
import { LABELS } from './issuer-view.js';
import type { MemberChange } from './record-changes.js';
import { time } from './time.js';
import type { LoggedList } from './verified-log.js';
import { notVerified } from './verified-registry.js';

/** An issuer of the verified list, and the log that contains the list. */
export interface LoggedIssuer {
  readonly base: URL;
  readonly id: string;
  /** The record in the verified list. Undefined if the list has no such issuer. */
  readonly issuer: Issuer | undefined;
  readonly logged: LoggedList;
}

/**
 * The history of an issuer from the log. Nothing is read before the reader asks for it.
 *
 * @param attempt - runs work only while the verified list may be used
 */
export function issuerHistoryView(
  { base, id, issuer, logged }: LoggedIssuer,
  attempt: (work: () => void) => void,
): HTMLElement {
  const history = new IssuerHistory(base, id, logged);
  const steps = element('ol', { class: 'steps' });
  const state = element('p', { role: 'status', class: 'note', tabindex: -1 });
  const button = element('button', { type: 'button' }, 'Read the history');
  let isReading = false;
  // The button stays enabled while it reads, because a disabled one loses the focus.
  const read = async () => {
    if (isReading) return;
    isReading = true;
    state.textContent = 'Reading…';
    const failure = await history
      .read(issuer, (step) => steps.append(element('li', {}, stepText(step))))
      .catch(notVerified);
    isReading = false;
    button.textContent = failure === undefined ? 'Read older lists' : 'Try again';
    state.className = failure === undefined ? 'note' : 'verdict revoked';
    state.textContent = failure === undefined ? progressOf(history) : `${failure.code}: ${failure.message}.`;
    if (!history.isComplete) return;
    if (document.activeElement === button) state.focus();
    button.remove();
  };
  button.addEventListener('click', () => attempt(() => void read()));
  return element(
    'section',
    {},
    element('h3', {}, 'History from the log'),
    element(
      'p',
      { class: 'note' },
      'Changes of the record between the lists that the log ',
      element('code', {}, logged.origin),
      ' names up to the list on this page, newest first. Your browser checks each entry against the head of the log, and ',
      'each list against the hash in its entry. It does not check that the root key signed the older lists: the holder of ',
      'the log’s key can add entries with any list and any time. A list that was not logged is missing.',
    ),
    steps,
    state,
    button,
  );
}

function progressOf({ isComplete, reached }: IssuerHistory): string {
  if (isComplete) return 'The beginning of the log is reached.';
  return `Read back to publication ${reached?.sequence} of ${reached?.updated_at}.`;
}

function stepText(step: HistoryStep): Child[] {
  const { entry } = step;
  switch (step.kind) {
    case 'gap':
      return [...publication(entry), `: ${GAPS[step.gap]}, so what it changed is unknown`];
    case 'oldest':
      return [...publication(entry), ': ', oldestText(step)];
    default:
      return [...publication(entry), ...sinceText(step.after), ': ', changeText(step)];
  }
}

function oldestText({ isListed, isFirst }: Extract<HistoryStep, { kind: 'oldest' }>): string {
  const has = isListed ? 'has the issuer' : 'does not have the issuer';
  return `${isFirst ? 'the first list in the log' : 'the oldest list that can be read'} ${has}`;
}

const GAPS: Readonly<Record<Gap, string>> = {
  missing: 'this host does not send its list',
  altered: 'this host does not send a list with the hash in the entry',
  'too large': 'this host sends a file that is too large to be read here',
};

function publication({ updated_at, sequence }: PublicationEntry): Child[] {
  return [time(updated_at), `, publication ${sequence}`];
}

function sinceText(after: PublicationEntry | undefined): Child[] {
  return after === undefined
    ? []
    : [` or before, but after publication ${after.sequence} of `, time(after.updated_at)];
}

function changeText({ kind, changes }: Extract<HistoryStep, { changes: unknown }>): Child {
  if (kind === 'added') return 'added to the list';
  if (kind === 'removed') return 'removed from the list';
  return element(
    'ul',
    {},
    changes.map((change) => element('li', {}, memberText(change))),
  );
}

function memberText({ member, from, to }: MemberChange): Child[] {
  const label = Object.entries(LABELS).find(([name]) => name === member)?.[1] ?? member;
  return [element('bdi', {}, label), ': ', valueText(from), ' → ', valueText(to)];
}

function valueText(value: unknown): HTMLElement {
  if (value === undefined) return element('span', { class: 'none' }, 'not declared');
  if (value === null) return element('span', { class: 'none' }, 'none');
  return element('bdi', {}, typeof value === 'string' ? value : JSON.stringify(value));
}
