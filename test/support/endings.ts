type Ending = () => unknown;

/** What ends with each test and with each file. A worker loads a module once, and runs many files with it. */
const endings: Readonly<Record<'test' | 'file', Ending[]>> = { test: [], file: [] };

/** Runs an ending after each test, in whatever file. Unlike `afterEach`, a module of this folder can call it. */
export function afterEachTest(ending: Ending): void {
  endings.test.push(ending);
}

/** Runs an ending after each file. Unlike `afterAll`, a module of this folder can call it. */
export function afterEachFile(ending: Ending): void {
  endings.file.push(ending);
}

/** Runs all endings, also those after one that fails, and the last one first, as hooks do. */
export async function runEndings(of: 'test' | 'file'): Promise<void> {
  const failures: unknown[] = [];
  for (const end of endings[of].toReversed()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
