import type { Issuer } from '@passport-registry/verifier';
import type { Change, Changes } from './changes.js';
import { type Child, element } from './element.js';
import { issuerAddress } from './route.js';
import { time } from './time.js';
import { timeline } from './timeline.js';

const SHOWN = 10;

/** The timeline, and the newest changes in words. */
export function historyView(issuers: readonly Issuer[], changes: Changes | undefined): HTMLElement {
  const marked = changes?.changes ?? [];
  return element(
    'figure',
    { class: 'history' },
    element('figcaption', {}, 'Certifications (bars) and changes of status (dots)'),
    timeline(issuers, marked),
    changesList(changes, true),
  );
}

/** Changes in words; where nobody vouches for them, that. */
export function changesList(changes: Changes | undefined, named: boolean): HTMLElement {
  const feed = element('a', { href: 'changes.atom' }, 'feed');
  if (changes === undefined) {
    return element(
      'p',
      { class: 'note' },
      'Changes of status and tier are shown where a checkpoint vouches for them. The ',
      feed,
      ' has them unverified.',
    );
  }
  const { since } = changes;
  if (changes.changes.length === 0) {
    return element('p', { class: 'note' }, 'No change of status or tier since ', time(since), '.');
  }
  const newest = changes.changes.slice(0, SHOWN);
  return element(
    'ol',
    { class: 'changes' },
    newest.map((change) => element('li', {}, time(change.updated_at), ' ', inWords(change, named))),
  );
}

function inWords({ issuer_id, field, from, to }: Change, named: boolean): Child[] {
  const name = named ? [element('a', { href: issuerAddress(issuer_id) }, issuer_id), ': '] : [];
  if (from === null) return [name, `new, ${field} ${to}`];
  if (to === null) return [name, 'no longer in the list'];
  return [name, `${field} ${from} → ${to}`];
}
