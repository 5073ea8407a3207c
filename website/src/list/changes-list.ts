import type { Registry } from '@passport-registry/verifier';
import { type Child, element, rich } from '../dom/element.js';
import { moment } from '../dom/moment.js';
import type { Change, Changes } from '../registry/changes.js';
import type { Hold } from '../registry/hold.js';
import type { Names } from '../registry/names.js';
import { issuerFragment } from '../route.js';
import { changes as text } from '../texts/en.js';
import { nameBeside } from './name-beside.js';

const MAX_CHANGES = 10;

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
  const newest = (changes?.changes ?? [])
    .slice(0, MAX_CHANGES)
    .map((change) => [moment(change.updated_at), ': ', name(change.issuer_id), describeChange(change)]);
  const entries = [...holds, ...newest].map((entry) => element('li', {}, entry));
  const note = newest.length > 0 ? [] : [element('p', { class: 'note' }, noteOn(changes))];
  return entries.length === 0 ? note : [element('ol', { class: 'changes steps' }, entries), ...note];
}

function noteOn(changes: KnownChanges['changes']): Child {
  if (changes === undefined) return text.loading;
  if (changes !== null) return rich(text.none, { since: moment(changes.since) });
  return rich(text.uncovered, { feed: element('a', { href: 'changes.atom' }, text.feed) });
}

function describeChange({ field, from, to }: Change): string {
  if (from === null) return text.added(field, to ?? '');
  return to === null ? text.removed : text.changed(field, from, to);
}
