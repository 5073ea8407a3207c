// The checks of `verifyAction` as a careful person would write them with `jose`: both signatures of each request, what is
// needed from the issuer once an hour, and the keys of holders in a Map.

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { createLocalJWKSet, importJWK, jwtVerify } from 'jose';
import { ACTION, AUDIENCE, POLICY } from './passports.mjs';

const HOUR_MS = 3_600_000;
const ALGORITHMS = ['EdDSA', 'ES256'];
const sha256 = (value, encoding) => createHash('sha256').update(value).digest(encoding);

/** Why a request is refused. */
export class Refused extends Error {}

function demand(holds, message) {
  if (!holds) throw new Refused(message);
}

/** Requests each document once an hour. */
function remembered(fetch) {
  const held = new Map();
  return (url) => {
    const known = held.get(url);
    if (known !== undefined && known.until > Date.now()) return known.document;
    const document = (async () => (await fetch(url)).json())();
    held.set(url, { document, until: Date.now() + HOUR_MS });
    return document;
  };
}

/** Returns a function that returns the principal of an admitted request, or throws {@link Refused}. */
export function checksByHand({ issuers, fetch }) {
  const get = remembered(fetch);
  const keySets = new Map();
  const holders = new Map();
  const used = new Map();

  const keySetOf = async (uri) => {
    const document = await get(uri);
    if (keySets.get(uri)?.document !== document) {
      keySets.set(uri, { document, keys: createLocalJWKSet(document) });
    }
    return keySets.get(uri).keys;
  };

  const holderOf = async ({ cnf: { jwk } }, alg) => {
    const name = `${alg}:${jwk.x}:${jwk.y}`;
    if (!holders.has(name)) holders.set(name, await importJWK(jwk, alg));
    return holders.get(name);
  };

  const verified = async (token, key, options) => {
    try {
      return await jwtVerify(token, key, { algorithms: ALGORITHMS, clockTolerance: 30, ...options });
    } catch (error) {
      throw new Refused(error.message);
    }
  };

  function trustedIssuer(token) {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}');
    const issuer = issuers.get(claims.issuer_id);
    demand(issuer?.status === 'active', 'the issuer is not active');
    demand(POLICY.tiers.includes(issuer.tier), 'the tier of the issuer is not accepted');
    demand(
      POLICY.domains.some((domain) => issuer.domain_scope.includes(domain)),
      'the domains of the issuer are not accepted',
    );
    return issuer;
  }

  async function checkStatus({ sub, iss, revocation_nonce }) {
    const status = await get(`${iss}/v1/passports/${sub}`);
    demand(status.passport_did === sub && status.status === 'active', 'the passport is not active');
    demand(status.revocation_nonce === revocation_nonce, 'the passport was revoked');
  }

  function checkMandate({ mandate, capabilities }) {
    const now = Date.now();
    demand(mandate !== undefined && Array.isArray(capabilities), 'there is no mandate');
    demand(
      Date.parse(mandate.issued_at) <= now && now < Date.parse(mandate.expires_at),
      'the mandate is not valid now',
    );
    const covers = (scope) =>
      scope === ACTION || (scope.endsWith('.*') && ACTION.startsWith(scope.slice(0, -1)));
    demand(mandate.scope.some(covers), 'the mandate does not cover the action');
  }

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

  return async ({ authorization, proof }, payload) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    demand(token !== undefined && proof, 'the passport or the proof is missing');
    const issuer = trustedIssuer(token);
    const metadata = await get(issuer.discovery_uri);
    const { payload: passport, protectedHeader } = await verified(token, await keySetOf(metadata.jwks_uri), {
      typ: 'passport+jwt',
      issuer: metadata.issuer,
      requiredClaims: ['jti', 'sub', 'iat', 'exp', 'cnf', 'principal_id'],
    });
    await checkStatus(passport);
    checkMandate(passport);
    const { payload: claims } = await verified(proof, await holderOf(passport, protectedHeader.alg), {
      typ: 'action+jwt',
      audience: AUDIENCE,
      requiredClaims: ['jti', 'iat', 'exp'],
    });
    demand(claims.exp > claims.iat && claims.exp - claims.iat <= 60, 'the proof lives too long');
    demand(claims.passport === passport.jti, 'the proof is for another passport');
    demand(claims.ath === sha256(token, 'base64url'), 'the proof is for another token');
    demand(claims.action === ACTION, 'the proof is for another action');
    demand(
      claims.payload_sha256 === sha256(canonicalize(payload), 'hex'),
      'the proof is for another payload',
    );
    markAsUsed(`${passport.issuer_id}:${passport.jti}:${claims.jti}`);
    return passport.principal_id;
  };
}
