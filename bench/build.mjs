// A cold build, compared with a floor that does the least possible work with the same libraries; and a build of which nothing
// or one record has changed, compared with a cold one. Each run is a process; each cold one writes a new folder.

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import canonicalize from 'canonicalize';
import { parse } from 'yaml';
import { compare, count, isQuick, node } from './compare.mjs';
import { BUILD, issuers, makeWorkspace, recordText } from './corpus.mjs';

if (process.argv[2] === 'floor') floor();
else await measure();

/** Reads all files, parses each with `yaml`, canonicalises the list, hashes, signs, and writes all files. */
function floor() {
  const [out] = process.argv.slice(3);
  const records = readdirSync('issuers').map((name) => parse(readFileSync(join('issuers', name), 'utf8')));
  const list = Buffer.from(canonicalize({ issuers: records, updated_at: '2026-11-21T08:00:00Z' }));
  const { privateKey } = generateKeyPairSync('ed25519');
  mkdirSync(join(out, 'issuers'), { recursive: true });
  for (const record of records) writeFileSync(join(out, 'issuers', record.issuer_id), JSON.stringify(record));
  writeFileSync(join(out, 'issuers.json'), list);
  writeFileSync(join(out, 'issuers.sig'), sign(null, list, privateKey).toString('base64url'));
  writeFileSync(join(out, 'sha256'), createHash('sha256').update(list).digest('hex'));
}

async function measure() {
  const sizes = isQuick ? [20] : [1_000, 10_000];
  const largest = sizes.at(-1);
  for (const size of sizes) {
    const name = `cold build to the floor, ${count(size)} records`;
    const { cold, floor } = runsIn(makeWorkspace(issuers(size)));
    await compare(name, cold, floor, size === largest ? 5 : 9);
  }
  const { cold, again, change } = runsIn(makeWorkspace(issuers(largest)));
  const which = `${count(largest)} records`;
  await compare(`unchanged build to a cold one, ${which}`, again, cold, 5);
  await compare(`build of one changed record to a cold one, ${which}`, change, cold, 5);
}

function runsIn(folder) {
  let runs = 0;
  const [first] = issuers(1);
  // A new folder for each run: directly after a large `rm`, the same writes took ten times as long.
  const cold = () => node(folder, ...BUILD, '--out', `out-${runs++}`);
  const again = () => node(folder, ...BUILD);
  const change = () => {
    const last_audit = new Date(Date.UTC(2026, 0, 1) + runs++ * 1000).toISOString().replace('.000', '');
    writeFileSync(join(folder, 'issuers', `${first.issuer_id}.yaml`), recordText({ ...first, last_audit }));
    again();
  };
  return {
    cold,
    again,
    change,
    floor: () => node(folder, fileURLToPath(import.meta.url), 'floor', `out-${runs++}`),
  };
}
