import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Issuer, importRootKey } from '@passport-registry/verifier';
import {
  canonicalBytes,
  encodeSignature,
  type PinnedRoot,
  statementHash,
} from '@passport-registry/verifier/core';
import type { JWTPayload } from 'jose';
import { sha256 } from './sha256.js';
import { claimsOf, together } from './statements.js';
import { naiveSums } from './sums.js';
import { seconds, timeFromNow } from './times.js';

/** A key pair that signs lists and statements. */
export interface TestKey {
  readonly privateKey: KeyObject;
  readonly rootKey: PinnedRoot;
}

export function testKey(type: 'ed25519' | 'p256' = 'ed25519'): Promise<TestKey> {
  const { privateKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return keyOf(privateKey);
}

/** Reads the key of a PEM file, with which a test signs what a thief of that key could sign. */
export function keyIn(file: string): Promise<TestKey> {
  return keyOf(createPrivateKey(readFileSync(file)));
}

async function keyOf(privateKey: KeyObject): Promise<TestKey> {
  const rootKey = await importRootKey(createPublicKey(privateKey).export({ format: 'jwk' }));
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

/** The files of a publication, by path. Its statements are taken apart. */
export type Files = Map<string, Buffer>;

/** Signs some bytes. Returns the content of issuers.sig. */
export function signature(bytes: Uint8Array, { privateKey }: TestKey): string {
  const raw =
    privateKey.asymmetricKeyType === 'ec'
      ? sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      : sign(null, bytes, privateKey);
  return encodeSignature(raw);
}

/** What a test chooses about a publication. */
export interface PublishOptions {
  /** Default: a minute ago. */
  readonly updatedAt?: string;
  /** Default: the second of the list, so that a later list has a higher one. */
  readonly sequence?: number;
  /** The number of levels of the tree of sums. Default: what a build chooses for a first publication. */
  readonly levels?: number;
  /** Claims to add to the publication statement, to replace, or to remove with undefined. */
  readonly claims?: JWTPayload;
}

/** Creates a whole publication: a signed list, its records, sums and statements. The root key signs the checkpoint. */
export function publish(
  key: TestKey,
  issuers: readonly Issuer[],
  { updatedAt = timeFromNow(-60), sequence, levels = levelsFor(issuers.length), claims }: PublishOptions = {},
): Files {
  const sorted = issuers.toSorted((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  const files = signedList(key, canonicalBytes({ issuers: sorted, updated_at: updatedAt }));
  const hashes = new Map<string, string>();
  for (const issuer of issuers) {
    const bytes = Buffer.from(canonicalBytes(issuer));
    files.set(`issuers/${issuer.issuer_id}`, bytes);
    hashes.set(issuer.issuer_id, sha256(bytes));
  }
  for (const [path, bytes] of naiveSums(hashes, levels)) files.set(path, bytes);
  return stated(files, key, { levels, ...(sequence !== undefined && { sequence }), ...claims });
}

function levelsFor(records: number): number {
  let levels = 0;
  while (records / 16 ** levels > 64) levels++;
  return levels;
}

/** Creates a publication with arbitrary bytes in place of the list, a valid signature, and statements that name these bytes. */
export function publishBytes(key: TestKey, bytes: Uint8Array | string): Files {
  return stated(signedList(key, bytes).set('sums/root', Buffer.from('')), key);
}

function signedList(key: TestKey, bytes: Uint8Array | string): Files {
  const list = Buffer.from(bytes);
  return new Map([
    ['issuers.json', list],
    [`lists/${sha256(list)}.json`, list],
    ['issuers.sig', Buffer.from(signature(list, key))],
    ['keys/root.json', Buffer.from(canonicalBytes(key.rootKey.jwk))],
  ]);
}

/** Signs the statements of a publication anew with the root key. @param claims - of the publication statement */
export function stated(files: Files, key: TestKey, claims: JWTPayload = {}): Files {
  const all = Object.entries({ ...claimsAbout(files), ...claims }).filter(([, value]) => value !== undefined);
  const jwt = signedStatement(key, 'registry-publication+jwt', Object.fromEntries(all));
  const next = new Map(files).set('publication.jwt', Buffer.from(jwt));
  // An online key signs its checkpoints elsewhere.
  return isByOther(files.get('checkpoint.jwt'), key) ? next : next.set('checkpoint.jwt', sealOf(next, key));
}

function isByOther(checkpoint: Buffer | undefined, { rootKey }: TestKey): boolean {
  const [header = ''] = checkpoint?.toString().split('.') ?? [];
  return header !== '' && JSON.parse(Buffer.from(header, 'base64url').toString()).kid !== rootKey.thumbprint;
}

/** The checkpoint of the root key: signed with the list or, if that is long ago, early enough to be valid now. */
function sealOf(files: Files, key: TestKey): Buffer {
  const { updated_at } = statementClaims(files);
  const time = Date.parse(String(updated_at)) / 1000;
  const signed = Number.isNaN(time) ? 0 : time;
  const iat = Math.min(Math.max(signed, seconds() - 30 * 24 * HOUR), seconds() - 60);
  const claims = { ...checkpointClaims(files), iat, exp: iat + 31 * 24 * HOUR };
  return Buffer.from(signedStatement(key, 'registry-checkpoint+jwt', claims));
}

/** The claims of a first publication statement about the files. */
export function claimsAbout(files: Files) {
  const list = files.get('issuers.json') as Buffer;
  const { issuers, updated_at } = partsOf(list);
  const time = typeof updated_at === 'string' && isTime(updated_at) ? updated_at : timeFromNow(-60);
  const iat = Math.floor(Date.parse(time) / 1000);
  return {
    iat,
    sequence: iat,
    updated_at: time,
    sha256: sha256(list),
    size: list.length,
    issuers: Array.isArray(issuers) ? issuers.length : 0,
    sums_sha256: sha256(files.get('sums/root') ?? Buffer.from('')),
    levels: 0,
  };
}

const isTime = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));

/** The members of a list, if it is one. */
function partsOf(list: Buffer): { readonly issuers?: unknown; readonly updated_at?: unknown } {
  try {
    return JSON.parse(list.toString()) ?? {};
  } catch {
    return {};
  }
}

const HOUR = 3600;

/** Signs a JWT with the key's thumbprint as `kid`. */
export async function statement(key: TestKey, typ: string, payload: JWTPayload): Promise<string> {
  return signedStatement(key, typ, payload);
}

function signedStatement(key: TestKey, typ: string, payload: JWTPayload): string {
  const alg = key.rootKey.algorithm === 'ES256' ? 'ES256' : 'Ed25519';
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const input = `${encoded({ alg, typ, kid: key.rootKey.thumbprint })}.${encoded(payload)}`;
  return `${input}.${signature(Buffer.from(input), key)}`;
}

// The same in each second of a test: a statement of one sequence says one thing.
const ONLINE_UNTIL = seconds() + 24 * HOUR;

/** Names an online key in the publication statement. @param more - what the claim says besides */
export function withOnlineKey(files: Files, root: TestKey, online: TestKey, more: JWTPayload = {}): Files {
  const claim = { keys: [online.rootKey.jwk], exp: ONLINE_UNTIL, hold: false, ...more };
  return stated(files, root, { ...statementClaims(files), online: claim });
}

/** Signs a checkpoint for the files. A claim of undefined is left out. */
export function checkpoint(files: Files, signer: TestKey, more: JWTPayload = {}): Promise<string> {
  const claims = Object.entries({ ...checkpointClaims(files), ...more });
  const present = claims.filter(([, value]) => value !== undefined);
  return statement(signer, 'registry-checkpoint+jwt', Object.fromEntries(present));
}

/** A checkpoint names the publication statement. */
function checkpointClaims(files: Files): JWTPayload {
  return {
    iat: seconds() - 60,
    exp: seconds() + HOUR,
    publication: statementHash(String(files.get('publication.jwt'))),
    tree_sha256: '0'.repeat(64),
  };
}

/** Decodes the claims of the publication statement. */
export function statementClaims(files: Files): JWTPayload & { sums_sha256: string; levels: number } {
  return claimsOf(files.get('publication.jwt') ?? '');
}

/** Adds an online key, and its checkpoint. */
export async function withCheckpoint(
  files: Files,
  root: TestKey,
  online: TestKey,
  more: JWTPayload = {},
): Promise<Files> {
  const named = withOnlineKey(files, root, online);
  return named.set('checkpoint.jwt', Buffer.from(await checkpoint(named, online, more)));
}

/** Signs the step of a rotation from one root key to the next one. @param more - what it says besides */
export function rotationStep(from: TestKey, to: TestKey, more: JWTPayload = {}): Promise<string> {
  const claims = { iat: seconds() - HOUR, next_root: to.rootKey.jwk, ...more };
  return statement(from, 'registry-root-rotation+jwt', claims);
}

/** The claim with which a step commits the next root key to some keys. */
export const committedTo = (...keys: readonly TestKey[]): JWTPayload => ({
  next_roots: keys.map(({ rootKey }) => rootKey.thumbprint),
});

/** Adds the steps of a rotation. */
export function withRotation(files: Files, steps: readonly string[]): Files {
  return new Map([...files, ['keys/rotation.json', Buffer.from(JSON.stringify(steps))]]);
}

/** Makes `statements.json` of the statements of a tree. @param changes - members that are not what the tree has; undefined removes one */
export function withStatements(files: Files, changes: Readonly<Record<string, unknown>> = {}): Files {
  const whole = together(files);
  const members = JSON.parse(String(whole.get('statements.json')));
  const changed = Object.entries({ ...members, ...changes }).filter(([, value]) => value !== undefined);
  return whole.set('statements.json', Buffer.from(canonicalBytes(Object.fromEntries(changed))));
}
