import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPassportVerifier } from '@passport-registry/passports';
import { type AgentKeys, signNonce } from '@passport-registry/passports/agent';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { registryOf } from '../support/passport-world.js';
import { ROOT } from '../support/paths.js';
import { textOf, VECTORS } from '../support/protocol.js';
import { issuer as record } from '../support/publication.js';

const vector = JSON.parse(readFileSync(join(ROOT, 'test/vectors/passport.json'), 'utf8'));
const protocol = textOf(VECTORS);
const { issuer, agent, passport, action, nonce, signed_nonce } = vector;
const text = (value: unknown) => new TextDecoder().decode(canonicalBytes(value));

/** Signs a JWS whose header and claims are in canonical form. */
function signCanonical(header: unknown, claims: unknown, { jwk, d }: { jwk: object; d: string }): string {
  const input = [header, claims]
    .map((part) => Buffer.from(canonicalBytes(part)).toString('base64url'))
    .join('.');
  const key = createPrivateKey({ key: { ...jwk, d } as never, format: 'jwk' });
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

describe('the test vector of a passport', () => {
  it('is the one that docs/protocol/vectors.md shows', () => {
    for (const shown of [
      text(passport.claims),
      passport.token,
      text(action.claims),
      action.proof,
      `${signed_nonce.raw}\n${signed_nonce.jws}`,
    ]) {
      expect(protocol).toContain(`\n${shown}\n`);
    }
    expect(protocol).toContain(`\`${nonce}\``);
    expect(protocol).toContain(`\`${text(action.payload)}\``);
  });

  it('follows from its keys', async () => {
    expect(signCanonical(passport.header, passport.claims, issuer)).toBe(passport.token);
    expect(signCanonical(action.header, action.claims, agent)).toBe(action.proof);
    expect(await calculateJwkThumbprint(issuer.jwk)).toBe(passport.header.kid);
    expect(`sha256:${await calculateJwkThumbprint(agent.jwk)}`).toBe(agent.fingerprint);
  });

  it('verifies at the time of the vector', async () => {
    const url = passport.claims.iss;
    const its = record('aurora-bank', { discovery_uri: `${url}/metadata`, jwks_uri: `${url}/jwks.json` });
    const documents: Record<string, unknown> = {
      [its.discovery_uri]: { issuer: url, issuer_id: its.issuer_id, jwks_uri: its.jwks_uri },
      [its.jwks_uri]: { keys: [issuer.jwk] },
      [`${url}/v1/passports/${passport.claims.sub}`]: {
        passport_id: passport.claims.jti,
        passport_did: passport.claims.sub,
        issuer_id: its.issuer_id,
        status: 'active',
        revocation_nonce: 0,
      },
    };
    const verifier = createPassportVerifier({
      registry: await registryOf([{ record: its } as never]),
      policy: { tiers: ['certified'] },
      audience: action.claims.aud,
      now: () => Date.parse(action.verified_at),
      fetch: async (address) => Response.json(documents[String(address)]),
    });
    const request = { token: passport.token, proof: action.proof, payload: action.payload };
    const { reasons } = await verifier.verifyAction({ ...request, action: action.claims.action });
    expect(reasons[0]?.code).toBe('verified');
  });

  it('has the signature of the nonce that the library creates', async () => {
    const keys: AgentKeys = {
      privateKey: await crypto.subtle.importKey('jwk', { ...agent.jwk, d: agent.d }, 'Ed25519', false, [
        'sign',
      ]),
      publicKey: await crypto.subtle.importKey('jwk', agent.jwk, 'Ed25519', true, ['verify']),
    };
    expect(await signNonce('https://aurora-bank.example', nonce, keys, { form: 'raw' })).toBe(
      signed_nonce.raw,
    );
    const header = { alg: 'EdDSA', jwk: agent.jwk, typ: 'passport-nonce+jwt' };
    const claims = { aud: 'https://aurora-bank.example', iat: passport.claims.iat, nonce };
    expect(signCanonical(header, claims, agent)).toBe(signed_nonce.jws);
  });
});
