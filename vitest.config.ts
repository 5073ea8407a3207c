import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests run the compiled packages, never the sources. Where a test starts the command line as a process, that is the bundle.
    globalSetup: 'test/support/compile.ts',
    setupFiles: 'test/support/property-seed.ts',
    // The command line runs in the process of its test, each time in another folder: threads cannot change theirs.
    pool: 'forks',
    // What ships is loaded as Node.js loads it.
    server: { deps: { external: [/\/build\//] } },
    // Many tests start programs and flush files, which a busy machine can make wait; `run` has a limit of its own.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // The tests mostly wait for programs that they have started.
    maxWorkers: '100%',
    reporters: ['default', './test/support/summary.ts'],
  },
});
