import type { Issuer } from '@passport-registry/verifier';
import type { PublicationEntry } from '@passport-registry/verifier/core';
import { type Child, element, rich } from '../dom/element.js';
import { moment } from '../dom/facts.js';
import { wordFor } from '../dom/word.js';
import { notVerified } from '../registry/verified-registry.js';
import { fields, issuer as issuerText, status as statusWords, history as text, verdict } from '../texts.js';
import { type HistoryStep, IssuerHistory, type MemberChange } from './issuer-history.js';
import { lifeBar, stepId } from './life-bar.js';
import type { LoggedList } from './verified-log.js';

/** An issuer of the verified list, and the log that contains the list. */
interface LoggedIssuer {
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
  const life = element('div');
  const told: HistoryStep[] = [];
  const state = element('p', { role: 'status', class: 'note', tabindex: -1 });
  const button = element('button', { type: 'button' }, text.read);
  let isReading = false;
  // The button stays enabled while it reads, because a disabled one loses the focus.
  const read = async () => {
    if (isReading) return;
    isReading = true;
    state.textContent = text.reading;
    const failure = await history
      .read(issuer, (step) => {
        told.push(step);
        steps.append(element('li', { id: stepId(step), tabindex: -1 }, stepText(step), proofOf(step)));
      })
      .catch(notVerified);
    if (told.length > 0) life.replaceChildren(lifeBar(issuer, told));
    isReading = false;
    button.textContent = failure === undefined ? text.readOlder : verdict.again;
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
    element('h4', {}, text.title),
    element('p', { class: 'note' }, rich(text.about, { origin: element('code', {}, logged.origin) })),
    life,
    steps,
    state,
    button,
  );
}

function progressOf({ isComplete, reached }: IssuerHistory): string {
  return isComplete ? text.complete : text.reached(reached?.sequence, reached?.updated_at);
}

function stepText(step: HistoryStep): Child[] {
  const { entry } = step;
  switch (step.kind) {
    case 'gap':
      return [publication(entry), text.gap(text[step.gap])];
    case 'oldest':
      return [publication(entry), ': ', oldestText(step)];
    default:
      return [publication(entry), sinceText(step.after), ': ', changeText(step)];
  }
}

/** Where a reader finds what proves a step: the signed statement, and the list that it names. */
function proofOf({ kind, index, entry }: HistoryStep): HTMLElement {
  const statement = element('a', { href: `log/statements/${index}.jwt` }, text.statement);
  const list = element('a', { href: `log/lists/${entry.list}.json` }, text.list);
  const words = kind === 'gap' ? text.proofWithoutList : text.proof;
  return element('div', { class: 'note proof' }, rich(words, { entry: String(index + 1), statement, list }));
}

function oldestText({ isListed, isFirst }: Extract<HistoryStep, { kind: 'oldest' }>): string {
  const has = isListed ? text.has : text.hasNot;
  return isFirst ? text.first(has) : text.oldest(has);
}

function publication({ updated_at, sequence }: PublicationEntry): Child[] {
  return [moment(updated_at), text.publication(sequence)];
}

function sinceText(after: PublicationEntry | undefined): Child[] {
  if (after === undefined) return [];
  return rich(text.since, { sequence: String(after.sequence), time: moment(after.updated_at) });
}

function changeText({ kind, changes }: Extract<HistoryStep, { changes: unknown }>): Child {
  if (kind === 'added') return text.added;
  if (kind === 'removed') return text.removed;
  return element(
    'ul',
    {},
    changes.map((change) => element('li', {}, memberText(change))),
  );
}

function memberText({ member, from, to }: MemberChange): Child[] {
  const label = wordFor(fields, member) ?? member;
  const value = (one: unknown) =>
    valueText(member === 'status' ? (wordFor(statusWords, String(one)) ?? one) : one);
  return [element('bdi', {}, label), ': ', value(from), ' → ', value(to)];
}

function valueText(value: unknown): HTMLElement {
  if (value === undefined) return element('span', { class: 'none' }, issuerText.undeclared);
  if (value === null) return element('span', { class: 'none' }, issuerText.nothing);
  return element('bdi', {}, typeof value === 'string' ? value : JSON.stringify(value));
}
