import { join } from 'node:path';
import { expect } from 'vitest';

/** Each test file, and the processes that it starts, have a file for the mutants that they reach. */
const folder = process.env['MUTANTS_FOLDER'];
const { testPath = '' } = expect.getState();
if (folder !== undefined) process.env['MUTANTS_REACHED'] = join(folder, encodeURIComponent(testPath));
