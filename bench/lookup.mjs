// What it takes to trust one issuer without the list: requests and bytes of a cold look-up, and its processor time.
// Compared with a bare program that sends the same requests, verifies the one signature, hashes each file once, and
// parses the record. The server is another process. The largest registries have no list, because nothing reads it.
// Usage: node bench/lookup.mjs [issuers ...]

import { createIssuerLookup, importRootKey } from '@passport-registry/verifier';
import { comparePairs, record } from './compare.mjs';
import { issuers } from './corpus.mjs';
import { startTreeServer } from './synthetic-tree.mjs';

const LOOKUPS = 200;
const ROUNDS = 5;

const sizes = process.argv.slice(2).map(Number);
for (const size of sizes.length > 0 ? sizes : [1_000, 1_024, 10_000, 100_000, 262_144, 1_000_000]) {
  const server = await startTreeServer(size, { withList: size <= 100_000 });
  const { base, jwk } = server;
  const ids = issuers(size).map(({ issuer_id }) => issuer_id);
  const idAt = (index) => ids[(index * 7919) % ids.length];
  const lookUp = async (id) => {
    const lookup = createIssuerLookup({ sources: [base], rootKey: jwk, maxAge: 1e12 });
    const issuer = await lookup.resolve(id);
    lookup.close();
    return issuer;
  };

  const bytes = [];
  let last;
  for (let index = 0; index < 50; index++) {
    await server.served();
    if ((await lookUp(idAt(index)))?.issuer_id !== idAt(index))
      throw new Error(`${idAt(index)} was not found`);
    last = await server.served();
    bytes.push(last.bytes);
  }
  bytes.sort((a, b) => a - b);
  const name = `${size.toLocaleString('en-US')} issuers`;
  const median = bytes[Math.floor(bytes.length / 2)];
  const largest = bytes.at(-1);
  console.log(
    `one issuer, cold, ${name}: ${median} bytes, at most ${largest}, ${last.requests} requests: ${last.paths.join(' ')}`,
  );
  record({
    name: `kilobytes of a cold look-up, ${name}`,
    ratio: Number((median / 1000).toFixed(2)),
    low: bytes[0] / 1000,
    high: largest / 1000,
  });

  const bare = await bareProof(base, jwk, last.paths);
  const rounds = async (work) => {
    globalThis.gc?.();
    const before = process.cpuUsage();
    for (let index = 0; index < LOOKUPS; index++) await work(index);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const id = last.paths.at(-1).slice('issuers/'.length);
  await rounds(() => lookUp(id));
  await rounds(bare);
  const pairs = [];
  for (let round = 0; round < ROUNDS; round++)
    pairs.push([await rounds(() => lookUp(id)), await rounds(bare)]);
  comparePairs(`processor time of a cold look-up, ${name}, to the bare proof`, pairs, 'µs');
  server.close();
}

/** The least work of any program with the same proof: the same requests, one signature, one hash a file. */
async function bareProof(base, jwk, paths) {
  const { cryptoKey } = await importRootKey(jwk);
  const first = paths.filter((path) => !/^(?:sums\/[0-9a-f]+|issuers\/)/.test(path));
  const second = paths.filter((path) => !first.includes(path));
  const get = async (path) => {
    const response = await fetch(`${base}/${path}`);
    const body = new Uint8Array(await response.arrayBuffer());
    if (response.status === 200) await crypto.subtle.digest('SHA-256', body);
    return response.status === 200 ? body : undefined;
  };
  return async () => {
    const files = await Promise.all(first.map(get));
    const statements = new TextDecoder().decode(files[first.indexOf('statements.json')]);
    const text = JSON.parse(statements)['publication.jwt'];
    const at = text.lastIndexOf('.');
    const signature = Buffer.from(text.slice(at + 1), 'base64url');
    const isValid = await crypto.subtle.verify(
      'Ed25519',
      cryptoKey,
      signature,
      Buffer.from(text.slice(0, at)),
    );
    if (!isValid) throw new Error('the signature is not valid');
    const rest = await Promise.all(second.map(get));
    return JSON.parse(new TextDecoder().decode(rest.at(-1)));
  };
}
