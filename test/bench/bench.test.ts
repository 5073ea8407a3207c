import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { ROOT } from '../support/paths.js';
import { run } from '../support/workspace.js';

/** The name of a figure without sizes, which are smaller in quick runs. */
const withoutSizes = (name: string) => name.replace(/[\d,]+ (?=records|issuers|others)/g, '');

const rows = readFileSync(join(ROOT, 'bench/RESULTS.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| figure '))
  .map((line) => withoutSizes(line.split(' | ')[0]?.slice(2) ?? ''));

const measured = new Set<string>();

/** A benchmark runs, and each figure has an entry. */
async function expectEntries(name: string): Promise<void> {
  const program = join(ROOT, `bench/${name}.mjs`);
  const { code, stdout, stderr } = await run(process.execPath, [program, '--quick'], ROOT);
  expect([code, stderr]).toEqual([0, '']);
  const figures = [...stdout.matchAll(/^(.+): [\d.]+$/gm)].map(([, figure = '']) => withoutSizes(figure));
  expect(figures).not.toEqual([]);
  for (const figure of figures) {
    expect(rows).toContain(figure);
    measured.add(figure);
  }
}

describe('each benchmark', () => {
  it.each(['build', 'log', 'load', 'decide', 'actions', 'startup'])(
    'runs, and has an entry for each figure: %s',
    expectEntries,
  );
});

describeWith(['nginx', 'chromium-headless-shell'], 'each benchmark with programs', () => {
  it.each(['middleware', 'page'])('runs, and has an entry for each figure: %s', expectEntries);

  it('is that of some entry, and each entry has one', () => {
    // Quick runs measure one place.
    expect(rows.filter((row) => !measured.has(row) && !row.endsWith(', memory'))).toEqual([]);
  });
});
