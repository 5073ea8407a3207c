// What a verifier has to be sent: the list for a client that has none, and what one changed record costs one that has the list
// before. Compared with the list as it stands, uncompressed, of the same registry. Bytes need no second run.

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
    for (const [what, sent] of [
      ['a client without a list', packed(bytes).length],
      ['one changed record, as a list', packed(changed).length],
      ['one changed record, as a delta with the new signature', packed(delta).length + signature.length],
    ]) {
      const name = `bytes for ${what}, ${form}, ${size.toLocaleString('en-US')} records, to the list as it stands`;
      const ratio = Number((sent / bytes.length).toPrecision(2));
      console.log(`${name}: ${ratio}, ${sent.toLocaleString('en-US')} bytes`);
      record({ name, ratio });
    }
  }
}
