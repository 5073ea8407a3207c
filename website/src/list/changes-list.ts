import type { Registry } from '@passport-registry/verifier';
import { type Child, element, rich } from '../dom/element.js';
import { moment } from '../dom/moment.js';
import { wordFor } from '../dom/word.js';
import type { Change, Changes } from '../registry/changes.js';
import type { Hold } from '../registry/hold.js';
import { issuerFragment } from '../route.js';
import { fields, status as statusWords, changes as text } from '../texts/en.js';
import { nameBeside } from './name-beside.js';
import type { Names } from './names.js';

/** How many changes are shown. Those of many issuers at once count as one. */
const MAX_CHANGES = 10;
/** From how many issuers on a change of all of them is one entry. */
const MIN_GROUP = 3;

/** The changes of status and tier, and the holds, which are in no list. */
export interface KnownChanges {
  /** Null if no checkpoint covers the changes that the host sends. Undefined before they have been read. */
  readonly changes: Changes | null | undefined;
  /** Undefined before the list is shown. */
  readonly hold: Hold | undefined;
  /** The ids of the active issuers that are on hold. */
  readonly held: readonly string[];
  readonly names?: Names;
}

/** The newest changes of all issuers. */
export function recentChanges(registry: Registry, known: Omit<KnownChanges, 'held'>): HTMLElement[] {
  const held = registry.hold.filter((id) => registry.resolve(id)?.status === 'active');
  return [element('h3', {}, text.title), ...changesList({ ...known, held }, true)];
}

/**
 * A list of the newest changes, or a note that the changes are not verified. Holds that have not ended come first.
 *
 * @param withIssuer - whether each entry names its issuer
 */
export function changesList(
  { changes, hold, held, names }: KnownChanges,
  withIssuer: boolean,
): HTMLElement[] {
  const name = (id: string) =>
    withIssuer ? [element('a', { href: issuerFragment(id) }, id), nameBeside(names, id), ': '] : undefined;
  const holds = held.map((id) => {
    const since = hold?.since.get(id);
    return [since ? moment(since.toISOString()) : text.timeUnknown, ': ', name(id), text.onHold];
  });
  const one = (change: Change) => [
    moment(change.updated_at),
    ': ',
    name(change.issuer_id),
    describeChange(change),
  ];
  const newest = groupsOf(changes?.changes ?? [])
    .slice(0, MAX_CHANGES)
    .map((group) => (group.length < MIN_GROUP ? group.map(one) : groupView(group, names)));
  const entries = [...holds, ...newest].map((entry) => element('li', {}, entry));
  const note = newest.length > 0 ? [] : [element('p', { class: 'note' }, noteOn(changes))];
  return entries.length === 0 ? note : [element('ol', { class: 'changes steps' }, entries), ...note];
}

/** Changes that a list made in the same way for several issuers, newest first. Few of them stay single. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const { updated_at, field, from, to } = change;
    const key = JSON.stringify([updated_at, field, from, to]);
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].flatMap((group) =>
    group.length < MIN_GROUP ? group.map((one) => [one]) : [group],
  );
}

/** One entry for many issuers, which opens into the issuers. */
function groupView(group: readonly Change[], names: Names): Child {
  const [first] = group as readonly [Change];
  return element(
    'details',
    {},
    element(
      'summary',
      {},
      moment(first.updated_at),
      `: ${text.many(group.length)}: ${describeChange(first)}`,
    ),
    element(
      'ul',
      {},
      group.map(({ issuer_id: id }) =>
        element('li', {}, element('a', { href: issuerFragment(id) }, id), nameBeside(names, id)),
      ),
    ),
  );
}

function noteOn(changes: KnownChanges['changes']): Child {
  if (changes === undefined) return text.loading;
  if (changes !== null) return rich(text.none, { since: moment(changes.since) });
  return rich(text.uncovered, { feed: element('a', { href: 'changes.atom' }, text.feed) });
}

function describeChange({ field, from, to }: Change): string {
  // A tier has the same name in every language.
  const word = (value: string) => (field === 'status' && wordFor(statusWords, value)) || value;
  if (to === null) return text.removed;
  if (from === null) return text.added(word(to));
  return `${wordFor(fields, field) ?? field} ${word(from)} → ${word(to)}`;
}
