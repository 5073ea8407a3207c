// What a warm verifyAction costs: two signatures, and every other check of a passport and an action. Compared in one run
// with two bare verifications by WebCrypto, of the same signatures over the same bytes. One after the other, and many at once.

import {
  canonicalBytes,
  createPassportVerifier,
  memoryReplayStore,
  openRegistry,
  publicJwk,
  signAction,
} from '@passport-registry/verifier';
import { base64url, CompactSign } from 'jose';
import { compare } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';

const KINDS = {
  Ed25519: { generate: 'Ed25519', verify: 'Ed25519', alg: 'EdDSA' },
  'P-256': {
    generate: { name: 'ECDSA', namedCurve: 'P-256' },
    verify: { name: 'ECDSA', hash: 'SHA-256' },
    alg: 'ES256',
  },
};

const record = { ...issuers(1)[0], status: 'active', tier: 'certified', domain_scope: ['banking'] };
const { rootKey, files } = await signedList([record]);
const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
const issuer = new URL(record.discovery_uri).origin;
const audience = 'https://mail.example';
const payload = { to: 'you@example.com', subject: 'Hello', body: 'A few words.' };
const seconds = Math.floor(Date.now() / 1000);
/** It stands still, for verifier and agent alike, so that one proof lasts as long as this takes. */
const now = () => seconds * 1000;
const memory = memoryReplayStore();
let uses = 0;
/** In a sample. Without forced collections of garbage, which would also forget what the compiler has learned. */
const CALLS = 2000;

for (const [kind, { generate, verify, alg }] of Object.entries(KINDS)) {
  const issuerKeys = await crypto.subtle.generateKey(generate, false, ['sign', 'verify']);
  const agentKeys = await crypto.subtle.generateKey(generate, false, ['sign', 'verify']);
  const id = crypto.randomUUID();
  const claims = {
    iss: issuer,
    sub: `did:passport:${id}`,
    jti: id,
    iat: seconds,
    exp: seconds + 3600,
    issuer_id: record.issuer_id,
    realm_id: 'bench',
    principal_id: 'principal',
    agent_type: 'service-agent',
    capabilities: ['email'],
    revocation_nonce: 0,
    cnf: { jwk: await publicJwk(agentKeys) },
    mandate: {
      mandate_id: 'm',
      scope: ['email.*'],
      issued_at: '2026-01-01T00:00:00Z',
      expires_at: '2036-01-01T00:00:00Z',
    },
  };
  const token = await new CompactSign(canonicalBytes(claims))
    .setProtectedHeader({ alg, typ: 'passport+jwt', kid: 'k' })
    .sign(issuerKeys.privateKey);
  const documents = {
    [record.discovery_uri]: { issuer, issuer_id: record.issuer_id, jwks_uri: record.jwks_uri },
    [record.jwks_uri]: { keys: [{ ...(await publicJwk(issuerKeys)), kid: 'k', use: 'sig' }] },
    [`${issuer}/v1/passports/${claims.sub}`]: {
      passport_id: id,
      passport_did: claims.sub,
      issuer_id: record.issuer_id,
      status: 'active',
      revocation_nonce: 0,
    },
  };
  const verifier = createPassportVerifier({
    registry,
    policy: { tiers: ['certified'], domains: ['banking'] },
    audience,
    statusMaxAge: 3600,
    // One proof is used over and over here, so each use gets a name of its own in the real store.
    replayStore: { claim: (key, lifetime) => memory.claim(`${key}${uses++}`, lifetime) },
    now,
    fetch: async (url) => Response.json(documents[url]),
  });
  const proof = await signAction({ token, keys: agentKeys, audience, action: 'email.send', payload, now });
  const request = { token, action: 'email.send', payload, proof };
  const full = async () => {
    const { allowed, reasons } = await verifier.verifyAction(request);
    if (!allowed) throw new Error(reasons[0].code);
  };
  const signatures = [
    [issuerKeys.publicKey, token],
    [agentKeys.publicKey, proof],
  ].map(([key, jws]) => {
    const at = jws.lastIndexOf('.');
    return [key, base64url.decode(jws.slice(at + 1)), new TextEncoder().encode(jws.slice(0, at))];
  });
  const bare = async () => {
    for (const [key, signature, bytes] of signatures) {
      if (!(await crypto.subtle.verify(verify, key, signature, bytes))) throw new Error('bad signature');
    }
  };
  const inTurn = (work) => async () => {
    for (let call = 0; call < CALLS; call++) await work();
  };
  const atOnce = (work) => async () => {
    for (let batch = 0; batch < CALLS / 100; batch++) await Promise.all(Array.from({ length: 100 }, work));
  };
  // Warm: the just-in-time compiler has seen it all.
  for (let call = 0; call < 5000; call++) await full();
  for (const [manner, many] of [
    ['one after the other', inTurn],
    ['100 at once', atOnce],
  ]) {
    const name = `throughput of verifyAction to that of two bare verifications, ${kind}, ${manner}`;
    // The time of the bare ones to that of the full ones is the throughput of the full ones to that of the bare ones.
    await compare(name, many(bare), many(full), 11);
  }
}
