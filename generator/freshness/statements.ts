import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  canonicalBytes,
  type LogIdentity,
  type Operations,
  type PublicationStatement,
  publicationClaims,
  readStatement,
  type Statement,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import type { Signer } from '../signing/sign.js';

const DAY_SECONDS = 24 * 60 * 60;

/** Converts milliseconds to whole seconds. */
export const toSeconds = (now: number) => Math.floor(now / 1000);

/** The lifetime of a delegation, and what it permits. */
interface DelegationTerm {
  readonly days: number;
  /** Whether the online keys may hold issuers (docs/protocol/rotation.md#hold-permission). */
  readonly mayHold: boolean;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** The claims of a delegation (rule delegation-form). */
export interface DelegationClaims {
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
  /** The public JWKs of the online keys. */
  readonly keys: readonly RootKey['jwk'][];
  /** Whether a checkpoint by these keys may hold issuers. */
  readonly hold?: true;
  /** The thumbprint of the next root key, if it is announced. */
  readonly next_root_thumbprint?: string;
}

/** Returns the claims of a delegation, which names the online keys that may sign checkpoints. */
export function delegationClaims(
  online: readonly RootKey[],
  { days, mayHold, now }: DelegationTerm,
): DelegationClaims {
  const iat = toSeconds(now);
  const keys = online.map(({ jwk }) => jwk);
  return { iat, exp: iat + days * DAY_SECONDS, keys, ...(mayHold && { hold: true }) };
}

/** Signs a delegation: the content of keys/delegation.jwt. */
export function delegationStatement(
  root: Signer,
  online: readonly RootKey[],
  term: DelegationTerm,
): Promise<string> {
  return signStatement(root, DELEGATION_TYPE, delegationClaims(online, term));
}

/** Returns the bytes of a delegation that the root key signs, as text. */
export function delegationInput(rootKey: RootKey, claims: DelegationClaims): string {
  return signingInput(rootKey, DELEGATION_TYPE, claims);
}

const DELEGATION_TYPE = 'registry-delegation+jwt';

/** The claims of a rotation step (rule rotation-form). */
export interface RotationClaims {
  /** Seconds since 1970. */
  readonly iat: number;
  /** The public JWK of the next root key. */
  readonly next_root: RootKey['jwk'];
  /** The thumbprints of the keys of which the step after this one must lead to one. */
  readonly next_roots?: readonly string[];
  /** The position of the step, counted from 1. */
  readonly step?: number;
}

/**
 * Returns the claims of a rotation step.
 *
 * @param next - the next root key, with the keys to which the step commits it
 */
export function rotationClaims({ jwk, nextRoots }: RootKey, now: number): RotationClaims {
  return { iat: toSeconds(now), next_root: jwk, ...(nextRoots && { next_roots: nextRoots }) };
}

/** Signs a rotation step with the outgoing root key: one step of keys/rotation.json. */
export function rotationStatement(outgoing: Signer, next: RootKey, now: number): Promise<string> {
  return signStatement(outgoing, ROTATION_TYPE, rotationClaims(next, now));
}

/** Returns the bytes of a rotation step that the outgoing root key signs, as text. */
export function rotationInput(rootKey: RootKey, claims: RotationClaims): string {
  return signingInput(rootKey, ROTATION_TYPE, claims);
}

const ROTATION_TYPE = 'registry-root-rotation+jwt';

/** The claims of a publication statement (rule statement-claims). */
export interface PublicationClaims {
  /** Seconds since 1970. */
  readonly iat: number;
  readonly sequence: number;
  /** SHA-256 of the statement before, in hexadecimal; absent in the first. */
  readonly previous?: string;
  readonly updated_at: string;
  readonly sha256: string;
  readonly size: number;
  readonly issuers: number;
  readonly sums_sha256: string;
  readonly levels: number;
  readonly checkpoint?: true;
  readonly log?: LogIdentity;
  readonly about_sha256?: string;
}

/** Signs a publication statement with the root key: the content of publication.jwt. */
export function publicationStatement(root: Signer, claims: PublicationClaims): Promise<string> {
  return signStatement(root, PUBLICATION_TYPE, claims);
}

/** Returns the bytes of a publication statement that the root key signs, as text (RFC 7515: the JWS Signing Input). */
export function publicationInput(rootKey: RootKey, claims: PublicationClaims): string {
  return signingInput(rootKey, PUBLICATION_TYPE, claims);
}

const PUBLICATION_TYPE = 'registry-publication+jwt';

/** The claims of a checkpoint (rule checkpoint-form). */
interface CheckpointClaims {
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly updated_at: string;
  readonly sha256: string;
  readonly size: number;
  /** SHA-256 of SHA256SUMS, in hexadecimal. */
  readonly tree_sha256: string;
  readonly sequence?: number;
  /** The ids of the held issuers, sorted. */
  readonly hold?: readonly string[];
}

/** Signs a checkpoint, which says for some hours that a list is the newest: the content of checkpoint.jwt. */
export function checkpointStatement(signer: Signer, claims: CheckpointClaims): Promise<string> {
  return signStatement(signer, 'registry-checkpoint+jwt', claims);
}

/** Signs an operations statement with a key that may sign checkpoints: the content of operations.jwt. */
export function operationsStatement(
  signer: Signer,
  operations: Omit<Operations, 'notBefore'>,
): Promise<string> {
  const { mirrors, witnesses, quorum, issuedAt, expiresAt } = operations;
  return signStatement(signer, 'registry-operations+jwt', {
    ...{ iat: toSeconds(issuedAt), exp: toSeconds(expiresAt), mirrors, witnesses },
    ...(quorum !== undefined && { quorum }),
  });
}

/** Signs a JWT in compact form. */
async function signStatement({ rootKey, sign }: Signer, typ: string, claims: object): Promise<string> {
  const input = signingInput(rootKey, typ, claims);
  return withSignature(input, await sign(Buffer.from(input)));
}

/** Header and claims of a JWT, as they are signed. `kid` is the thumbprint of the signing key. */
function signingInput({ algorithm, thumbprint }: RootKey, typ: string, claims: object): string {
  const alg = algorithm === 'ES256' ? 'ES256' : 'EdDSA';
  const encoded = (part: object) => Buffer.from(canonicalBytes(part)).toString('base64url');
  return `${encoded({ alg, kid: thumbprint, typ })}.${encoded(claims)}`;
}

/** Returns a JWT in compact form. @param signature - the raw signature over the input */
export function withSignature(input: string, signature: Uint8Array): string {
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

/** Parses a publication statement, and verifies neither its claims nor its signature. @throws {@link TreeRejected} */
export function parsePublicationStatement(text: Uint8Array | string): Statement {
  return readStatement(
    text,
    'registry-publication+jwt',
    (message, cause) => new TreeRejected(`the publication statement ${message}`, { cause }),
  );
}

/** Reads a publication statement without verifying its signature. @throws {@link TreeRejected} */
export function readPublicationStatement(text: Uint8Array | string): PublicationStatement {
  try {
    return publicationClaims(parsePublicationStatement(text));
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(cause.message, { cause });
  }
}
