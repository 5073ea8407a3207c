import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/paths.js';

const FOLDERS = ['generator', 'verifier/src', 'verifier/node', 'sandbox'];

/** Runs the rule of biome.json. A signature of the public API may suppress the rule, with a reason. */
function lintParameters(cwd: string) {
  const { status, stdout, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/biome'),
    ['lint', '--only=complexity/useMaxParams', '--colors=off', ...FOLDERS],
    { cwd, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

describe('a function', () => {
  it('takes at most three positional parameters', () => {
    const { status, output } = lintParameters(ROOT);
    expect(status, output).toBe(0);
    expect(Number(/Checked (\d+) files/.exec(output)?.[1])).toBeGreaterThan(200);
  });

  it('with four parameters is an error in every folder', () => {
    const project = mkdtempSync(join(tmpdir(), 'shape-'));
    try {
      copyFileSync(join(ROOT, 'biome.json'), join(project, 'biome.json'));
      copyFileSync(join(ROOT, '.gitignore'), join(project, '.gitignore'));
      for (const folder of FOLDERS) {
        mkdirSync(join(project, folder), { recursive: true });
        writeFileSync(
          join(project, folder, 'example.ts'),
          [
            'export function f(a, b, c, d) {}',
            'export const g = async (a, b, c, d) => {};',
            'export class C {',
            '  constructor(a, b, c, d) {}',
            '  #m(a, b = 1, { c }, ...d) {}',
            '}',
          ].join('\n'),
        );
      }
      const { status, output } = lintParameters(project);
      expect(status).toBe(1);
      for (const folder of FOLDERS) {
        const lines = output.matchAll(
          new RegExp(`${folder}/example\\.ts:(\\d+):\\d+ lint/complexity/useMaxParams`, 'g'),
        );
        expect(
          [...lines].map(([, line]) => Number(line)),
          folder,
        ).toEqual([1, 2, 4, 5]);
      }
    } finally {
      rmSync(project, { recursive: true });
    }
  });
});
