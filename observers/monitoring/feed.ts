import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { printable } from '../../generator/diagnostics/printable.js';
import { UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { uuidOf } from '../../generator/tree/site/changes.js';
import { type Html, html } from '../../generator/tree/site/html.js';
import type { Finding } from './finding.js';
import type { RoundReport } from './monitor.js';

/** The number of entries in the feed. */
const MAX_ENTRIES = 100;

/** Every entry of a feed that this module has written. */
const ENTRY = /^ {2}<entry>\n {4}<id>([^<]+)<\/id>\n(?: {4}.*\n)+? {2}<\/entry>\n/gm;
const GENERATOR = '<generator>passport-registry monitor</generator>';

/**
 * Adds the alarms and the changes of a round to a feed (Atom, RFC 4287), newest first. The id of an entry depends on what
 * it says, so an alarm that lasts is one entry.
 *
 * @param url - the URL of the registry
 * @throws {@link UsageError} if the file is another kind of feed; {@link IoFailed}
 */
export function addToFeed(file: string, url: string, { at, findings }: RoundReport): void {
  const earlier = earlierEntries(file);
  const told = findings.filter(
    ({ code, severity }) => severity === 'alarm' || severity === 'change' || code === 'issuer-changed',
  );
  const fresh = new Map(told.map((found) => [idOf(found), found]));
  const added = [...fresh].filter(([id]) => !earlier.has(id));
  if (added.length === 0 && existsSync(file)) return;
  const entries = [...added.map(([id, found]) => entry(id, found, at).text), ...earlier.values()];
  writeWholeFile(file, `${feedHead(file, url, at)}${entries.slice(0, MAX_ENTRIES).join('')}</feed>\n`);
}

function earlierEntries(file: string): Map<string, string> {
  if (!existsSync(file)) return new Map();
  const text = readText(file);
  if (!text.includes(GENERATOR))
    throw new UsageError(`${file} is not a feed of this command: name another file`);
  return new Map([...text.matchAll(ENTRY)].map(([whole, id = '']) => [id, whole]));
}

function idOf({ code, host = '', message }: Finding): string {
  return uuidOf(['monitor', code, host, message].join('\n'));
}

/** Returns the beginning of a feed, up to its entries. */
function feedHead(file: string, url: string, at: string): string {
  const head = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <id>${uuidOf(`monitor of ${url}`)}</id>
  <title>Monitor of ${url}</title>
  <updated>${at}</updated>
  <author><name>passport-registry monitor</name></author>
  `.text;
  const links = html`
  <link rel="self" type="application/atom+xml" href="${encodeURIComponent(basename(file))}"/>
  <link rel="alternate" type="text/html" href="${url}"/>
`.text;
  return head + GENERATOR + links;
}

function entry(id: string, { code, severity, message, host }: Finding, at: string): Html {
  const text = printable(host === undefined ? message : `${host}: ${message}`);
  return html`  <entry>
    <id>${id}</id>
    <title>${severity === 'alarm' ? `Alarm: ${text}` : text}</title>
    <updated>${at}</updated>
    <category term="${code}"/>
    <content type="text">${text}</content>
  </entry>
`;
}
