import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { CORE, DOCUMENTS, protocol, textOf } from '../support/protocol.js';

/**
 * The ids of all rules in docs/protocol.md and its parts. They are permanent, because other projects link to them: add ids
 * here, and never remove or rename one. The text of a rule may move, also to another part.
 */
const PERMANENT = `
tree-files other-files host-files later-versions host-responses no-redirects content-types query-ignored
signed-bytes record-form scope-absent issuer-id record-uris date-time list-form list-order list-time
list-hash signature-form signature-algorithm signature-strict root-key-file root-key-pinned public-key
public-key-values trust-anchor trust-anchor-closed trust-anchor-thumbprint verify-before-parse list-checks
list-rollback trust-policy policy-rules status-rejected checksums-form checksums-whole write-order
checkpoint-form checkpoint-signer checkpoint-rollback named-list list-match save-last hold hold-permission
hold-kept tree-hash rotation-form rotation-chain rotation-read rotation-replaced rotation-fork
rotation-commitment commitment-followed commitment-form commitment-bound rotation-brings issuer-metadata
issuer-keys issuer-status issuer-responses nonce nonce-signature mint issuer-errors passport-claims
revocation-nonce mandate-form scope-cover mandate-policy mandate-jws action-proof action-http run-time-order
status-memory proof-replay token-profile token-issuer access-token changes changes-checked changes-unsigned
statement-form statement-claims statement-checks statement-rollback statement-list statement-checkpoint
strict-json canonical-values jwt-profile limits deadlines clocks store-times roles client-memory
client-steps error-codes failed-requests retries statements-file about-file status-since auditor-codes
public-hosts publication-rules record-changes reinstated reserved-names list-later newest-published
next-statement request-follows signer-memory root-key-continues verified-before-written
tree-of-sums sums-place sums-form sums-levels sums-proof sums-caches sums-updates sums-whole public-log
log-name log-entries other-entries log-bytes log-files log-write-order log-witnesses log-proof log-quorum
log-rollback log-audit log-head log-tiles log-statements log-order log-tree log-kept log-mirror
holders-messages ceremony holders-record holders-signing holders-nonces other-limits other-clocks
audited-rotation checkpoint-lifetime checkpoint-online lists log-stays online-keys statement-hash
`;

const FOLDERS = [
  'cli',
  'conformance',
  'custody',
  'observers',
  'generator',
  'verifier',
  'passports',
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

const idsIn = (text: string) => [...text.matchAll(/<a id="([^"]*)"><\/a>/g)].map(([, id = '']) => id);
/** The ids of the rules that stand in each document of the protocol. */
const rulesOf = new Map(DOCUMENTS.map((document) => [document, idsIn(textOf(document))] as const));
const anchors = [...rulesOf.values()].flat();
/** The list at the end of the core, with the rules that stand in parts. */
const [, index = ''] = read(CORE).split('## Where each rule stands\n');
const SOURCES = filesWith(['.ts', '.mjs', '.js', '.json']);
const MARKDOWN = filesWith(['.md']);
const THIS_FILE = 'test/docs/rule-ids.test.ts';

/** Returns the rules that a source names in words: `(rule list-order)`, `(rules list-form, list-order)`, or the `rule` of a case of conformance/. */
function namedInWords(path: string): string[] {
  const text = withoutBreaks(read(path));
  const inWords = [...text.matchAll(/[(,;] ?rules? ([a-z]+(?:-[a-z]+)*(?:, [a-z]+(?:-[a-z]+)+)*)(?=[),;])/g)];
  const ofCases = path.startsWith('conformance/') ? [...text.matchAll(/\brule: '([^']*)'/g)] : [];
  return [...inWords, ...ofCases].flatMap(([, ids = '']) => ids.split(', '));
}

type Link = readonly [path: string, target: string, id: string];
const RULE = /docs\/(protocol(?:\/[a-z-]+)?\.md)#([a-z0-9-]*[a-z0-9])/g;

/** Returns the links of a source to the protocol: `docs/protocol.md#list-order`. */
const linkedInSource = (path: string): Link[] =>
  [...withoutBreaks(read(path)).matchAll(RULE)].map(([, file = '', id = '']) => [path, `docs/${file}`, id]);

/** Returns the links of a document to the protocol. The list of rules is checked on its own. */
function linkedFrom(path: string): Link[] {
  const text = DOCUMENTS.includes(path) ? textOf(path) : read(path);
  return [...text.matchAll(/\]\(([^)#\s]*)#([^)\s]*)\)/g)]
    .map(([, file = '', id = '']): Link => [path, file === '' ? path : join(dirname(path), file), id])
    .filter(([, target]) => target === CORE || target.startsWith('docs/protocol/'));
}

const OTHERS = SOURCES.filter((path) => path !== THIS_FILE);
const named = OTHERS.flatMap((path) => namedInWords(path).map((id) => [path, id] as const));
const links = [...OTHERS.flatMap(linkedInSource), ...MARKDOWN.flatMap(linkedFrom)];

describe('the ids of the rules in docs/protocol.md and its parts', () => {
  it('are unique, and at most three words without digits', () => {
    expect(new Set(anchors).size).toBe(anchors.length);
    for (const id of anchors) expect(id).toMatch(/^[a-z]+(?:-[a-z]+){0,2}$/);
  });

  it('stand in as few words as the core says of the whole, and of what a client reads', () => {
    const wordsOf = (text: string) => text.trim().split(/\s+/).length;
    const sum = (documents: readonly string[]) =>
      documents.reduce((words, document) => words + wordsOf(read(document)), 0);
    expect(wordsOf(read(CORE))).toBeLessThanOrEqual(3500);
    expect(
      sum(DOCUMENTS.filter((document) => document !== 'docs/protocol/passports.md')),
    ).toBeLessThanOrEqual(14_000);
    const [, needed = ''] = /\n(## The tree\n.*)## List verifiers\n/s.exec(read(CORE)) ?? [];
    expect(needed).toContain('## Decisions');
    const parts = sum(['docs/protocol/clients.md', 'docs/protocol/look-up.md']);
    expect(wordsOf(needed) + parts).toBeLessThanOrEqual(4000);
  });

  it('are permanent', () => {
    const permanent = PERMANENT.trim().split(/\s+/);
    expect(permanent.filter((id) => !anchors.includes(id))).toEqual([]);
    expect(anchors.filter((id) => !permanent.includes(id))).toEqual([]);
  });

  it('are never the anchor of a heading', () => {
    for (const document of DOCUMENTS) {
      const headings = headingsOf(read(document));
      expect([document, idsIn(read(document)).filter((id) => headings.includes(id))]).toEqual([document, []]);
      expect(new Set(headings).size, document).toBe(headings.length);
    }
  });

  it('are in the list at the end of the core, with a link, if they stand in a part', () => {
    const inParts = DOCUMENTS.filter((document) => document !== CORE).flatMap((document) =>
      (rulesOf.get(document) ?? []).map(
        (id) => `<a id="${id}"></a>[${id}](${document.slice('docs/'.length)}#${id})`,
      ),
    );
    expect(inParts.length).toBeGreaterThan(90);
    const listed = [...index.matchAll(/<a id=.*?\)/g)].map(([entry]) => entry);
    expect(listed.sort()).toEqual(inParts.sort());
    expect(idsIn(index)).toHaveLength(listed.length);
  });

  it('exist, wherever a comment, a test or a document names a rule', () => {
    expect(named.length + links.length).toBeGreaterThan(300);
    expect(named.filter(([, id]) => !anchors.includes(id))).toEqual([]);
  });

  it('are linked to where they stand', () => {
    const stands = (target: string, id: string) =>
      (rulesOf.get(target) ?? []).includes(id) || headingsOf(read(target)).includes(id);
    expect(links.filter(([, target, id]) => !stands(target, id))).toEqual([]);
  });

  it('are all named somewhere', () => {
    const used = new Set([...named.map(([, id]) => id), ...links.map(([, , id]) => id)]);
    expect(anchors.filter((id) => !used.has(id))).toEqual([]);
  });

  it('stand over every MUST', () => {
    // The core begins with what MUST means.
    const parts = DOCUMENTS.flatMap((document) =>
      textOf(document)
        .split(/^#{2,3} /m)
        .slice(document === CORE ? 1 : 0),
    ).filter((part) => /\bMUST\b/.test(part));
    expect(parts.length).toBeGreaterThan(15);
    for (const part of parts)
      expect(part.slice(0, part.search(/\bMUST\b/)), part.slice(0, 40)).toContain('<a id="');
  });

  it('are in every row of the table of roles', () => {
    const [, table = ''] = /^\| Rule \| List verifier .*\n\|[-|]*\n((?:\|.*\n)*)/m.exec(protocol) ?? [];
    const cells = table
      .trim()
      .split('\n')
      .map((row) => row.split(' | ')[0]);
    const named = cells.map((cell = '') =>
      [...cell.matchAll(/\[[^\]]*\]\([^)#]*#([^)]*)\)/g)].map(([, id]) => id),
    );
    expect(named.flat().length).toBeGreaterThan(35);
    for (const [row, ids] of named.entries()) expect(ids, cells[row]).not.toEqual([]);
    expect(named.flat().filter((id = '') => !anchors.includes(id))).toEqual([]);
  });
});
