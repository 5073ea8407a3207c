// An issuer, an agent and its passports, for the benchmarks that verify actions.

import { publicJwk, signAction } from '@passport-registry/passports/agent';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { CompactSign } from 'jose';
import { NOW } from './compare.mjs';
import { issuers } from './corpus.mjs';

/** How the two kinds of keys are named: to generate one, to verify with one, and in a JWS. */
export const KINDS = {
  Ed25519: { generate: 'Ed25519', verify: 'Ed25519', alg: 'EdDSA' },
  'P-256': {
    generate: { name: 'ECDSA', namedCurve: 'P-256' },
    verify: { name: 'ECDSA', hash: 'SHA-256' },
    alg: 'ES256',
  },
};

/** Not a `.internal` host as in the corpus, because the verifier does not contact hosts that cannot be public. */
export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'https://mail.example';
export const ACTION = 'email.send';
export const PAYLOAD = { to: 'you@example.com', subject: 'Hello', body: 'A few words.' };
export const POLICY = { tiers: ['certified'], domains: ['banking'] };

export const RECORD = {
  ...issuers(1)[0],
  status: 'active',
  tier: 'certified',
  domain_scope: ['banking'],
  discovery_uri: `${ISSUER}/.well-known/openid-configuration`,
  jwks_uri: `${ISSUER}/.well-known/jwks.json`,
};

/** Makes an issuer and an agent. Returns their public keys, the documents that the issuer serves, and what they sign. */
export async function makePassports(kind = 'Ed25519') {
  const { generate, alg } = KINDS[kind];
  const [issuer, agent] = await Promise.all(
    [1, 2].map(() => crypto.subtle.generateKey(generate, false, ['sign', 'verify'])),
  );
  const { issuer_id, discovery_uri, jwks_uri } = RECORD;
  const id = crypto.randomUUID();
  const claims = {
    iss: ISSUER,
    sub: `did:passport:${id}`,
    jti: id,
    iat: NOW,
    exp: NOW + 3600,
    issuer_id,
    realm_id: 'bench',
    principal_id: 'principal',
    agent_type: 'service-agent',
    capabilities: ['email'],
    revocation_nonce: 0,
    cnf: { jwk: await publicJwk(agent) },
    mandate: {
      mandate_id: 'm',
      scope: ['email.*'],
      issued_at: '2026-01-01T00:00:00Z',
      expires_at: '2036-01-01T00:00:00Z',
    },
  };
  const status = { passport_id: id, passport_did: claims.sub, issuer_id, status: 'active' };
  return {
    publicKeys: [issuer.publicKey, agent.publicKey],
    documents: {
      [discovery_uri]: { issuer: ISSUER, issuer_id, jwks_uri },
      [jwks_uri]: { keys: [{ ...(await publicJwk(issuer)), kid: 'k', use: 'sig' }] },
      [`${ISSUER}/v1/passports/${claims.sub}`]: { ...status, revocation_nonce: 0 },
    },
    /** Issues the passport, or the same passport with some other claims. */
    token: (changed = {}) =>
      new CompactSign(canonicalBytes({ ...claims, ...changed }))
        .setProtectedHeader({ alg, typ: 'passport+jwt', kid: 'k' })
        .sign(issuer.privateKey),
    proof: (token, options) =>
      signAction({ token, keys: agent, audience: AUDIENCE, action: ACTION, payload: PAYLOAD, ...options }),
  };
}
