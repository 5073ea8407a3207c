import { type Child, element, rich } from '../dom/element.js';
import { moment } from '../dom/moment.js';
import type { Change, Changes } from '../registry/changes.js';
import { issuerFragment } from '../route.js';
import { changes as text } from '../texts/en.js';

const MAX_CHANGES = 10;

/** The newest changes of all issuers. */
export function recentChanges(changes: Changes | undefined): HTMLElement[] {
  return [element('h3', {}, text.title), changesList(changes, true)];
}

/**
 * A list of the newest changes, or a note that the changes are not verified.
 *
 * @param withIssuer - whether each entry names its issuer
 */
export function changesList(changes: Changes | undefined, withIssuer: boolean): HTMLElement {
  if (changes === undefined) {
    const feed = element('a', { href: 'changes.atom' }, text.feed);
    return element('p', { class: 'note' }, rich(text.uncovered, { feed }));
  }
  if (changes.changes.length === 0) {
    return element('p', { class: 'note' }, rich(text.none, { since: moment(changes.since) }));
  }
  const newest = changes.changes.slice(0, MAX_CHANGES);
  return element(
    'ol',
    { class: 'changes steps' },
    newest.map((change) =>
      element('li', {}, moment(change.updated_at), ': ', describeChange(change, withIssuer)),
    ),
  );
}

function describeChange({ issuer_id, field, from, to }: Change, withIssuer: boolean): Child[] {
  const name = withIssuer ? [element('a', { href: issuerFragment(issuer_id) }, issuer_id), ': '] : [];
  if (from === null) return [name, text.added(field, to ?? '')];
  return [name, to === null ? text.removed : text.changed(field, from, to)];
}
