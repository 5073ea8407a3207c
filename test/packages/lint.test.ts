import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pack } from '../support/packed.js';
import { ROOT } from '../support/paths.js';
import { rounds } from '../support/soak.js';
import { run, temporaryFolder } from '../support/workspace.js';

const program = (name: string) => join(ROOT, 'node_modules/.bin', name);

describe('the tarballs', async () => {
  const packed = await pack('.', 'verifier', 'passports');

  it.each(packed.map(({ tarball }) => tarball))('publint finds nothing in %s', async (tarball) => {
    const { code, stdout, stderr } = await run(program('publint'), ['run', '--strict', tarball], ROOT);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain('All good!');
  });

  // Those of the publisher are for the soak: install-generator.test.ts compiles a program with the same types.
  const examined = rounds({ usual: packed.slice(1), soak: packed });

  it.each(examined.map(({ tarball }) => tarball))('attw finds no wrong types in %s', async (tarball) => {
    // The packages are ES modules only: Node.js 20.19 and newer loads them with require() too.
    const options = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'json'];
    const { code, stdout } = await run(program('attw'), [tarball, ...options], temporaryFolder());
    expect(code, stdout).toBe(0);
    const { analysis } = JSON.parse(stdout) as { analysis: Analysis };
    expect(Object.keys(analysis.entrypoints).length).toBeGreaterThan(2);
    const found = analysis.problems.filter(({ resolutionKind = '' }) => !IGNORED.has(resolutionKind));
    expect(found).toEqual([]);
  });
});

/** What `attw` reports. */
interface Analysis {
  readonly entrypoints: Readonly<Record<string, unknown>>;
  readonly problems: readonly { readonly resolutionKind?: string }[];
}

/** What the profile leaves out: TypeScript before 4.7, and require() as TypeScript treated it before 5.8. */
const IGNORED = new Set(['node10', 'node16-cjs']);
