import type { Change, Changes } from '@passport-registry/verifier/core';
import { DEFAULT_NAME, type RegistryDescription } from '../registry-description.js';
import { uuidOf } from './changes.js';
import { type Html, html } from './html.js';

/** The number of changes in the feed. All known changes are in /changes.json. */
const MAX_ENTRIES = 100;

/**
 * Returns the text of /changes.atom (Atom, RFC 4287). Its URLs are relative, so that mirrors can serve the feed
 * unchanged.
 */
export function atomFeed({ changes, feed, since }: Changes, about: RegistryDescription = {}): string {
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <id>${feed}</id>
  <title>${about.name ?? DEFAULT_NAME}: status and tier</title>
  <updated>${changes[0]?.updated_at ?? since}</updated>
  ${author(about)}
  <link rel="self" type="application/atom+xml" href="changes.atom"/>
  <link rel="alternate" type="text/html" href="./"/>
${entries(changes)}</feed>
`.text;
}

function entries(changes: readonly Change[]): Html[] {
  return changes.slice(0, MAX_ENTRIES).map(entry);
}

/**
 * Returns the text of /changes.atom with other changes, for whoever has the feed and not the registry's description.
 *
 * @param text - the text of an earlier feed of the registry
 */
export function continueFeed(text: string, { changes, since }: Changes): string {
  const updated = `<updated>${changes[0]?.updated_at ?? since}</updated>`;
  const head = text
    .slice(0, text.search(/ {2}<entry>|<\/feed>/))
    .replace(/<updated>[^<]*<\/updated>/, updated);
  return `${head}${html`${entries(changes)}`.text}</feed>\n`;
}

function author({ name = 'The operator of the registry', homepage, contact }: RegistryDescription): Html {
  const uri = homepage === undefined ? html`` : html`<uri>${homepage}</uri>`;
  const email = contact === undefined ? html`` : html`<email>${contact}</email>`;
  return html`<author><name>${name}</name>${uri}${email}</author>`;
}

function entry(change: Change): Html {
  const { updated_at, issuer_id, field, to } = change;
  return html`  <entry>
    <id>${uuidOf([updated_at, issuer_id, field, to].join(' '))}</id>
    <title>${inWords(change)}</title>
    <updated>${updated_at}</updated>
    <link rel="alternate" type="text/html" href="./#issuer=${encodeURIComponent(issuer_id)}"/>
    <content type="text">${inWords(change)}. In the list of ${updated_at}; verify it before you act on this.</content>
  </entry>
`;
}

/** Describes a change in words. */
export function inWords({ issuer_id, field, from, to }: Change): string {
  if (from === null) return `${issuer_id}: new, ${field} ${to}`;
  if (to === null) return `${issuer_id}: no longer in the list`;
  return `${issuer_id}: ${field} ${from} → ${to}`;
}
