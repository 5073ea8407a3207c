// The floor of a build that finds (nearly) nothing changed: look at every record file and every published file, on two
// threads. With a third argument also what one changed record costs whoever signs the whole list: read the list, hash it, put the
// record in, sign, verify and hash it, and write it.
// Usage: node bench/incremental-floor.mjs ISSUERS DIST [OUT]

import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

function lookAt(folder) {
  let changed = 0;
  for (const name of readdirSync(folder)) if (lstatSync(`${folder}/${name}`).ctimeMs === 0) changed += 1;
  return changed;
}

if (isMainThread) {
  const [issuers, dist, out] = process.argv.slice(2);
  const other = new Worker(new URL(import.meta.url), { workerData: join(dist, 'issuers') });
  const looked = new Promise((resolve) => other.once('exit', resolve));
  lookAt(issuers);
  if (out !== undefined) publishList(readFileSync(join(dist, 'issuers.json')), out);
  await looked;
} else {
  lookAt(workerData);
}

function publishList(before, out) {
  const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const middle = before.indexOf('"certified_since"', before.length / 2);
  const list = Buffer.concat([before.subarray(0, middle), before.subarray(middle)]);
  const signature = sign(null, list, privateKey);
  if (!verify(null, list, publicKey, signature)) throw new Error('the signature does not hold');
  writeFileSync(join(out, 'issuers.json'), list);
  writeFileSync(join(out, 'hashes'), `${sha256(before)} ${sha256(list)} ${signature.toString('base64url')}`);
}
