import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GOLDEN_NAMES, golden } from '../../build/conformance/cases/goldens.js';
import { patched } from '../../build/conformance/cases/patch.js';
import { allOf } from '../support/cases.js';
import { ROOT } from '../support/paths.js';
import { temporaryFolder } from '../support/workspace.js';

const CASES = join(ROOT, 'conformance/cases');

/** Kinds whose cases are made in no time. */
const QUICK_KINDS = ['byte', 'file', 'signature', 'note', 'lines', 'host', 'clock'];

describe('the generator of cases', () => {
  it('imports nothing of this project, so that no fault of the verifier hides in both', () => {
    const allowed = /^(?:\.\/[\w-]+\.js|canonicalize|jose|@noble\/(?:curves|hashes)\/[\w-]+\.js)$/;
    const imported = readdirSync(CASES).flatMap((file) => {
      const source = readFileSync(join(CASES, file), 'utf8');
      return [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name);
    });
    expect(imported.length).toBeGreaterThan(50);
    expect(imported.filter((name) => !allowed.test(name))).toEqual([]);
  });

  it('makes the same bytes in another process', async () => {
    const chosen = ['golden', 'signature', 'note'];
    const script = `
      import { golden, GOLDEN_NAMES } from './build/conformance/cases/goldens.js';
      import { cases } from './build/conformance/cases/index.js';
      import { createHash } from 'node:crypto';
      const hash = createHash('sha256');
      for (const name of GOLDEN_NAMES) for (const [path, bytes] of golden(name).files) hash.update(path).update(bytes);
      for (const only of ${JSON.stringify(chosen)}) for await (const one of cases({ only })) hash.update(JSON.stringify(one));
      console.log(hash.digest('hex'));`;
    const there = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT });
    const hash = createHash('sha256');
    for (const name of GOLDEN_NAMES) {
      for (const [path, bytes] of golden(name).files) hash.update(path).update(bytes);
    }
    for (const only of chosen) for (const one of await allOf(only)) hash.update(JSON.stringify(one));
    expect(there.toString().trim()).toBe(hash.digest('hex'));
  });

  it('makes thousands of cases as data, each under its own id, and none that changes nothing', async () => {
    const made = (await Promise.all(QUICK_KINDS.map(allOf))).flat();
    expect(made.length).toBeGreaterThan(5000);
    expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    const flips = made.filter(({ id }) => id.startsWith('byte/stated/'));
    const same = flips.filter(({ steps: [{ sources }] }) => {
      const [{ base, patches }] = sources;
      const { files } = golden(base);
      const changed = patched(files, patches);
      return [...files].every(
        ([path, bytes]) => Buffer.compare(bytes, changed.get(path) ?? Buffer.of()) === 0,
      );
    });
    expect(same).toEqual([]);
  });
});

it('write-cases writes each case as a folder, and the trees that the cases change', async () => {
  const folder = temporaryFolder();
  const args = [join(ROOT, 'build/conformance/write-cases.js'), '--only', 'signature/plain', '--out', folder];
  const made = await allOf('signature/plain');
  expect(execFileSync(process.execPath, args).toString()).toBe(`${made.length} cases: ${folder}\n`);
  const written = readdirSync(join(folder, 'cases/signature/plain'));
  expect(written).toHaveLength(made.length);
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  expect(JSON.parse(read('cases/signature/plain/zeros/case.json'))).toEqual(
    made.find(({ id }) => id === 'signature/plain/zeros'),
  );
  expect(read('cases/signature/plain/zeros/README.md').split('\n')).toHaveLength(4);
  expect(readdirSync(join(folder, 'bases'))).toEqual([...GOLDEN_NAMES].sort());
  expect(readFileSync(join(folder, 'bases/plain/issuers.json'))).toEqual(
    Buffer.from(golden('plain').files.get('issuers.json') as Uint8Array),
  );
});
