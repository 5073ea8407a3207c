import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATOR_PAGES, operatorText, VERIFIER_PAGES } from '../support/documents.js';
import { ROOT } from '../support/paths.js';

const ENTRANCE = 'docs/operators.md';
const VERIFIERS = 'docs/verifiers.md';
const EMERGENCY = 'docs/operators/emergency.md';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const words = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;
const withoutCode = (markdown: string) => markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** The headings of a document. */
const headingsOf = (path: string) =>
  [...withoutCode(read(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);

/** The anchors that a heading has on GitHub, and those that the document names. */
const anchorsOf = (path: string) => [
  ...headingsOf(path).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  ),
  ...[...read(path).matchAll(/<a id="([^"]*)">/g)].map(([, id = '']) => id),
];

/** The sections of docs/operators.md in version 0.2.0, to which links may exist. */
const SECTIONS_OF_0_2 = `
A registry of your own
The key
Build
The rules for changes
Configuration: registry.yaml
The name of the registry
Sign with an HSM, a token or a cloud service
With a PKCS#11 token
With openssl
With other tools
Offline signing
A delegation by request
Offline with openssl or an HSM alone
An issuer is compromised
Stop an issuer while the root key is away
With a root key that holders share
Freshness: hourly, without the root key
The public log and its witnesses
Watch the log
What did the registry say?
How is the registry doing?
A new root key
The next root keys, committed ahead
A new root key with GitHub
By hand
By signing request
The online key has leaked
The root key has leaked
The root key is lost
Review
With GitHub
The tree on a branch
What a pull request can reach
Look at the registry
Publish
Exit codes
`;

describe('the pages for operators', () => {
  it('are short: the entrance has at most 700 words, and each page at most 2,500', () => {
    for (const page of OPERATOR_PAGES)
      expect(words(read(page)), page).toBeLessThanOrEqual(page === ENTRANCE ? 700 : 2500);
  });

  it('are all in the table of the entrance, the emergency first', () => {
    const linked = [...read(ENTRANCE).matchAll(/\]\((operators\/[\w-]+\.md)/g)].map(
      ([, page]) => `docs/${page}`,
    );
    expect(linked[0]).toBe(EMERGENCY);
    expect([...new Set([ENTRANCE, ...linked])].sort()).toEqual([...OPERATOR_PAGES].sort());
  });

  it('have each section of version 0.2.0 once, and the entrance says where', () => {
    const headings = OPERATOR_PAGES.flatMap((page) => headingsOf(page).map((heading) => ({ page, heading })));
    for (const section of SECTIONS_OF_0_2.trim().split('\n')) {
      const [found, ...more] = headings.filter(({ heading }) => heading === section);
      expect([found?.heading, more], section).toEqual([section, []]);
      const row = found?.page === ENTRANCE ? 'A registry' : `(${found?.page.slice('docs/'.length)}`;
      const lines = read(ENTRANCE).split('\n');
      expect(
        lines.some((line) => line.includes(row) && line.includes(section)),
        section,
      ).toBe(true);
    }
  });

  it('begin an emergency with commands that a section explains', () => {
    const [, table = ''] = read(EMERGENCY).split('| What happened | Run |\n');
    const rows = table.slice(0, table.indexOf('\n\n'));
    const commands = [...rows.matchAll(/`(npx [^`]*)`/g)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThanOrEqual(7);
    const explained = [operatorText(), read('docs/holders.md')].join('\n').split('\n');
    for (const command of commands)
      expect(
        explained.some((line) => line.trim() === command),
        command,
      ).toBe(true);
  });
});

/** The anchors of docs/verifiers.md in version 0.2.0 whose sections are pages of their own now. */
const MOVED_SINCE_0_2 = `
more-about-pinning
install
look-up-one-issuer
remember-between-runs
what-the-client-does
what-an-update-costs
several-sources
offline-copies
options
witnesses-a-list-that-everybody-sees
prove-what-the-registry-said
why-a-passport-or-an-action-is-refused
errors
in-a-browser-for-people
in-any-other-language
`;

describe('the pages for verifiers', () => {
  it('are short: at most 4,000 words each', () => {
    for (const page of VERIFIER_PAGES) expect(words(read(page)), page).toBeLessThanOrEqual(4000);
  });

  it('are all in the table of the entrance, in which old anchors lead to the sections that moved', () => {
    const rows = read(VERIFIERS)
      .split('\n')
      .filter((line) => line.includes('](verifiers/') && line.startsWith('|'));
    const linked = rows.map((row) => `docs/${/\]\((verifiers\/[\w-]+\.md)/.exec(row)?.[1]}`);
    expect([VERIFIERS, ...linked].sort()).toEqual([...VERIFIER_PAGES].sort());
    for (const anchor of MOVED_SINCE_0_2.trim().split('\n')) {
      const at = rows.findIndex((row) => row.includes(`<a id="${anchor}"></a>`));
      expect(anchorsOf(linked[at] ?? VERIFIERS), anchor).toContain(anchor);
      expect(at, anchor).not.toBe(-1);
    }
  });
});

/** The documents of the repository whose links readers follow. Tests of the protocol check the links to its rules. */
const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('protocol'))
    .map((name) => join('docs', name)),
];

describe('links between documents', () => {
  it.each(DOCUMENTS)('%s links only to files and headings that exist', (document) => {
    const links = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? document : normalize(join(dirname(document), path));
      if (!existsSync(join(ROOT, target))) return true;
      if (anchor === undefined || target.includes('protocol')) return false;
      return !anchorsOf(target).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});
