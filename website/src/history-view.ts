import type { Issuer } from '@passport-registry/verifier';
import type { Change, Changes } from './changes.js';
import { type Child, element } from './element.js';
import { issuerFragment } from './route.js';
import { time } from './time.js';
import { timeline } from './timeline.js';

const MAX_CHANGES = 10;

/** The timeline, and a list of the newest changes. */
export function historyView(issuers: readonly Issuer[], changes: Changes | undefined): HTMLElement {
  return element(
    'figure',
    { class: 'history' },
    element('figcaption', {}, 'Certifications (bars) and changes of status (dots)'),
    timeline(issuers, changes?.changes ?? []),
    changesList(changes, true),
  );
}

/**
 * A list of the newest changes, or a note that the changes are not verified.
 *
 * @param withIssuer - whether each entry names its issuer
 */
export function changesList(changes: Changes | undefined, withIssuer: boolean): HTMLElement {
  const feed = element('a', { href: 'changes.atom' }, 'feed');
  if (changes === undefined) {
    return element(
      'p',
      { class: 'note' },
      'Changes of status and tier are shown only if a checkpoint covers them. The ',
      feed,
      ' lists them without verification.',
    );
  }
  const { since } = changes;
  if (changes.changes.length === 0) {
    return element('p', { class: 'note' }, 'No changes of status or tier since ', time(since), '.');
  }
  const newest = changes.changes.slice(0, MAX_CHANGES);
  return element(
    'ol',
    { class: 'changes' },
    newest.map((change) =>
      element('li', {}, time(change.updated_at), ' ', describeChange(change, withIssuer)),
    ),
  );
}

function describeChange({ issuer_id, field, from, to }: Change, withIssuer: boolean): Child[] {
  const name = withIssuer ? [element('a', { href: issuerFragment(issuer_id) }, issuer_id), ': '] : [];
  if (from === null) return [name, `new, ${field} ${to}`];
  if (to === null) return [name, 'removed from the list'];
  return [name, `${field} ${from} → ${to}`];
}
