// An emergency with 10,000 records: the time from the start of the command to the verified tree. Compared with a cold
// build of the same records into a new folder.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsIn } from './command-line.mjs';
import { compare } from './compare.mjs';
import { writeRecords } from './corpus.mjs';

const folder = mkdtempSync(join(tmpdir(), 'passport-bench-'));
const passportRegistry = commandsIn(folder);

try {
  writeRecords(join(folder, 'issuers'), 10_000);
  passportRegistry('keys', 'generate', '--no-passphrase', '--private', 'key.pem');
  passportRegistry('build', '--key', 'key.pem');
  let calls = 0;
  let builds = 0;
  const emergency = () => {
    const end = calls++ % 2 === 0 ? [] : ['--end'];
    passportRegistry('suspend', ...end, 'issuer-000042', '--reason', 'for the bench', '--key', 'key.pem');
  };
  const cold = () => passportRegistry('build', '--key', 'key.pem', '--out', `cold-${builds++}`);
  await compare('an emergency on 10,000 records, to a cold build', emergency, cold, 5);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
