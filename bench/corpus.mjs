import { generateKeyPairSync, sign } from 'node:crypto';
import { canonicalBytes, encodeSignature, importRootKey } from '@passport-registry/verifier';

/** So many issuers with every field filled in; the same ones each time. */
export function issuers(count) {
  return Array.from({ length: count }, (_one, index) => {
    const id = `issuer-${String(index).padStart(6, '0')}`;
    return {
      certified_since: '2026-01-15T09:00:00Z',
      contact: `passports@${id}.example`,
      discovery_uri: `https://${id}.example/.well-known/openid-configuration`,
      domain_scope: ['banking', 'payments'],
      geographical_scope: ['NO', 'SE'],
      issuer_id: id,
      jwks_uri: `https://${id}.example/.well-known/jwks.json`,
      last_audit: '2026-06-30T00:00:00Z',
      passport_types: ['ai-assistant', 'service-agent'],
      policy_uri: `https://${id}.example/agents/policy`,
      status: 'active',
      tier: 'certified',
    };
  });
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** A signed list of some records, with the root key, as the files of a registry. */
export async function signedList(records) {
  const rootKey = await importRootKey(publicKey.export({ format: 'jwk' }));
  const bytes = canonicalBytes({ issuers: records, updated_at: '2026-11-21T08:00:00Z' });
  const signature = encodeSignature(sign(null, bytes, privateKey));
  const contents = { 'issuers.json': bytes, 'issuers.sig': new TextEncoder().encode(signature) };
  return { rootKey, bytes, signature, files: { get: async (path) => contents[path] } };
}
