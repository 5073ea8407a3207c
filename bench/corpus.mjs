// The records of all benchmarks: the same for the same count, and each with all fields.

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import { canonicalBytes, encodeSignature, statementHash } from '@passport-registry/verifier/core';
import { CLI, node, temporaryFolder } from './compare.mjs';

/** Picks one of the values. The choice looks random, but is the same for the same seed. */
const pick = (values, seed) => values[(Math.imul(seed + 1, 2654435761) >>> 16) % values.length];

const PLACES = [['NO', 'SE'], ['US-CA'], ['global'], ['DE', 'AT', 'CH'], ['GB'], ['JP', 'KR']];
const DOMAINS = [['banking', 'payments'], ['health'], ['travel', 'hospitality'], ['research'], ['logistics']];

/** A different host for each issuer. A hash, because a number would compress too well. */
const hostOf = (index) =>
  `${createHash('sha256')
    .update(String(index))
    .digest('base64url')
    .replace(/[^a-zA-Z0-9]/g, '')
    .slice(0, 12)
    .toLowerCase()}.internal`;

/** Creates issuers with all fields, without a warning. */
export function issuers(count) {
  return Array.from({ length: count }, (_one, index) => {
    const host = hostOf(index);
    return {
      certified_since: `2025-${String((index % 12) + 1).padStart(2, '0')}-15T09:00:00Z`,
      contact: `passports@${host}`,
      discovery_uri: `https://${host}/.well-known/openid-configuration`,
      domain_scope: pick(DOMAINS, index),
      geographical_scope: pick(PLACES, index * 3),
      issuer_id: `issuer-${String(index).padStart(6, '0')}`,
      jwks_uri: `https://${host}/.well-known/jwks.json`,
      last_audit: '2026-06-30T00:00:00Z',
      passport_types: ['ai-assistant', 'service-agent'],
      policy_uri: `https://${host}/agents/policy`,
      status: pick(['active', 'active', 'active', 'active', 'suspended', 'revoked'], index * 7),
      tier: pick(['founding', 'certified', 'certified', 'registered'], index * 5),
    };
  });
}

/** A record as people write it: with a comment, unquoted strings and lists in brackets. */
export function recordText(record) {
  const text = (value) => (Array.isArray(value) ? `[${value.join(', ')}]` : value);
  const lines = Object.entries(record).map(([field, value]) => `${field}: ${text(value)}\n`);
  return `# yaml-language-server: $schema=../schemas/issuer.schema.json\n${lines.join('')}`;
}

/** Makes a folder with records and a root key. */
export function makeWorkspace(records) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'issuers'));
  for (const record of records)
    writeFileSync(join(folder, 'issuers', `${record.issuer_id}.yaml`), recordText(record));
  node(folder, CLI, 'keys', 'generate', '--no-passphrase', '--private', 'root.pem');
  return folder;
}

export const BUILD = [CLI, 'build', '--key', 'root.pem', '--allow-example-names'];

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** A signed list of records with its root key, and with the statements of a client, whose tree of sums is none. */
export async function signedList(records) {
  const rootKey = await importRootKey(publicKey.export({ format: 'jwk' }));
  const bytes = canonicalBytes({ issuers: records, updated_at: '2026-11-21T08:00:00Z' });
  const signature = encodeSignature(sign(null, bytes, privateKey));
  const jwt = (typ, claims) => {
    const encoded = (part) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const input = `${encoded({ alg: 'EdDSA', kid: rootKey.thumbprint, typ })}.${encoded(claims)}`;
    return `${input}.${encodeSignature(sign(null, Buffer.from(input), privateKey))}`;
  };
  const [iat, none] = [1795248000, '0'.repeat(64)];
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const publication = jwt('registry-publication+jwt', {
    ...{ iat, sequence: 1, updated_at: '2026-11-21T08:00:00Z', sha256, size: bytes.length },
    ...{ issuers: records.length, sums_sha256: none, levels: 0 },
  });
  const checkpoint = jwt('registry-checkpoint+jwt', {
    ...{ iat, exp: iat + 86_400, publication: statementHash(publication), tree_sha256: none },
  });
  const statements = new TextEncoder().encode(JSON.stringify({ publication, checkpoint }));
  const contents = { 'issuers.json': bytes, 'statements.json': statements };
  return { rootKey, bytes, signature, files: { get: async (path) => contents[path] } };
}
