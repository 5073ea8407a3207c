// How a verifier gets a list. A first load over HTTP, compared with a bare script that fetches the list and its signature and
// verifies the signature, and knows neither statements nor limits nor records. The bytes of a list in memory, compared with
// the least work of any verifier: one hash, one signature and one JSON.parse.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createRegistryClient,
  importRootKey,
  openRegistry,
  sha256Hex,
  verifySignature,
} from '@passport-registry/verifier';
import { compare, count, isQuick, node, start } from './compare.mjs';
import { BUILD, issuers, makeWorkspace, signedList } from './corpus.mjs';

if (process.argv[2] === 'serve') serve(Number(process.argv[3]));
else await measure();

async function measure() {
  const folder = makeWorkspace(issuers(10));
  node(folder, ...BUILD);
  for (const latency of [0, 20]) await firstLoad(join(folder, 'dist'), latency);
  for (const size of isQuick ? [10] : [1_000, 10_000, 100_000]) await listLoad(size);
}

/** Serves this folder from a process of its own. Connections stay open, so a round trip is one latency. */
function serve(latency) {
  const server = createServer(({ url }, response) => {
    const file = `.${url.split('?')[0]}`;
    const answer = () =>
      existsSync(file) ? response.end(readFileSync(file)) : response.writeHead(404).end();
    if (latency === 0) answer();
    else setTimeout(answer, latency);
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
}

async function firstLoad(dist, latency) {
  const base = await start(dist, process.execPath, fileURLToPath(import.meta.url), 'serve', `${latency}`);
  const rootKey = JSON.parse(readFileSync(join(dist, 'keys/root.json'), 'utf8'));
  const client = async () => {
    const registry = createRegistryClient({ sources: [base], rootKey });
    await registry.ready();
    registry.close();
  };
  const get = async (path) => new Uint8Array(await (await fetch(`${base}/${path}`)).arrayBuffer());
  const script = async () => {
    const { cryptoKey } = await importRootKey(rootKey);
    const [list, text] = await Promise.all([get('issuers.json'), get('issuers.sig')]);
    const signature = Buffer.from(new TextDecoder().decode(text), 'base64url');
    if (!(await crypto.subtle.verify('Ed25519', cryptoKey, signature, list))) throw new Error('not signed');
    return new Map(JSON.parse(new TextDecoder().decode(list)).issuers.map((one) => [one.issuer_id, one]));
  };
  const many = (work) => async () => {
    for (let call = 0; call < (latency > 0 || isQuick ? 5 : 50); call++) await work();
  };
  await compare(
    `first load of 10 issuers to a bare script, ${latency} ms latency`,
    many(client),
    many(script),
    15,
  );
}

async function listLoad(size) {
  const { rootKey, bytes, signature, files } = await signedList(issuers(size));
  const floor = async () => {
    await sha256Hex(bytes);
    await verifySignature(bytes, signature, rootKey);
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const load = () => openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
  await compare(`list load, ${count(size)} issuers, to the floor`, load, floor, size < 10_000 ? 60 : 15);
}
