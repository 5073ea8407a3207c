import type { Change, Changes } from './changes.js';
import { escaped } from './html.js';
import { uuidOf } from './uuid.js';

/** How many changes the feed holds: whoever comes once in a while finds the others in /changes.json. */
const MAX_ENTRIES = 100;

/** The changes as a feed (Atom, RFC 4287): the text of /changes.atom. Its addresses are relative, so that mirrors serve it as it is. */
export function atomFeed({ changes, feed, since }: Changes): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <id>${escaped(feed)}</id>
  <title>Registry of agent passport issuers: status and tier</title>
  <updated>${escaped(changes[0]?.updated_at ?? since)}</updated>
  <author><name>The operator of the registry</name></author>
  <link rel="self" type="application/atom+xml" href="changes.atom"/>
  <link rel="alternate" type="text/html" href="./"/>
${changes.slice(0, MAX_ENTRIES).map(entry).join('')}</feed>
`;
}

function entry(change: Change): string {
  const { updated_at, issuer_id, field, to } = change;
  return `  <entry>
    <id>${uuidOf([updated_at, issuer_id, field, to].join(' '))}</id>
    <title>${escaped(inWords(change))}</title>
    <updated>${escaped(updated_at)}</updated>
    <link rel="alternate" type="text/html" href="./#issuer=${escaped(encodeURIComponent(issuer_id))}"/>
    <content type="text">${escaped(inWords(change))}. In the list of ${escaped(updated_at)}; verify it before you act on this.</content>
  </entry>
`;
}

function inWords({ issuer_id, field, from, to }: Change): string {
  if (from === null) return `${issuer_id}: new, ${field} ${to}`;
  if (to === null) return `${issuer_id}: no longer in the list`;
  return `${issuer_id}: ${field} ${from} → ${to}`;
}
