// The bytes of the list that a client without a list downloads, compared with the uncompressed list. Sizes do not vary,
// so each is measured once. For updates and for look-ups, see follow.mjs and lookup.mjs.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { record } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
const FORMS = { gzip: (bytes) => gzipSync(bytes), brotli };

for (const size of [1_000, 10_000, 100_000]) {
  const { bytes } = await signedList(issuers(size));
  for (const [form, packed] of Object.entries(FORMS)) {
    const sentBytes = packed(bytes).length;
    const name = `bytes for a client without a list, ${form}, ${size.toLocaleString('en-US')} records, to the list as it stands`;
    const ratio = Number((sentBytes / bytes.length).toPrecision(2));
    console.log(`${name}: ${ratio}, ${sentBytes.toLocaleString('en-US')} bytes`);
    record({ name, ratio });
  }
}
