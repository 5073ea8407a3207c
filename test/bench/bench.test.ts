import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { ROOT } from '../support/paths.js';
import { rounds } from '../support/soak.js';
import { run } from '../support/workspace.js';

/** The name of a figure without sizes, which are smaller in quick runs. */
const withoutSizes = (name: string) => name.replace(/[\d,]+ (?=records|issuers|others)/g, '');

const rows = readFileSync(join(ROOT, 'bench/RESULTS.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| figure '))
  .map((line) => withoutSizes(line.split(' | ')[0]?.slice(2) ?? ''));

const measured = new Set<string>();

/** Runs a benchmark, each of whose figures must have an entry. */
async function measure(name: string): Promise<void> {
  const { code, stdout, stderr } = await run(
    process.execPath,
    [join(ROOT, `bench/${name}.mjs`), '--quick'],
    ROOT,
  );
  expect([code, stderr]).toEqual([0, '']);
  for (const line of stdout.trim().split('\n')) {
    const figure = /^(.+): -?[\d.]+$/.exec(line)?.[1];
    if (figure !== undefined) measured.add(withoutSizes(figure));
  }
  for (const figure of measured) expect(rows).toContain(figure);
}

describe('each benchmark', () => {
  it.each(['build', 'log', 'load', 'decide', 'actions', 'startup'])(
    'runs, and has an entry for each figure: %s',
    measure,
  );
});

// They start nine gateways and a Chromium of their own: for the soak.
if (rounds({ usual: false, soak: true })) {
  describeWith(['nginx', 'chromium-headless-shell'], 'each benchmark of other programs', () => {
    // Side by side: they wait for most of their time.
    it.concurrent.each(['middleware', 'page'])('runs, and has an entry for each figure: %s', measure);

    it('and each entry is measured', () => {
      expect(rows.filter((row) => !measured.has(row))).toEqual([]);
    });
  });
}
