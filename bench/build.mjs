// The time of a build, compared with other programs that do the same: the floor (floor.mjs), a plain script
// (plain-script.mjs), and the static-site generators that are installed. Each run is a new process with a new folder.
// Usage: node bench/build.mjs [records ...]

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI, run } from './command-line.mjs';
import { compare, notMeasured, record } from './compare.mjs';
import { issuers, recordText, writeRecords } from './corpus.mjs';
import { eleventySite, hugoSite } from './peers.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 100_000];
const number = (value) => value.toLocaleString('en-US');

const node = (...args) => run(process.execPath, args, folder);

let folder;
let runs = 0;
/** A new folder for each run: directly after a large `rm`, the same writes took ten times as long. */
const newFolder = () => `out-${runs++}`;
const cold = (...options) => node(CLI, 'build', '--key', 'key.pem', '--out', newFolder(), ...options);

const costs = new Map();
for (const size of sizes) {
  folder = mkdtempSync(join(tmpdir(), 'bench-build-'));
  const nameOf = (comparison) => `${comparison}, ${number(size)} records`;
  const pairs = size <= 1_000 ? 9 : size <= 10_000 ? 5 : 3;
  try {
    writeRecords(join(folder, 'issuers'), size);
    node(CLI, 'keys', 'generate', '--no-passphrase', '--private', 'key.pem');
    const floor = () => node(here('floor.mjs'), 'issuers', newFolder());
    const { median } = await compare(nameOf('cold build to the floor'), () => cold(), floor, pairs);
    costs.set(size, median / size);
    peakMemory(nameOf('peak memory of a cold build, GiB'));
    // The other comparisons would take half an hour.
    if (size > 10_000) continue;
    const plain = () => node(here('plain-script.mjs'), 'issuers', newFolder());
    await compare(nameOf('cold build to a plain script'), () => cold(), plain, Math.min(pairs, 3));
    node(CLI, 'build', '--key', 'key.pem');
    const unchanged = () => node(CLI, 'build', '--key', 'key.pem');
    await compare(nameOf('unchanged build to a cold one'), unchanged, () => cold(), pairs);
    const [first] = issuers(1);
    let audits = 0;
    const oneChanged = () => {
      const last_audit = `2026-06-30T00:00:${String(audits++ % 60).padStart(2, '0')}Z`;
      writeFileSync(join(folder, 'issuers', `${first.issuer_id}.yaml`), recordText({ ...first, last_audit }));
      node(CLI, 'build', '--key', 'key.pem');
    };
    await compare(nameOf('build of one changed record to a cold one'), oneChanged, () => cold(), pairs);
    await comparePeers(nameOf, size);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const [small, large] = [costs.get(10_000), costs.get(100_000)];
if (small !== undefined && large !== undefined) {
  const ratio = Number((large / small).toFixed(2));
  console.log(`cost of a record at 100,000 to that at 10,000: ${ratio}`);
  record({ name: 'cost of a record at 100,000 to that at 10,000', ratio });
}

function peakMemory(name) {
  const report = join(folder, 'memory');
  const hook = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)))`;
  writeFileSync(join(folder, 'hook.cjs'), hook);
  node('--require', join(folder, 'hook.cjs'), CLI, 'build', '--key', 'key.pem', '--out', newFolder());
  const gib = Number((Number(readFileSync(report, 'utf8')) / 1024 / 1024).toFixed(2));
  console.log(`${name}: ${gib}`);
  record({ name, ratio: gib });
}

async function comparePeers(nameOf, size) {
  for (const [peer, site] of [
    ['Hugo', hugoSite(folder, size)],
    ['Eleventy', eleventySite(folder)],
  ]) {
    if (site === undefined) notMeasured(nameOf(`cold build to ${peer}`), `${peer} is not installed`);
    else
      await compare(
        nameOf(`cold build to ${peer}`),
        () => cold(),
        () => run(site.program, site.args(newFolder()), site.folder),
        3,
      );
  }
}
