// What one changed record of 10,000 costs a mirror: `passport-registry mirror` of a folder that has the publication before,
// compared with its first copy into an empty folder. The server is another process. For how often readers of a mirror get
// what does not belong together, and for rsync, see mirrors.mjs.
// Usage: node bench/mirror.mjs [records]

import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsIn } from './command-line.mjs';
import { comparePairs } from './compare.mjs';
import { issuers, recordText, writeRecords } from './corpus.mjs';
import { serveFolder } from './serve-folder.mjs';

const PAIRS = 5;
const number = (value) => value.toLocaleString('en-US');

if (process.argv[2] === 'serve') await serve(process.argv[3]);
else await measure(Number(process.argv[2] ?? 10_000));

async function serve(folder) {
  const { base } = await serveFolder(folder);
  process.on('disconnect', () => process.exit());
  process.send(base);
}

async function measure(records) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-mirror-'));
  const passportRegistry = commandsIn(folder);
  writeRecords(join(folder, 'issuers'), records);
  writeFileSync(
    join(folder, 'root.json'),
    passportRegistry('keys', 'generate', '--no-passphrase', '--private', 'key.pem'),
  );
  const [first] = issuers(1);
  let changes = 0;
  const publish = () => {
    const last_audit = `2026-06-30T00:00:${String(changes++ % 60).padStart(2, '0')}Z`;
    writeFileSync(join(folder, 'issuers', `${first.issuer_id}.yaml`), recordText({ ...first, last_audit }));
    passportRegistry('build', '--key', 'key.pem');
  };
  publish();
  const child = fork(fileURLToPath(import.meta.url), ['serve', join(folder, 'dist')]);
  const base = await new Promise((resolve) => child.once('message', resolve));
  const mirror = (into) => {
    const started = performance.now();
    passportRegistry('mirror', base, into, '--root-key', 'root.json');
    return performance.now() - started;
  };
  try {
    mirror('kept');
    const pairs = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      publish();
      pairs.push([mirror('kept'), mirror(`new-${pair}`)]);
    }
    comparePairs(`mirror of ${number(records)} records after one change, to a first copy`, pairs, 'ms');
  } finally {
    child.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}
