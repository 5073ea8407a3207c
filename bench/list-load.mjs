// The time in which a verifier loads a list: verification, checks, index. Compared with the least work of any verifier:
// one SHA-256, one signature verification and one JSON.parse of the same bytes.

import { openRegistry, sha256Hex, verifySignature } from '@passport-registry/verifier';
import { compare } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';

for (const size of [1_000, 10_000, 100_000]) {
  const { rootKey, bytes, signature, files } = await signedList(issuers(size));
  const floor = async () => {
    await sha256Hex(bytes);
    await verifySignature(bytes, signature, rootKey);
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const load = () => openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
  const name = `list load, ${size.toLocaleString('en-US')} issuers, to the floor`;
  await compare(name, load, floor, size < 10_000 ? 60 : 15);
}
