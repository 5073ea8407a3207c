// What a log costs after 100, 1,000 and 10,000 publications: its size on the disk, the time of a publication compared
// with one without a log, the bytes that a mirror fetches after one publication, and the requests of a verifier with a
// quorum: of a first load, of a refresh, and of a look-up without the list. Everything but the size on the disk must not grow with the number of publications, but for the logarithm.
// Usage: node bench/log.mjs [publications ...]

import { createHash, createPrivateKey, sign } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createIssuerLookup, createRegistryClient } from '@passport-registry/verifier';
import {
  cosignedText,
  encodeCosignature,
  entryBytes,
  formatHead,
  formatLogProof,
  formatNoteKey,
  hashesFromTiles,
  inclusionProof,
  parseNoteKey,
  rangeRoot,
  tileReader,
} from '@passport-registry/verifier/core';
import { filesBelow } from '../build/generator/files/walk.js';
import { signStatement } from '../build/generator/freshness/statements.js';
import { build } from '../build/generator/index.js';
import { appendEntries } from '../build/generator/log/append.js';
import { EMPTY_LOG, readLogHead } from '../build/generator/log/log-files.js';
import { signHead } from '../build/generator/log/sign-head.js';
import { proveLogged } from '../build/generator/publishing/prove-logged.js';
import { generateKeyFile, loadSigner } from '../build/generator/signing/key-file.js';
import { statementsFile } from '../build/generator/tree/statements-file.js';
import { pinnedKey } from '../build/generator/verification/pinned-trust.js';
import { mirrorOnce } from '../build/observers/mirroring/mirror.js';
import { compare, record } from './compare.mjs';
import { serveFolder } from './serve-folder.mjs';

const SIZES = process.argv.slice(2).map(Number);
const ORIGIN = 'registry.example/log';
const WITNESSES = ['mirror-a.example', 'mirror-b.example', 'mirror-c.example'];
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

const folder = mkdtempSync(join(tmpdir(), 'log-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const keyFile = async (name) => {
  const file = join(folder, `${name}.pem`);
  await generateKeyFile('Ed25519', file, { newPassphrase: () => undefined, env: process.env });
  const key = createPrivateKey(readFileSync(file));
  return { file, key, signer: await loadSigner(file, undefined, process.env) };
};
const [root, log, ...witnesses] = await Promise.all(['root', 'log', ...WITNESSES].map(keyFile));
const vkeys = witnesses.map(({ signer }, index) =>
  formatNoteKey(WITNESSES[index], 'witness', signer.rootKey.jwk.x),
);
const fail = (message) => new Error(message);
const noteKeys = vkeys.map((vkey) => parseNoteKey(vkey, 'witness', fail));

for (const size of SIZES.length > 0 ? SIZES : [100, 1_000, 10_000]) {
  const name = `${size.toLocaleString('en-US')} publications`;
  const registry = join(folder, String(size));
  await publish(registry, { change: 0 });
  await lengthen(registry, size);
  await publish(registry, { change: 1 });
  await cosign(registry);

  const files = filesBelow(join(registry, 'dist/log'));
  const bytes = files.reduce((sum, path) => sum + statSync(join(registry, 'dist/log', path)).size, 0);
  console.log(`the log on the disk, ${name}: ${files.length} files, ${bytes} bytes`);
  record({ name: `kilobytes of the log for each publication, ${name}`, ratio: round(bytes / size / 1000) });

  const without = join(folder, `${size}-without`);
  await publish(without, { change: 0, isLogged: false });
  let change = 2;
  await compare(
    `time of a publication, ${name}, to one without a log`,
    () => publish(registry, { change: change++ }),
    () => publish(without, { change: change++, isLogged: false }),
    15,
  );

  const host = await serveFolder(join(registry, 'dist'));
  const mirror = {
    source: host.base,
    folder: join(registry, 'mirror'),
    trust: pinnedKey(root.signer.rootKey),
    maxAgeDays: 30,
    env: process.env,
  };
  await mirrorOnce(mirror);
  await publish(registry, { change: change++ });
  host.served();
  await mirrorOnce(mirror);
  const fetched = host.served();
  console.log(
    `a mirror after one publication, ${name}: ${fetched.requests} requests, ${fetched.bytes} bytes`,
  );
  record({
    name: `kilobytes of a mirror after one publication, ${name}`,
    ratio: round(fetched.bytes / 1000),
  });

  await cosign(registry);
  const settings = {
    sources: [host.base],
    trustAnchor: { root: root.signer.rootKey.jwk, log: ORIGIN, witnesses: vkeys, quorum: 2 },
    maxAge: 1e12,
  };
  const recordRequests = async (what, work) => {
    host.served();
    await work();
    const { requests, paths } = host.served();
    console.log(`${what}, log with a quorum, ${name}: ${requests} requests: ${paths.join(' ')}`);
    record({ name: `requests of ${what}, log with a quorum, ${name}`, ratio: requests });
  };
  const client = createRegistryClient({ ...settings, refreshInterval: 1e6 });
  await recordRequests('a first load', () => client.ready());
  await recordRequests('a refresh', () => client.refresh());
  client.close();
  const lookup = createIssuerLookup(settings);
  await recordRequests('a look-up without the list', () => lookup.resolve('issuer-0'));
  lookup.close();
  const proof = statSync(join(registry, 'dist/log/publication.tlog-proof')).size;
  record({
    name: `kilobytes of the proof that a list is logged, three witnesses, ${name}`,
    ratio: round(proof / 1000),
  });
  host.close();
  rmSync(registry, { recursive: true });
}

function round(value) {
  return Number(value.toFixed(2));
}

/** Publishes a list of six issuers, of which one has changed. */
async function publish(registry, { change, isLogged = true }) {
  mkdirSync(join(registry, 'issuers'), { recursive: true });
  for (let index = 0; index < 6; index++) {
    const id = `issuer-${index}`;
    writeFileSync(
      join(registry, `issuers/${id}.yaml`),
      `issuer_id: ${id}
tier: certified
status: active
jwks_uri: https://${id}.alt/jwks
discovery_uri: https://${id}.alt/metadata
policy_uri: https://${id}.alt/policy/${index === 0 ? change : 0}
certified_since: 2026-01-01T00:00:00Z
`,
    );
  }
  return build({
    issuers: join(registry, 'issuers'),
    out: join(registry, 'dist'),
    signer: { key: root.file, production: true, directory: folder },
    ...(isLogged && {
      log: { origin: ORIGIN, signer: log.signer, keepBytes: 2 ** 20, witnesses: [], quorum: 0, waitMs: 0 },
    }),
  });
}

/**
 * Makes the log of a registry as long as after many publications. Each has the proof of its own head, as after a build. The
 * published statement is signed again, so that it follows them, and becomes the last entry.
 */
async function lengthen(registry, size) {
  const dist = join(registry, 'dist');
  const published = readFileSync(join(dist, 'publication.jwt'), 'utf8');
  const list = readFileSync(join(dist, 'issuers.json'));
  const claims = JSON.parse(Buffer.from(published.split('.')[1], 'base64url'));
  const lists = join(dist, 'log/lists');
  const put = (path, bytes) => {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), bytes);
  };
  rmSync(join(dist, 'log'), { recursive: true });
  mkdirSync(lists, { recursive: true });
  const entries = [];
  let previous;
  let statement = published;
  for (let index = 0; index < size; index++) {
    const isLast = index === size - 1;
    const at = Date.parse('2026-01-01T00:00:00Z') / 1000 + index;
    const updated_at = isLast ? claims.updated_at : new Date(at * 1000).toISOString().replace('.000', '');
    const content = isLast ? list : Buffer.from(list.toString().replace(claims.updated_at, updated_at));
    const hash = sha256(content);
    const said = {
      ...claims,
      iat: at,
      sequence: index + 1,
      updated_at,
      sha256: hash,
      ...(previous && { previous }),
    };
    statement = await signStatement(root.signer, 'registry-publication+jwt', said);
    put(`log/lists/${hash}.json`, content);
    put(`log/statements/${index}.jwt`, statement);
    previous = sha256(statement);
    entries.push(
      entryBytes({ list: hash, sequence: index + 1, sha256: previous, type: 'publication', updated_at }),
    );
  }
  put('publication.jwt', statement);
  put(`snapshots/${sha256(list)}/publication.jwt`, statement);
  const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8');
  put('SHA256SUMS', sums.replaceAll(sha256(published), previous));
  const { files } = appendEntries(EMPTY_LOG, entries);
  for (const [path, bytes] of files) put(path, bytes);
  const hashes = hashesFromTiles(
    size,
    tileReader(async (path) => files.get(path)),
  );
  let head;
  for (let index = 0; index < size; index++) {
    const root = await rangeRoot(0, index + 1, hashes);
    head = await signHead({ origin: ORIGIN, size: index + 1, root }, log.signer);
    const path = await inclusionProof(index, index + 1, hashes);
    const proof = formatLogProof({ index, path, head });
    for (const which of ['first', 'last']) put(`log/proofs/${index}/${which}.tlog-proof`, proof);
  }
  await prove(dist, head, { index: size - 1, statement, cosignatures: [] });
}

async function prove(dist, head, { index, statement, cosignatures }) {
  const choice = { witnesses: noteKeys.map((key) => ({ key })), quorum: 0 };
  const { sha256, sequence, updated_at } = JSON.parse(Buffer.from(statement.split('.')[1], 'base64url'));
  const logged = { sha256, sequence, updatedAt: updated_at, text: statement };
  const { files } = await proveLogged(
    { head, index },
    { folder: dist, statement: logged, cosignatures, choice },
  );
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), bytes);
  }
  const read = (path) => (existsSync(join(dist, path)) ? readFileSync(join(dist, path)) : undefined);
  writeFileSync(join(dist, 'statements.json'), statementsFile(read));
}

/** Lets all witnesses cosign the head of the log. */
async function cosign(registry) {
  const dist = join(registry, 'dist');
  const head = readLogHead((path) => readFileSync(join(dist, path)));
  const statement = readFileSync(join(dist, 'publication.jwt'), 'utf8');
  const seconds = Math.floor(Date.now() / 1000);
  const cosignatures = witnesses.map(({ key }, index) => ({
    name: noteKeys[index].name,
    keyId: noteKeys[index].keyId,
    signature: encodeCosignature(
      seconds,
      sign(null, Buffer.from(cosignedText(formatHead(head), seconds)), key),
    ),
  }));
  await prove(dist, head, { index: head.size - 1, statement, cosignatures });
}
