import { defineConfig } from 'vitest/config';
import base from '../vitest.config.js';

/** The soak: tests that kill programs and look for torn reads. They find more the longer they run. */
export default defineConfig({
  test: {
    ...base.test,
    include: [
      'test/generator/publishing/killed-build.test.ts',
      'test/generator/mirroring/killed-mirror.test.ts',
      'test/generator/mirroring/torn-reads.test.ts',
    ],
    env: { ...base.test?.env, SOAK: '1' },
    testTimeout: 3_600_000,
  },
});
