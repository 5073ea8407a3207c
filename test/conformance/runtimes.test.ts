import { expect, it } from 'vitest';
import { showOnRuntimes } from '../../build/conformance/runtimes.js';
import { kitOf } from '../support/kit.js';

const FIRST = {
  client: await kitOf('client'),
  lookup: await kitOf('lookup'),
  passport: await kitOf('passport'),
};

/** Shows one case of each role to the bundle that workerd and Chromium run, and returns what is printed. */
async function shown(change: (one: (typeof FIRST.client)[number]) => typeof one) {
  const lines: string[] = [];
  const casesOf = (role: string) => FIRST[role as keyof typeof FIRST].slice(0, 1).map(change);
  const isGood = await showOnRuntimes(['bundle'], casesOf, (line) => lines.push(line));
  return { isGood, lines };
}

it('the bundle for other runtimes passes a case of each role', async () => {
  const { isGood, lines } = await shown((one) => one);
  expect(lines.map((line) => /^bundle +(\w+) +1 cases, 0 failed/.exec(line)?.[1])).toEqual(
    Object.keys(FIRST),
  );
  expect(isGood).toBe(true);
});

it('a failing case is named, and fails the run', async () => {
  const { isGood, lines } = await shown((one) => ({
    ...one,
    steps: one.steps.map((step) => ({ ...step, right: ['ERR_LIST_INVALID'] })),
  }));
  expect(isGood).toBe(false);
  for (const [{ id } = { id: '' }] of Object.values(FIRST))
    expect(lines.join('\n')).toContain(`  ${id} (rule `);
});
