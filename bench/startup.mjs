// The time of commands that do little work, on the six example records. Compared with an empty Node.js process.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI, run } from './command-line.mjs';
import { compare } from './compare.mjs';

const RECORDS = fileURLToPath(new URL('../issuers', import.meta.url));
const PAIRS = 21;
const folder = mkdtempSync(join(tmpdir(), 'passport-bench-'));

const node = (...args) => run(process.execPath, args, folder);

try {
  cpSync(RECORDS, join(folder, 'issuers'), { recursive: true });
  node(CLI, 'build');
  for (const command of ['--version', '--help', 'check', 'verify dist', 'diff dist']) {
    const subject = () => node(CLI, ...command.split(' '));
    await compare(`\`${command}\`, to an empty Node.js`, subject, () => node('-e', '0'), PAIRS);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
