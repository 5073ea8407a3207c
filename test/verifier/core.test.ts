import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';

const CORE = join(ROOT, 'verifier/src/core');
const SOURCES = new Map(
  readdirSync(CORE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(CORE, path), 'utf8')]),
);

/** Returns the code of a source without its comments and the text in its strings. */
function codeOf(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''");
}

/** What only somebody who waits, fetches, guesses or reads a clock needs. */
const IMPURE =
  /\b(?:fetch|setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame|performance|localStorage|indexedDB|navigator|process)\b(?!\s*[:?])|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bgetRandomValues\b/;

describe('verifier/src/core/', () => {
  it('imports nothing from outside but one package', () => {
    const packages = /^@noble\/hashes\/[a-z0-9]+\.js$/;
    for (const [path, source] of SOURCES) {
      const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '');
      const imported = [...code.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'([^']+)'/g)];
      for (const [, name = ''] of imported) {
        const isInside = name.startsWith('.') && !join(dirname(path), name).startsWith('..');
        expect([path, name, isInside || packages.test(name)]).toEqual([path, name, true]);
      }
    }
    expect(SOURCES.size).toBeGreaterThan(50);
  });

  it('does not fetch, wait, guess, or read a clock', () => {
    const found = [...SOURCES].filter(([, source]) => IMPURE.test(codeOf(source)));
    expect(found.map(([path]) => path)).toEqual([]);
  });

  it('remembers nothing: no variable of a file can change', () => {
    const found = [...SOURCES].filter(([, source]) => /^(?:export )?(?:let|var) /m.test(codeOf(source)));
    expect(found.map(([path]) => path)).toEqual([]);
  });

  it('has an audit that neither the rest of the core nor a client imports', () => {
    const folder = join(ROOT, 'verifier/src');
    const users = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('core/audit/'))
      .filter((path) => /from '[./a-z-]*\/audit\//.test(readFileSync(join(folder, path), 'utf8')));
    expect(users).toEqual(['core/index.ts']);
  });

  it('names each of its files in its README', () => {
    const readme = readFileSync(join(CORE, 'README.md'), 'utf8');
    const missing = [...SOURCES.keys()].filter((path) => {
      const [folder = '', name = folder] = path.replace(/\.ts$/, '').split('/');
      return !readme.includes(`\`${name}\``) && !readme.includes(`\`${folder}/${name}\``);
    });
    expect(missing.filter((path) => !/^(?:index\.ts|bytes\/|generated\/)/.test(path))).toEqual([]);
  });

  it('cites each rule that a row of its README names in a file of this row', () => {
    const readme = readFileSync(join(CORE, 'README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| (`.+?) \| ([a-z][a-z, -]*) \|$/gm)];
    const missing = rows.flatMap(([, files = '', rules = '']) => {
      const [first = '', ...others] = [...files.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      const folder = first.slice(0, first.lastIndexOf('/') + 1);
      const names = [first, ...others.map((name) => folder + name)];
      const isOfRow = (path: string) =>
        names.some((name) => (name.endsWith('/') ? path.startsWith(name) : path === `${name}.ts`));
      const text = [...SOURCES].flatMap(([path, source]) => (isOfRow(path) ? [source] : [])).join('\n');
      const comments = text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ');
      const isCited = (rule: string) =>
        new RegExp(`(?:\\brules? (?:[a-z-]+, )*|docs/protocol[a-z/-]*\\.md#)${rule}(?![a-z-])`).test(
          comments,
        );
      return rules.split(', ').flatMap((rule) => (isCited(rule) ? [] : [`${files}: ${rule}`]));
    });
    expect(missing).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(28);
  });

  it('is as pure as the state machine of a client', () => {
    for (const name of ['machine', 'round', 'retries', 'client-state', 'client-events']) {
      const code = codeOf(readFileSync(join(ROOT, `verifier/src/client/${name}.ts`), 'utf8'));
      expect([
        name,
        IMPURE.test(code),
        /^(?:export )?(?:let|var) |\bawait\b|\bPromise\b/m.test(code),
      ]).toEqual([name, false, false]);
    }
  });
});
