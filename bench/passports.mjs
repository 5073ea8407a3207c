// Issuers, agents and their passports, for the benchmarks that verify passports and actions.

import { publicJwk, signAction } from '@passport-registry/verifier/agent';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { CompactSign } from 'jose';
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

/** Not a `.alt` host as in the corpus, because the verifier does not contact hosts that cannot be public. */
const ISSUER = 'https://issuer.example';

export const AUDIENCE = 'https://mail.example';
export const ACTION = 'email.send';
export const PAYLOAD = { to: 'you@example.com', subject: 'Hello', body: 'A few words.' };
export const POLICY = { tiers: ['certified'], domains: ['banking'] };

/** The record of the issuer. Its id is behind those of the corpus, as the order of a list requires. */
export const ISSUER_RECORD = {
  ...issuers(1)[0],
  issuer_id: 'issuer-of-passports',
  status: 'active',
  tier: 'certified',
  domain_scope: ['banking'],
  discovery_uri: `${ISSUER}/.well-known/openid-configuration`,
  jwks_uri: `${ISSUER}/.well-known/jwks.json`,
};

const newKeys = (kind) => crypto.subtle.generateKey(KINDS[kind].generate, false, ['sign', 'verify']);

/** Makes the keys of an issuer, and its documents that do not concern a single passport. */
export async function makeIssuer(kind) {
  const keys = await newKeys(kind);
  const { discovery_uri, jwks_uri, issuer_id } = ISSUER_RECORD;
  const documents = {
    [discovery_uri]: { issuer: ISSUER, issuer_id, jwks_uri },
    [jwks_uri]: { keys: [{ ...(await publicJwk(keys)), kid: 'k', use: 'sig' }] },
  };
  return { kind, keys, documents };
}

/**
 * Makes an agent with a passport. Its status is a document of the issuer from now on.
 *
 * @param seconds - when the passport was issued, in seconds since 1970
 */
export async function makeAgent({ kind, keys: issuerKeys, documents }, seconds) {
  const keys = await newKeys(kind);
  const id = crypto.randomUUID();
  const { issuer_id } = ISSUER_RECORD;
  const claims = {
    iss: ISSUER,
    sub: `did:passport:${id}`,
    jti: id,
    iat: seconds,
    exp: seconds + 3600,
    issuer_id,
    realm_id: 'bench',
    principal_id: 'principal',
    agent_type: 'service-agent',
    capabilities: ['email'],
    revocation_nonce: 0,
    cnf: { jwk: await publicJwk(keys) },
    mandate: {
      mandate_id: 'm',
      scope: ['email.*'],
      issued_at: '2026-01-01T00:00:00Z',
      expires_at: '2036-01-01T00:00:00Z',
    },
  };
  documents[`${ISSUER}/v1/passports/${claims.sub}`] = {
    passport_id: id,
    passport_did: claims.sub,
    issuer_id,
    status: 'active',
    revocation_nonce: 0,
  };
  /** Issues the passport, or the same passport with some other claims. */
  const token = (changed = {}) =>
    new CompactSign(canonicalBytes({ ...claims, ...changed }))
      .setProtectedHeader({ alg: KINDS[kind].alg, typ: 'passport+jwt', kid: 'k' })
      .sign(issuerKeys.privateKey);
  const proofFor = (of, options) =>
    signAction({ token: of, keys, audience: AUDIENCE, action: ACTION, payload: PAYLOAD, ...options });
  return { keys, token, proofFor };
}

/** Makes agents, each with the token that it holds. */
export async function makeAgents(count, issuer, seconds) {
  const agents = [];
  for (let made = 0; made < count; made++) {
    const agent = await makeAgent(issuer, seconds);
    agents.push({ ...agent, held: await agent.token() });
  }
  return agents;
}
