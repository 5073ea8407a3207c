// The time of a publication with a log after some publications, compared with one without a log. All publications are real,
// so the largest size takes as long as the log makes them. Six issuers, of which one changes.

import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import { build } from 'passport-registry';
import { compare, count, isQuick, NOW } from './compare.mjs';
import { issuers, makeWorkspace, recordText } from './corpus.mjs';

const SIZES = isQuick ? [2, 4] : [100, 1_000];
const records = issuers(6);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const rootKey = await importRootKey(publicKey.export({ format: 'jwk' }));
const log = {
  origin: 'registry.example/log',
  signer: { rootKey, development: false, sign: async (bytes) => sign(null, bytes, privateKey) },
  keepBytes: 2 ** 20,
  witnesses: [],
  quorum: 0,
  waitMs: 0,
};

/** Returns a function that publishes one more list. */
function publisher(options) {
  const folder = makeWorkspace(records);
  const [first] = records;
  let publications = 0;
  const signer = { key: join(folder, 'root.pem'), production: true, directory: folder };
  const publish = async () => {
    publications += 1;
    const policy_uri = `${first.policy_uri}/${publications}`;
    writeFileSync(join(folder, `issuers/${first.issuer_id}.yaml`), recordText({ ...first, policy_uri }));
    // Each list has a later time, and none is in the future.
    const updatedAt = new Date((NOW - 100_000 + publications) * 1000).toISOString().replace('.000', '');
    const time = { updatedAt };
    await build({ issuers: join(folder, 'issuers'), out: join(folder, 'dist'), signer, time, ...options });
  };
  return {
    publish,
    until: async (size) => {
      while (publications < size) await publish();
    },
  };
}

const withLog = publisher({ log });
const without = publisher({});
for (const size of SIZES) {
  await withLog.until(size);
  const name = `time of a publication after ${count(size)} others, with a log to without one`;
  await compare(name, withLog.publish, without.publish, 15);
}
