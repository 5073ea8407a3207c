import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATOR_PAGES, VERIFIER_PAGES } from '../support/documents.js';
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

describe('the pages for operators', () => {
  it('are all in the table of the entrance, the emergency first', () => {
    const linked = [...read(ENTRANCE).matchAll(/\]\((operators\/[\w-]+\.md)/g)].map(
      ([, page]) => `docs/${page}`,
    );
    expect(linked[0]).toBe(EMERGENCY);
    expect([...new Set([ENTRANCE, ...linked])].sort()).toEqual([...OPERATOR_PAGES].sort());
  });

  it('have each section that the entrance names once', () => {
    const rows = [...read(ENTRANCE).matchAll(/\]\((operators\/[\w-]+\.md)\): (.*) \|$/gm)];
    expect(rows.length).toBeGreaterThan(5);
    for (const [, page, sections = ''] of rows) {
      const headings = headingsOf(`docs/${page}`);
      for (const section of sections.split(' · '))
        expect([section, headings.filter((heading) => heading === section)]).toEqual([section, [section]]);
    }
  });

  it('say for each emergency first what to type', () => {
    const [, ...sections] = read(EMERGENCY).split('\n## ');
    expect(sections.length).toBeGreaterThan(10);
    for (const section of sections) {
      const [heading = '', ...before] = section.slice(0, section.indexOf('```sh\n')).split('\n');
      expect(words(before.join('\n')), heading).toBeLessThanOrEqual(20);
    }
  });
});

describe('the pages for verifiers', () => {
  it('are all in the table of the entrance, which names sections that exist', () => {
    const rows = [...read(VERIFIERS).matchAll(/^\|.*\]\((verifiers\/[\w-]+\.md)\): (.*) \|$/gm)];
    const linked = rows.map(([, page]) => `docs/${page}`);
    expect([VERIFIERS, ...linked].sort()).toEqual([...VERIFIER_PAGES].sort());
    for (const [, page, sections = ''] of rows) {
      const headings = headingsOf(`docs/${page}`);
      expect(sections.split(' · ').filter((section) => !headings.includes(section))).toEqual([]);
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

  it('begin in errors, too: each `see` leads to a heading', () => {
    const sources = ['generator', 'custody', 'observers', 'cli'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    );
    const links = sources.flatMap((source) =>
      [...read(source).matchAll(/\bsee: '([^']*)'/g)].map(([, link = '']) => link),
    );
    const dead = links.filter((link) => {
      const [path = '', anchor = ''] = link.split('#');
      return !DOCUMENTS.includes(path) || !anchorsOf(path).includes(anchor);
    });
    expect(links.length).toBeGreaterThan(5);
    expect(dead).toEqual([]);
  });
});
