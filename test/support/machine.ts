// What the tests see of the machine: its basic programs, an empty home folder, and no settings of git. A worker loads this
// module once, before any test.
import { join } from 'node:path';
import { inject } from 'vitest';

/** All programs of the machine. */
export const MACHINE_PATH = process.env['PATH'] ?? '';

process.env['PATH'] = join(inject('runFolder'), 'programs');
process.env['HOME'] = join(inject('runFolder'), 'home');
