// What loading a list costs a verifier: verify, check, index. Compared in one run with the floor that nobody can go
// below: one SHA-256, one signature verification and one JSON.parse of the same bytes.

import { generateKeyPairSync, sign } from 'node:crypto';
import {
  canonicalBytes,
  encodeSignature,
  importRootKey,
  openRegistry,
  sha256Hex,
  verifySignature,
} from '@passport-registry/verifier';
import { compare } from './compare.mjs';
import { issuers } from './corpus.mjs';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const rootKey = await importRootKey(publicKey.export({ format: 'jwk' }));

for (const size of [1_000, 10_000, 100_000]) {
  const bytes = canonicalBytes({ issuers: issuers(size), updated_at: '2026-11-21T08:00:00Z' });
  const signature = encodeSignature(sign(null, bytes, privateKey));
  const files = new Map([
    ['issuers.json', bytes],
    ['issuers.sig', new TextEncoder().encode(signature)],
  ]);
  const floor = async () => {
    await sha256Hex(bytes);
    await verifySignature(bytes, signature, rootKey);
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const load = () =>
    openRegistry(
      { get: async (path) => files.get(path) },
      { rootKey: rootKey.jwk, maxAge: 1e12, now: () => Date.parse('2026-11-21T09:00:00Z') },
    );
  await compare(
    `list load, ${size.toLocaleString('en-US')} issuers, to the floor`,
    load,
    floor,
    size < 10_000 ? 60 : 15,
  );
}
