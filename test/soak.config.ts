import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import base from '../vitest.config.js';

/** The tests that find more the longer they run. Each of them asks `test/support/soak.ts` for its number of rounds. */
const SOAKED = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))
  .filter((file) => readFileSync(file, 'utf8').includes('support/soak.js'));

/** The soak: floods of kills, torn reads, every case of large tables, long property tests. */
export default defineConfig({
  test: {
    ...base.test,
    include: SOAKED,
    env: { ...base.test?.env, SOAK: '1' },
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
  },
});
