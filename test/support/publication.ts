import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Issuer, importRootKey } from '@passport-registry/verifier';
import { canonicalBytes, encodeSignature, type PinnedRoot } from '@passport-registry/verifier/core';
import { type JWTPayload, SignJWT } from 'jose';

/** A key pair that signs lists and statements. */
export interface TestKey {
  readonly privateKey: KeyObject;
  readonly rootKey: PinnedRoot;
}

export async function testKey(type: 'ed25519' | 'p256' = 'ed25519'): Promise<TestKey> {
  const { privateKey, publicKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rootKey = await importRootKey(publicKey.export({ format: 'jwk' }));
  return { privateKey, rootKey: { ...rootKey, nextRoots: undefined } };
}

/** Creates a valid record. */
export function issuer(id: string, more: Partial<Issuer> = {}): Issuer {
  return {
    issuer_id: id,
    tier: 'certified',
    status: 'active',
    jwks_uri: `https://${id}.example/jwks.json`,
    discovery_uri: `https://${id}.example/metadata`,
    certified_since: '2026-01-01T00:00:00Z',
    ...more,
  };
}

/** The files of a publication, by path. */
export type Files = Map<string, Buffer>;

/** The time `secondsFromNow` seconds from now, in the format of `updated_at`. */
export function at(secondsFromNow: number): string {
  return new Date(Date.now() + secondsFromNow * 1000).toISOString().replace(/\.\d+Z/, 'Z');
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Signs some bytes. Returns the content of issuers.sig. */
export function signature(bytes: Uint8Array, { privateKey }: TestKey): string {
  const raw =
    privateKey.asymmetricKeyType === 'ec'
      ? sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      : sign(null, bytes, privateKey);
  return encodeSignature(raw);
}

/** Creates a publication with a signed list. */
export function publish(key: TestKey, issuers: readonly Issuer[], updatedAt = at(-60)): Files {
  return publishBytes(key, canonicalBytes({ issuers, updated_at: updatedAt }));
}

/** Creates a publication with arbitrary bytes in place of the list, and a valid signature. */
export function publishBytes(key: TestKey, bytes: Uint8Array | string): Files {
  const list = Buffer.from(bytes);
  return new Map([
    ['issuers.json', list],
    ['issuers.sig', Buffer.from(signature(list, key))],
    [`lists/${sha256(list)}.json`, list],
    ['keys/root.json', Buffer.from(canonicalBytes(key.rootKey.jwk))],
  ]);
}

const HOUR = 3600;
const seconds = () => Math.floor(Date.now() / 1000);
// A later publication of a test keeps the delegation, as an operator does: readers refuse an older one.
const DELEGATED = seconds() - HOUR;

/** Signs a JWT with the key's thumbprint as `kid`. */
export function statement(key: TestKey, typ: string, payload: JWTPayload): Promise<string> {
  const alg = key.rootKey.algorithm === 'ES256' ? 'ES256' : 'Ed25519';
  return new SignJWT(payload)
    .setProtectedHeader({ alg, typ, kid: key.rootKey.thumbprint })
    .sign(key.privateKey);
}

export function delegation(root: TestKey, online: TestKey, more: JWTPayload = {}): Promise<string> {
  const claims = { iat: DELEGATED, exp: seconds() + 24 * HOUR, keys: [online.rootKey.jwk], ...more };
  return statement(root, 'registry-delegation+jwt', claims);
}

export function checkpoint(files: Files, signer: TestKey, more: JWTPayload = {}): Promise<string> {
  const list = files.get('issuers.json') as Buffer;
  return statement(signer, 'registry-checkpoint+jwt', {
    iat: seconds() - 60,
    exp: seconds() + HOUR,
    updated_at: JSON.parse(list.toString()).updated_at,
    sha256: sha256(list),
    size: list.length,
    tree_sha256: '0'.repeat(64),
    ...more,
  });
}

/** Adds a delegation and a checkpoint. */
export async function withCheckpoint(
  files: Files,
  root: TestKey,
  online: TestKey,
  more: JWTPayload = {},
): Promise<Files> {
  return new Map([
    ...files,
    ['keys/delegation.jwt', Buffer.from(await delegation(root, online))],
    ['checkpoint.jwt', Buffer.from(await checkpoint(files, online, more))],
  ]);
}

/** @param nextRoots - the keys to which the step commits the next root key */
export function rotationStep(from: TestKey, to: TestKey, nextRoots?: readonly TestKey[]): Promise<string> {
  return statement(from, 'registry-root-rotation+jwt', {
    iat: seconds() - HOUR,
    next_root: to.rootKey.jwk,
    ...(nextRoots && { next_roots: nextRoots.map(({ rootKey }) => rootKey.thumbprint) }),
  });
}

/** Adds the steps of a rotation. */
export function withRotation(files: Files, steps: readonly string[]): Files {
  return new Map([...files, ['keys/rotation.json', Buffer.from(JSON.stringify(steps))]]);
}

/** The files that `statements.json` holds (rule statements-file). */
const STATEMENTS = [
  'issuers.sig',
  'publication.jwt',
  'checkpoint.jwt',
  'keys/delegation.jwt',
  'keys/rotation.json',
  'log/publication.tlog-proof',
];

/** Adds `statements.json` to a tree. @param changes - members that are not what the tree has */
export function withStatements(files: Files, changes: Readonly<Record<string, unknown>> = {}): Files {
  const members = STATEMENTS.flatMap((path) => {
    const bytes = files.get(path);
    return bytes === undefined ? [] : [[path, bytes.toString()] as const];
  });
  const file = canonicalBytes({ ...Object.fromEntries(members), ...changes });
  return new Map([...files, ['statements.json', Buffer.from(file)]]);
}
