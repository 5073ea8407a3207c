import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests run what ships: the compiled packages and the command line, never the sources.
    globalSetup: 'test/compile.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './test/skips.ts'],
  },
});
