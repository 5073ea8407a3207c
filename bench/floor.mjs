// The floor of a build, which does the least possible work: reads all files, parses each with `yaml`, canonicalises the
// list, hashes, signs, and writes all files.
// Usage: node bench/floor.mjs ISSUERS OUT

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { parse } from 'yaml';

const [issuers, out] = process.argv.slice(2);
const records = readdirSync(issuers).map((name) => parse(readFileSync(join(issuers, name), 'utf8')));
const list = Buffer.from(canonicalize({ issuers: records, updated_at: '2026-11-21T08:00:00Z' }));
const hash = createHash('sha256').update(list).digest('hex');
const { privateKey } = generateKeyPairSync('ed25519');
mkdirSync(join(out, 'issuers'), { recursive: true });
for (const record of records) writeFileSync(join(out, 'issuers', record.issuer_id), JSON.stringify(record));
writeFileSync(join(out, 'issuers.json'), list);
writeFileSync(join(out, 'issuers.sig'), sign(null, list, privateKey).toString('base64url'));
writeFileSync(join(out, 'sha256'), hash);
