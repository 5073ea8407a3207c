// The bytes that a verifier downloads: the whole list for a new client, and an update of one record for a client that
// has the previous list. Compared with the uncompressed list. Sizes do not vary, so each is measured once.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { canonicalBytes, sha256Hex } from '@passport-registry/verifier';
import { record } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
const FORMS = { raw: (bytes) => bytes, gzip: (bytes) => gzipSync(bytes), brotli };

for (const size of [1_000, 10_000, 100_000]) {
  const records = issuers(size);
  const { bytes } = await signedList(records);
  const [first, ...others] = records;
  const other = { ...first, status: 'suspended' };
  const { bytes: changed, signature } = await signedList([other, ...others]);
  const [from, to] = await Promise.all([bytes, changed].map(sha256Hex));
  const updated_at = '2026-11-21T08:01:00Z';
  const delta = canonicalBytes({ from, to, updated_at, issuers: [other], removed: [] });
  for (const [form, packed] of Object.entries(FORMS)) {
    for (const [content, sentBytes] of [
      ['a client without a list', packed(bytes).length],
      ['one changed record, as a list', packed(changed).length],
      ['one changed record, as a delta with the new signature', packed(delta).length + signature.length],
    ]) {
      const name = `bytes for ${content}, ${form}, ${size.toLocaleString('en-US')} records, to the list as it stands`;
      const ratio = Number((sentBytes / bytes.length).toPrecision(2));
      console.log(`${name}: ${ratio}, ${sentBytes.toLocaleString('en-US')} bytes`);
      record({ name, ratio });
    }
  }
}
