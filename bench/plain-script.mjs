// A build as most people would write it, with the same libraries: one file after another, with fs/promises.
// Usage: node bench/plain-script.mjs ISSUERS OUT

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import canonicalize from 'canonicalize';
import { parse } from 'yaml';

const [issuers, out] = process.argv.slice(2);
const ajv = new Ajv2020();
addFormats.default(ajv);
const validate = ajv.compile(
  JSON.parse(await readFile(new URL('../schemas/issuer.schema.json', import.meta.url), 'utf8')),
);
await mkdir(join(out, 'issuers'), { recursive: true });
const records = [];
for (const name of await readdir(issuers)) {
  const record = parse(await readFile(join(issuers, name), 'utf8'));
  if (!validate(record)) throw new Error(`${name}: ${ajv.errorsText(validate.errors)}`);
  records.push(record);
}
records.sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
const list = canonicalize({ issuers: records, updated_at: '2026-11-21T08:00:00Z' });
const { privateKey } = generateKeyPairSync('ed25519');
await writeFile(join(out, 'issuers.json'), list);
await writeFile(join(out, 'issuers.sig'), sign(null, Buffer.from(list), privateKey).toString('base64url'));
const sums = [`${createHash('sha256').update(list).digest('hex')}  issuers.json`];
for (const record of records) {
  const text = canonicalize(record);
  await writeFile(join(out, 'issuers', record.issuer_id), text);
  sums.push(`${createHash('sha256').update(text).digest('hex')}  issuers/${record.issuer_id}`);
}
await writeFile(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`);
