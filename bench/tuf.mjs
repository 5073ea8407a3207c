// A first load of 10,000 issuers (5 MB), compared with tuf-js, which loads the same list as a target of a TUF repository: root,
// timestamp, snapshot and targets, each signed by one Ed25519 key. Both end with the records in a Map. tuf-js always
// writes what it has loaded into files. The server is another process. tuf-js is not a dependency of this project. To
// measure it, install it with `npm install --prefix /tmp/peers tuf-js@5.0.1`, the last version for Node.js 20, and set
// `TUF_JS=/tmp/peers/node_modules/tuf-js`.

import { fork } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import canonicalize from 'canonicalize';
import { clientLoad } from './client-load.mjs';
import { compare, notMeasured } from './compare.mjs';
import { issuers } from './corpus.mjs';
import { rootKey, serveFiles, syntheticTree } from './synthetic-tree.mjs';

const TARGET = 'issuers.json';
const LOADS = 3;
const NAME = 'first load of 10,000 issuers, to the same list as a target of tuf-js';

if (process.argv[2] === 'serve') await serve();
else if (process.env.TUF_JS === undefined) notMeasured(NAME, 'tuf-js is not installed');
else await measure(createRequire(import.meta.url)(process.env.TUF_JS));

async function measure({ Updater }) {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  const { base, jwk, root } = await new Promise((resolve) => child.once('message', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'bench-tuf-'));
  let runs = 0;
  const tuf = async () => {
    const own = join(folder, String(runs++));
    const [metadataDir, targetDir] = [join(own, 'metadata'), join(own, 'targets')];
    mkdirSync(metadataDir, { recursive: true });
    mkdirSync(targetDir);
    writeFileSync(join(metadataDir, 'root.json'), root);
    const updater = new Updater({
      metadataDir,
      targetDir,
      metadataBaseUrl: `${base}/metadata`,
      targetBaseUrl: `${base}/targets`,
    });
    await updater.refresh();
    const path = await updater.downloadTarget(await updater.getTargetInfo(TARGET));
    return byId(JSON.parse(readFileSync(path, 'utf8')));
  };
  const load = clientLoad({ base, jwk });
  const many = (work) => async () => {
    for (let call = 0; call < LOADS; call++) await work();
  };
  try {
    await compare(NAME, many(load), many(tuf), 15);
  } finally {
    child.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

function byId({ issuers }) {
  return new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
}

/** Serves the files of a registry and those of a TUF repository with the same list. */
async function serve() {
  const files = await syntheticTree(issuers(10_000), { updatedAt: '2026-11-21T08:00:00Z', sequence: 1 });
  const repository = tufFiles(files.get(TARGET));
  const { base } = await serveFiles(new Map([...files, ...repository]));
  process.on('disconnect', () => process.exit());
  process.send({ base, jwk: rootKey.jwk, root: repository.get('metadata/root.json').toString() });
}

function tufFiles(list) {
  const sha256 = createHash('sha256').update(list).digest('hex');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  const key = {
    keytype: 'ed25519',
    scheme: 'ed25519',
    keyval: { public: Buffer.from(x, 'base64url').toString('hex') },
  };
  const keyid = createHash('sha256').update(canonicalize(key)).digest('hex');
  const signed = (_type, members) => {
    const content = {
      _type,
      spec_version: '1.0.31',
      version: 1,
      expires: '2126-01-01T00:00:00Z',
      ...members,
    };
    const sig = sign(null, Buffer.from(canonicalize(content)), privateKey).toString('hex');
    return Buffer.from(JSON.stringify({ signed: content, signatures: [{ keyid, sig }] }));
  };
  const role = { keyids: [keyid], threshold: 1 };
  const roles = { root: role, timestamp: role, snapshot: role, targets: role };
  return new Map([
    ['metadata/root.json', signed('root', { consistent_snapshot: true, keys: { [keyid]: key }, roles })],
    ['metadata/timestamp.json', signed('timestamp', { meta: { 'snapshot.json': { version: 1 } } })],
    ['metadata/1.snapshot.json', signed('snapshot', { meta: { 'targets.json': { version: 1 } } })],
    [
      'metadata/1.targets.json',
      signed('targets', { targets: { [TARGET]: { length: list.length, hashes: { sha256 } } } }),
    ],
    [`targets/${sha256}.${TARGET}`, list],
  ]);
}
