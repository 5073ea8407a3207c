import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import base from '../../vitest.config.js';
import { ROOT } from '../support/paths.js';

/** Reports to the process that has started the tests. */
class ParentReporter implements Reporter {
  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#send(moduleId, { state: 'started' });
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed') this.#send(test.module.moduleId, { failed: test.fullName });
  }

  onTestModuleEnd(module: TestModule): void {
    const [error] = module.errors();
    const failed = error?.message ?? (module.ok() ? undefined : 'a hook');
    this.#send(module.moduleId, { state: 'ended', failed });
  }

  onTestRunEnd(_modules: readonly TestModule[], [error]: readonly { message: string }[]): void {
    if (error !== undefined) process.send?.({ failed: error.message });
  }

  #send(moduleId: string, event: object): void {
    process.send?.({ file: relative(ROOT, moduleId), ...event });
  }
}

/** Keeps the order of the files on the command line. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const position = ({ moduleId }: TestSpecification) => process.argv.indexOf(relative(ROOT, moduleId));
    return files.toSorted((a, b) => position(a) - position(b));
  }
}

/** Runs tests in a copy that is already compiled. */
export default defineConfig({
  test: {
    ...base.test,
    // While mutants are recorded, each file has a process. Otherwise files share one, as usual.
    isolate: process.env['MUTANTS_FOLDER'] !== undefined,
    globalSetup: ['test/support/run-folder.ts', 'test/support/browser-service.ts'],
    setupFiles: ['test/mutants/setup.ts', ...(base.test?.setupFiles ?? [])],
    sequence: { sequencer: GivenOrder },
    reporters: [new ParentReporter()],
  },
});
