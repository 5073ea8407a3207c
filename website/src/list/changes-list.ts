import type { Issuer, Registry } from '@passport-registry/verifier';
import { type Change, type Changes, type ShownStatus, standingOf } from '@passport-registry/verifier/core';
import { type Child, element, rich } from '../dom/element.js';
import { moment } from '../dom/facts.js';
import { wordFor } from '../dom/text.js';
import { latestStatusChange } from '../registry/changes.js';
import { issuerFragment } from '../route.js';
import { fields, standings, status as statusWords, changes as text } from '../texts.js';
import { type Names, nameBeside, saidReason } from './names.js';

/** The maximum number of changes. A change of many issuers at once counts as one. */
const MAX_CHANGES = 10;
/** From how many issuers on a change of all of them is one entry. */
const MIN_GROUP = 3;

/** The changes of status and tier, and the holds, which are in no list. */
interface KnownChanges {
  /** Null if the changes that the host sends are not proven. Undefined before they have been read. */
  readonly changes: Changes | null | undefined;
  /** The ids of the active issuers that are on hold. */
  readonly held: readonly string[];
  readonly names?: Names;
  readonly resolve: (id: string) => Issuer | undefined;
}

/** The newest changes of all issuers. */
export function recentChanges(
  registry: Registry,
  known: Omit<KnownChanges, 'held' | 'resolve'>,
): HTMLElement[] {
  const resolve = (id: string) => registry.resolve(id);
  const held = registry.hold.filter((id) => resolve(id)?.status === 'active');
  return [element('h3', {}, text.title), ...changesList({ ...known, held, resolve }, true)];
}

/**
 * A list of the newest changes, or a note that the changes are not verified. Holds that have not ended come first.
 *
 * @param withIssuer - whether each entry names its issuer, and the reason for its status
 */
export function changesList(known: KnownChanges, withIssuer: boolean): HTMLElement[] {
  const { changes, held, names } = known;
  const name = (id: string) =>
    withIssuer ? [element('a', { href: issuerFragment(id) }, id), nameBeside(names, id), ': '] : undefined;
  const holds = held.map((id) => [text.now, ': ', name(id), statusWords['on hold']]);
  const one = (change: Change) => [
    moment(change.updated_at),
    ': ',
    name(change.issuer_id),
    describeChange(change, known),
    withIssuer ? reasonFor(change, known) : undefined,
  ];
  const newest = groupsOf(known)
    .slice(0, MAX_CHANGES)
    .map((group) => (group.length < MIN_GROUP ? group.map(one) : groupView(group, known)));
  const entries = [...holds, ...newest].map((entry) => element('li', {}, entry));
  const note = newest.length > 0 ? [] : [element('p', { class: 'note' }, noteOn(changes))];
  return entries.length === 0 ? note : [element('ol', { class: 'changes steps' }, entries), ...note];
}

/** Changes that a list made in the same way for several issuers, newest first. Few of them stay single. */
function groupsOf(known: KnownChanges): Change[][] {
  const groups = new Map<string, Change[]>();
  for (const change of known.changes?.changes ?? []) {
    const key = `${change.updated_at} ${describeChange(change, known)}`;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].flatMap((group) =>
    group.length < MIN_GROUP ? group.map((one) => [one]) : [group],
  );
}

/** One entry for many issuers, which opens into the issuers. */
function groupView(group: readonly Change[], known: KnownChanges): Child {
  const [first] = group as readonly [Change];
  return element(
    'details',
    {},
    element(
      'summary',
      {},
      moment(first.updated_at),
      `: ${text.many(group.length)}: ${describeChange(first, known)}`,
    ),
    element(
      'ul',
      {},
      group.map((change) => {
        const { issuer_id: id } = change;
        const link = element('a', { href: issuerFragment(id) }, id);
        return element('li', {}, link, nameBeside(known.names, id), reasonFor(change, known));
      }),
    ),
  );
}

function noteOn(changes: KnownChanges['changes']): Child {
  if (changes === undefined) return text.loading;
  if (changes !== null) return rich(text.none, { since: moment(changes.since) });
  return rich(text.uncovered, { file: element('a', { href: 'changes.json' }, 'changes.json') });
}

function describeChange({ issuer_id, field, from, to }: Change, { resolve }: KnownChanges): string {
  const word = (value: string) => (field === 'status' ? statusWord(resolve(issuer_id), value) : value);
  if (to === null) return text.removed;
  if (from === null) return text.added(word(to));
  const change = `${word(from)} → ${word(to)}`;
  return field === 'status' ? change : `${wordFor(fields, field) ?? field} ${change}`;
}

/**
 * The word for a status of an issuer, now or in the past: for an active one, what it is by its tier.
 *
 * @param issuer - undefined if it is no longer in the list
 */
export function statusWord(issuer: Issuer | undefined, status: string): string {
  const standing = issuer === undefined ? status : standingOf(issuer, status as ShownStatus, Date.now());
  const word = wordFor(standings, standing) ?? wordFor(statusWords, status);
  return word ?? status;
}

/** The reason that the registry gives for a status, beside the change that has brought it. */
function reasonFor(change: Change, { changes, names, resolve }: KnownChanges): Child {
  const issuer = resolve(change.issuer_id);
  const reason = names?.get(change.issuer_id)?.status_reason;
  if (!issuer || reason === undefined || latestStatusChange(issuer, changes) !== change) return undefined;
  return [': ', saidReason(reason)];
}
