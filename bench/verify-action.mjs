// The throughput of a warm verifyAction: two signatures, and all other checks of a passport and an action. Compared
// with two bare WebCrypto verifications of the same signatures and bytes, both sequentially and concurrently. A verifier
// verifies the signature of a token that it knows only once, so both kinds of requests are measured.

import { createPassportVerifier, memoryReplayStore, openRegistry } from '@passport-registry/verifier';
import { publicJwk, signAction } from '@passport-registry/verifier/agent';
import { canonicalBytes } from '@passport-registry/verifier/core';
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

/** Not a `.alt` host as in the corpus, because the verifier does not contact hosts that cannot be public. */
const issuer = 'https://issuer.example';
const record = {
  ...issuers(1)[0],
  status: 'active',
  tier: 'certified',
  domain_scope: ['banking'],
  discovery_uri: `${issuer}/.well-known/openid-configuration`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
};
const { rootKey, files } = await signedList([record]);
const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
const audience = 'https://mail.example';
const payload = { to: 'you@example.com', subject: 'Hello', body: 'A few words.' };
const seconds = Math.floor(Date.now() / 1000);
/** A stopped clock for verifier and agent, so that one proof stays valid for the whole run. */
const now = () => seconds * 1000;
const memory = memoryReplayStore();
let uses = 0;
/** Per measurement. Garbage is not collected between calls, because that would also discard compiled code. */
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
  const tokenWith = (changed) =>
    new CompactSign(canonicalBytes({ ...claims, ...changed }))
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
    // The same proof is used for every call, so the key of each call is made unique before the real store sees it.
    replayStore: { claim: (key, lifetime) => memory.claim(`${key}${uses++}`, lifetime) },
    now,
    fetch: async (url) => Response.json(documents[url]),
  });
  const requestWith = async (changed) => {
    const token = await tokenWith(changed);
    const proof = await signAction({ token, keys: agentKeys, audience, action: 'email.send', payload, now });
    const signatures = [
      [issuerKeys.publicKey, token],
      [agentKeys.publicKey, proof],
    ].map(([key, jws]) => {
      const at = jws.lastIndexOf('.');
      return [key, base64url.decode(jws.slice(at + 1)), new TextEncoder().encode(jws.slice(0, at))];
    });
    return { request: { token, action: 'email.send', payload, proof }, signatures };
  };
  const TOKENS = {
    'the same token': [await requestWith({})],
    // More than the verifier remembers, so each is new to it when its turn comes again.
    'a new token each time': await Promise.all(
      Array.from({ length: 4000 }, (_one, at) => requestWith({ exp: seconds + 3600 + at })),
    ),
  };
  const sequentially = (work) => async () => {
    for (let call = 0; call < CALLS; call++) await work();
  };
  const concurrently = (work) => async () => {
    for (let batch = 0; batch < CALLS / 100; batch++) await Promise.all(Array.from({ length: 100 }, work));
  };
  for (const [which, requests] of Object.entries(TOKENS)) {
    const nextOf = () => {
      let turn = 0;
      return () => requests[turn++ % requests.length];
    };
    const [nextFull, nextBare] = [nextOf(), nextOf()];
    const full = async () => {
      const { allowed, reasons } = await verifier.verifyAction(nextFull().request);
      if (!allowed) throw new Error(reasons[0].code);
    };
    const bare = async () => {
      for (const [key, signature, bytes] of nextBare().signatures) {
        if (!(await crypto.subtle.verify(verify, key, signature, bytes)))
          throw new Error('invalid signature');
      }
    };
    // Warms up the just-in-time compiler.
    for (let call = 0; call < 5000; call++) await full();
    for (const [manner, many] of [
      ['one after the other', sequentially],
      ['100 at once', concurrently],
    ]) {
      const name = `throughput of verifyAction to that of two bare verifications, ${kind}, ${which}, ${manner}`;
      // The ratio of throughputs is the inverse of the ratio of times, so the bare verifications come first.
      await compare(name, many(bare), many(full), 11);
    }
  }
}
