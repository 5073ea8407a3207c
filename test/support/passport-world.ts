import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ActionRequest,
  createPassportVerifier,
  type PassportVerifier,
  type PassportVerifierOptions,
} from '@passport-registry/passports';
import { type AgentKeys, publicJwk, signAction } from '@passport-registry/passports/agent';
import { PROOF_HEADER } from '@passport-registry/passports/fetch';
import {
  connectTo,
  type Issuer,
  openRegistry,
  type PublicJwk,
  type Registry,
} from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { CompactSign, calculateJwkThumbprint } from 'jose';
import { issuer, publish, testKey } from './publication.js';
import { listen } from './serving.js';
import { sha256 } from './sha256.js';
import { copyIn } from './sources.js';
import { instant, seconds } from './times.js';

export const AUDIENCE = 'https://mail.example';
export const PAYLOAD = { to: 'you@example.com', subject: 'Hello' };
const DAY = 24 * 60 * 60;

/** A key that signs tokens, with the JWK that its issuer publishes. */
export interface IssuerKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: PublicJwk & { kid: string };
}

export async function issuerKey(type: 'ed25519' | 'p256' = 'ed25519', kid?: string): Promise<IssuerKey> {
  const pair =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = pair.publicKey.export({ format: 'jwk' }) as unknown as PublicJwk;
  const name = kid ?? (await calculateJwkThumbprint(jwk));
  return { kid: name, privateKey: pair.privateKey, jwk: { ...jwk, kid: name } };
}

export function agentKeys(type: 'Ed25519' | 'P-256' = 'Ed25519'): Promise<AgentKeys> {
  const algorithm = type === 'Ed25519' ? 'Ed25519' : { name: 'ECDSA', namedCurve: 'P-256' };
  return crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']) as Promise<AgentKeys>;
}

type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** An issuer on loopback with a URL of its own. Its documents and its behaviour can change while it runs. */
export interface IssuerWorld {
  readonly id: string;
  readonly url: string;
  /** The URL of its server on loopback. */
  readonly address: string;
  readonly key: IssuerKey;
  /** The documents that it serves, by path. */
  readonly documents: Map<string, unknown>;
  /** Handles a request. Returns true if it sent a response. */
  intercept: Intercept;
  /** The paths of all requests. */
  readonly log: string[];
  /** Its record in the registry. */
  readonly record: Issuer;
}

export async function issuerWorld(
  id: string,
  key: IssuerKey,
  more: Partial<Issuer> = {},
): Promise<IssuerWorld> {
  const url = `https://${id}.example`;
  const documents = new Map<string, unknown>();
  const log: string[] = [];
  const world: IssuerWorld = {
    id,
    url,
    key,
    documents,
    log,
    intercept: () => false,
    record: issuer(id, more),
    address: await listen((request, response) => {
      const path = request.url ?? '';
      log.push(path);
      if (world.intercept(request, response)) return;
      const document = documents.get(path);
      if (document === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document));
    }),
  };
  documents.set('/metadata', { issuer: url, issuer_id: id, jwks_uri: `${url}/jwks.json` });
  documents.set('/jwks.json', { keys: [{ ...key.jwk, use: 'sig' }] });
  return world;
}

/** Lets an issuer answer requests whose path contains a text with this status, until the returned function is called. */
export function answering(
  world: IssuerWorld,
  path: string,
  status: number,
  headers: Record<string, string> = {},
): () => void {
  world.intercept = ({ url }, response) => {
    if (url?.includes(path) !== true) return false;
    response.writeHead(status, headers).end();
    return true;
  };
  return () => {
    world.intercept = () => false;
  };
}

/** The claims of a passport, the agent's keys, and the path of its status at the issuer. */
export interface TestPassport {
  readonly claims: Record<string, unknown>;
  readonly keys: AgentKeys;
  readonly did: string;
  readonly statusPath: string;
}

/** Creates a valid passport. The issuer serves its status. */
export async function passportOf(
  world: IssuerWorld,
  keys: AgentKeys,
  more: Record<string, unknown> = {},
): Promise<TestPassport> {
  const id = randomUUID();
  const did = `did:passport:${id}`;
  const statusPath = `/v1/passports/${did}`;
  world.documents.set(statusPath, {
    passport_id: id,
    passport_did: did,
    issuer_id: world.id,
    status: 'active',
    revocation_nonce: 0,
  });
  const claims = {
    iss: world.url,
    sub: did,
    jti: id,
    iat: seconds(-10),
    exp: seconds(3600),
    issuer_id: world.id,
    realm_id: 'realm',
    principal_id: 'principal',
    agent_type: 'ai-assistant',
    capabilities: ['email'],
    revocation_nonce: 0,
    cnf: { jwk: await publicJwk(keys) },
    mandate: mandate(),
    ...more,
  };
  return { claims, keys, did, statusPath };
}

export const mandate = (more: Record<string, unknown> = {}) => ({
  mandate_id: 'm-1',
  scope: ['email.send', 'calendar.*'],
  issued_at: instant(-60),
  expires_at: instant(DAY),
  ...more,
});

/** Signs a JWS with any payload and header, valid or not. */
export function jws(
  payload: unknown,
  header: Record<string, unknown>,
  key: KeyObject | CryptoKey | Uint8Array,
): Promise<string> {
  const { alg = 'EdDSA', ...others } = header;
  return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: String(alg), ...others })
    .sign(key, { crit: { b64: true } });
}

/** Encodes a JWS with arbitrary bytes as the signature. */
export function encodedJws(
  header: object,
  payload: object,
  signature: Uint8Array = Buffer.alloc(64),
): string {
  const parts = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...parts, Buffer.from(signature).toString('base64url')].join('.');
}

/** Signs the token of a passport with the issuer's key. `header` overrides members of the JWS header. */
export function tokenOf(
  world: IssuerWorld,
  { claims }: Pick<TestPassport, 'claims'>,
  header: Record<string, unknown> = {},
): Promise<string> {
  const alg = world.key.jwk.kty === 'EC' ? 'ES256' : 'EdDSA';
  return jws(claims, { alg, typ: 'passport+jwt', kid: world.key.kid, ...header }, world.key.privateKey);
}

/** The claims of a valid proof. */
function proofClaims(token: string, passport: TestPassport, more: Record<string, unknown> = {}) {
  return {
    iat: seconds(),
    exp: seconds(60),
    jti: randomUUID(),
    aud: AUDIENCE,
    passport: passport.claims['jti'],
    ath: Buffer.from(sha256(Buffer.from(token)), 'hex').toString('base64url'),
    action: 'email.send',
    payload_sha256: sha256(canonicalBytes(PAYLOAD)),
    ...more,
  };
}

/** Signs the proof of an action with the agent's key. */
export function proofOf(
  token: string,
  passport: TestPassport,
  more: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  const alg = passport.keys.privateKey.algorithm.name === 'ECDSA' ? 'ES256' : 'EdDSA';
  return jws(
    proofClaims(token, passport, more),
    { alg, typ: 'action+jwt', ...header },
    passport.keys.privateKey,
  );
}

/** Opens a registry of some issuers from memory. */
export async function registryOf(worlds: readonly IssuerWorld[]): Promise<Registry> {
  const root = await testKey();
  const records = worlds.map(({ record }) => record).sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  const files = publish(root, records);
  return openRegistry(copyIn(files), { rootKey: root.rootKey.jwk, maxAge: 3650 * DAY });
}

/** A `fetch` that connects the issuers' URLs to their servers on loopback. */
export function fetchOf(worlds: readonly IssuerWorld[]): typeof fetch {
  return connectTo(Object.fromEntries(worlds.map(({ url, address }) => [url, address])));
}

/** Creates a verifier that trusts certified issuers, and connects to their servers on loopback. */
export async function verifierOf(
  worlds: readonly IssuerWorld[],
  options: Partial<PassportVerifierOptions> = {},
): Promise<PassportVerifier> {
  return createPassportVerifier({
    registry: await registryOf(worlds),
    policy: { tiers: ['certified'] },
    audience: AUDIENCE,
    fetch: fetchOf(worlds),
    ...options,
  });
}

/** Creates a valid request for an action. */
export async function requestOf(
  world: IssuerWorld,
  passport: TestPassport,
  more: Record<string, unknown> = {},
): Promise<ActionRequest> {
  const token = await tokenOf(world, passport);
  return { token, action: 'email.send', payload: PAYLOAD, proof: await proofOf(token, passport, more) };
}

/**
 * Creates an issuer, a passport of that issuer for email.send, and a verifier that trusts the issuer. The agent proves a payload
 * with `sign`; `credentials` are the headers of its request.
 */
export async function issuedPassport() {
  const action = 'email.send';
  const world = await issuerWorld('alpha', await issuerKey());
  const passport = await passportOf(world, await agentKeys(), { mandate: mandate({ scope: [action] }) });
  const token = await tokenOf(world, passport);
  const sign = (payload: object, its = token) =>
    signAction({ token: its, keys: passport.keys, audience: AUDIENCE, action, payload: { ...payload } });
  const credentials = async (payload: object, its = token) => ({
    Authorization: `Bearer ${its}`,
    [PROOF_HEADER]: await sign(payload, its),
  });
  return { world, passport, verifier: await verifierOf([world]), token, sign, credentials };
}
