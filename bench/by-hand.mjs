// The checks of `verifyAction` as a careful person would write them with `jose`: both signatures of each request, what is
// needed from the issuer once an hour, and the keys of holders in a Map.

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { createLocalJWKSet, importJWK, jwtVerify } from 'jose';
import { ACTION, AUDIENCE, POLICY, RECORD } from './passports.mjs';

const HOUR_MS = 3_600_000;
const sha256 = (value, encoding) => createHash('sha256').update(value).digest(encoding);

function demand(holds, message) {
  if (!holds) throw new Error(message);
}

/** Returns a function that remembers for an hour what another function makes of a key. */
function remembered(make) {
  const held = new Map();
  return (key) => {
    const known = held.get(key);
    if (known !== undefined && known.until > Date.now()) return known.value;
    const value = make(key);
    held.set(key, { value, until: Date.now() + HOUR_MS });
    return value;
  };
}

/** Returns a function that returns passport and payload of a request, or undefined if the request is refused. */
export function checksByHand(fetch) {
  const issuers = new Map([[RECORD.issuer_id, RECORD]]);
  const get = remembered(async (url) => (await fetch(url)).json());
  const keySetOf = remembered(async (url) => createLocalJWKSet(await get(url)));
  const holderOf = remembered((text) => importJWK(JSON.parse(text)));
  const used = new Map();
  const verify = (token, key, options) =>
    jwtVerify(token, key, { algorithms: ['EdDSA', 'ES256'], clockTolerance: 30, ...options });

  function markAsUsed(id) {
    const now = Date.now();
    demand((used.get(id) ?? 0) <= now, 'the proof has been used before');
    used.set(id, now + 150_000);
    // Ids are added in the order in which they expire.
    for (const [one, expiry] of used) {
      if (expiry > now) break;
      used.delete(one);
    }
  }

  async function check(header, payload) {
    const [token, proof] = [header('authorization')?.replace(/^Bearer +/i, ''), header('action-proof')];
    demand(token && proof, 'the passport or the proof is missing');
    const { issuer_id } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url'));
    const record = issuers.get(issuer_id);
    demand(record?.status === 'active' && POLICY.tiers.includes(record.tier), 'the issuer is not accepted');
    demand(
      POLICY.domains.some((one) => record.domain_scope.includes(one)),
      'not in these domains',
    );
    const { issuer, jwks_uri } = await get(record.discovery_uri);
    const requiredClaims = ['jti', 'sub', 'iat', 'exp', 'cnf', 'principal_id'];
    const options = { typ: 'passport+jwt', issuer, requiredClaims };
    const { payload: passport, protectedHeader } = await verify(token, await keySetOf(jwks_uri), options);
    const status = await get(`${issuer}/v1/passports/${passport.sub}`);
    demand(status.passport_did === passport.sub && status.status === 'active', 'not active');
    demand(status.revocation_nonce === passport.revocation_nonce, 'the passport was revoked');
    const { issued_at, expires_at, scope } = passport.mandate;
    demand(Date.parse(issued_at) <= Date.now() && Date.now() < Date.parse(expires_at), 'the mandate is over');
    const covers = (one) => one === ACTION || (one.endsWith('.*') && ACTION.startsWith(one.slice(0, -1)));
    demand(scope.some(covers), 'the mandate does not cover the action');
    const { payload: claims } = await verify(
      proof,
      await holderOf(JSON.stringify({ ...passport.cnf.jwk, alg: protectedHeader.alg })),
      {
        typ: 'action+jwt',
        audience: AUDIENCE,
        requiredClaims: ['jti', 'iat', 'exp'],
      },
    );
    demand(claims.exp > claims.iat && claims.exp - claims.iat <= 60, 'the proof lives too long');
    demand(claims.passport === passport.jti && claims.ath === sha256(token, 'base64url'), 'another passport');
    demand(claims.action === ACTION, 'the proof is for another action');
    demand(claims.payload_sha256 === sha256(canonicalize(payload), 'hex'), 'another payload');
    markAsUsed(`${passport.issuer_id}:${passport.jti}:${claims.jti}`);
    return { passport, payload };
  }

  return (header, payload) => check(header, payload).catch(() => undefined);
}
