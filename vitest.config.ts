import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests run what ships: the compiled packages and the command line, never the sources.
    globalSetup: 'test/support/compile.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/summary.ts'],
  },
});
