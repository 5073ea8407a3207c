import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';

/**
 * The ids of all rules in docs/protocol.md, in the order of the document. They are permanent, because other projects link
 * to them: add ids here, and never remove or rename one. The text of a rule may move.
 */
const PERMANENT = `
tree-files other-files host-files later-versions host-responses no-redirects content-types query-ignored signed-bytes
record-form scope-absent issuer-id record-uris date-time list-form list-order list-time list-hash
signature-form signature-algorithm signature-strict root-key-file root-key-pinned public-key
public-key-values trust-anchor trust-anchor-closed trust-anchor-thumbprint verify-before-parse list-checks
list-rollback trust-policy status-rejected checksums-form checksums-whole write-order max-age
delegation-form checkpoint-form snapshots checkpoint-steps checkpoint-signer checkpoint-within-delegation
delegation-rollback checkpoint-rollback named-list list-match save-last checkpoint-kept hold hold-permission
hold-kept delegation-unneeded missing-files tree-hash rotation-form rotation-chain rotation-read
rotation-replaced rotation-fork rotation-commitment commitment-followed commitment-form commitment-bound
rotation-brings issuer-metadata issuer-keys issuer-status issuer-responses nonce nonce-signature mint
issuer-errors passport-claims revocation-nonce mandate-form scope-cover mandate-policy mandate-jws
action-proof action-http run-time-order status-memory proof-replay access-token changes changes-checked
changes-unsigned statement-form statement-claims statement-order statement-checks checkpoint-required
statement-required statement-rollback statement-list statement-checkpoint statement-absent strict-json
canonical-values jwt-profile limits deadlines clocks store-times roles client-memory client-steps
error-codes two-places failed-requests retries auditor-codes public-hosts publication-rules record-changes reserved-names
list-later newest-published next-statement request-follows signer-memory root-key-continues statements-stay
verified-before-written tree-of-sums sums-place sums-form sums-levels sums-proof sums-caches sums-updates
sums-whole public-log log-name log-entries other-entries log-bytes log-files log-write-order log-witnesses mirror-cosigns
log-proof log-quorum log-rollback log-audit log-head log-tiles log-statements log-order log-tree log-kept
log-mirror history-proof history-period holders-messages ceremony holders-record holders-signing
holders-nonces operations
`;

const FOLDERS = [
  'cli',
  'custody',
  'observers',
  'generator',
  'verifier',
  'sandbox',
  'website',
  'schemas',
  'test',
  'docs',
];
const NOT_WRITTEN_HERE = /(^|\/)(node_modules|build|generated)\//;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the files of this repository below some folders, and those at its top, whose name has one of the endings. */
function filesWith(endings: readonly string[]): string[] {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return [...readdirSync(ROOT), ...below].filter(
    (path) => endings.some((ending) => path.endsWith(ending)) && !NOT_WRITTEN_HERE.test(path),
  );
}

/** Returns the text of a source with each comment on one line, so that a line break cannot hide the name of a rule. */
const withoutBreaks = (source: string) => source.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ');

/** Returns the anchors of GitHub for the headings of a document. */
const headingsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );

const protocol = read('docs/protocol.md');
const anchors = [...protocol.matchAll(/<a id="([^"]*)"><\/a>/g)].map(([, id = '']) => id);
const SOURCES = filesWith(['.ts', '.mjs', '.js', '.json']);
const DOCUMENTS = filesWith(['.md']);
const THIS_FILE = 'test/docs/rule-ids.test.ts';

/** Returns the rules that a source names: `(rule list-order)` or `docs/protocol.md#list-order`. */
function namedInSource(path: string): string[] {
  const text = withoutBreaks(read(path));
  const inWords = [...text.matchAll(/[(,;] ?rule ([a-z]+(?:-[a-z]+)*)(?=[),;])/g)];
  const asLinks = [...text.matchAll(/docs\/protocol\.md#([a-z0-9-]*[a-z0-9])/g)];
  return [...inWords, ...asLinks].map(([, id = '']) => id);
}

/** Returns the rules that a document links to. */
function linkedFrom(path: string): string[] {
  const links = path === 'docs/protocol.md' ? /\]\(#([^)]*)\)/g : /\]\([^)]*\bprotocol\.md#([^)]*)\)/g;
  return [...read(path).matchAll(links)].map(([, id = '']) => id);
}

const named = [
  ...SOURCES.filter((path) => path !== THIS_FILE).flatMap((path) =>
    namedInSource(path).map((id) => [path, id] as const),
  ),
  ...DOCUMENTS.flatMap((path) => linkedFrom(path).map((id) => [path, id] as const)),
];

describe('the ids of the rules in docs/protocol.md', () => {
  it('are unique, and at most three words without digits', () => {
    expect(new Set(anchors).size).toBe(anchors.length);
    for (const id of anchors) expect(id).toMatch(/^[a-z]+(?:-[a-z]+){0,2}$/);
  });

  it('are permanent', () => {
    const permanent = PERMANENT.trim().split(/\s+/);
    expect(permanent.filter((id) => !anchors.includes(id))).toEqual([]);
    expect(anchors.filter((id) => !permanent.includes(id))).toEqual([]);
  });

  it('are never the anchor of a heading', () => {
    const headings = headingsOf(protocol);
    expect(anchors.filter((id) => headings.includes(id))).toEqual([]);
  });

  it('exist, wherever a comment, a test or a document names a rule', () => {
    const known = [...anchors, ...headingsOf(protocol)];
    expect(named.length).toBeGreaterThan(300);
    expect(named.filter(([, id]) => !known.includes(id))).toEqual([]);
  });

  it('are all named somewhere', () => {
    const used = new Set(named.map(([, id]) => id));
    expect(anchors.filter((id) => !used.has(id))).toEqual([]);
  });

  it('stand over every MUST', () => {
    const parts = protocol
      .split(/^#{2,3} /m)
      .filter((part) => /\bMUST\b/.test(part))
      .slice(1);
    expect(parts.length).toBeGreaterThan(15);
    for (const part of parts)
      expect(part.slice(0, part.search(/\bMUST\b/)), part.slice(0, 40)).toContain('<a id="');
  });

  it('are in every row of the table of roles', () => {
    const [, table = ''] = /^\| What is checked \| Rule \|.*\n\|[-|]*\n((?:\|.*\n)*)/m.exec(protocol) ?? [];
    const cells = table
      .trim()
      .split('\n')
      .map((row) => row.split(' | ')[1]);
    expect(cells.length).toBeGreaterThan(40);
    for (const cell of cells) {
      const [, text, id] = /^\[(.*)\]\(#(.*)\)$/.exec(cell ?? '') ?? [];
      expect(text).toBe(id);
      expect(anchors).toContain(id);
    }
  });

  it('are named instead of sections', () => {
    // "RFC 8032, section 5" refers to another document.
    const number = /(RFC \d+(?:\)|,) \(?)?\bsections? \d+\b(?!\.\d)/gi;
    const inSources = SOURCES.filter((path) => path !== THIS_FILE).flatMap((path) => {
      const text = withoutBreaks(read(path));
      const sections = [...text.matchAll(number)].filter(([, rfc]) => rfc === undefined).map(([all]) => all);
      return [...sections, ...(text.match(/\bSPEC [A-D]?\d+/g) ?? [])].map((found) => `${path}: ${found}`);
    });
    expect(inSources).toEqual([]);
    const ofProtocol = /protocol(?:\.md)?,?\s+sections?\s+\d+|sections?\s+\d+\s+of\s+the\s+protocol/gi;
    const inDocuments = DOCUMENTS.filter((path) => path !== 'CHANGELOG.md').flatMap((path) =>
      (read(path).match(ofProtocol) ?? []).map((found) => `${path}: ${found}`),
    );
    expect(inDocuments).toEqual([]);
  });
});
