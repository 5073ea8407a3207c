import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  ALG_NAMES,
  canonicalBytes,
  type LogIdentity,
  type PublicationStatement,
  publicationStatementOf,
  readStatement,
  type Statement,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import type { Signer } from '../signing/sign.js';
import type { OnlineClaims } from './online-keys.js';

/** Converts milliseconds to whole seconds. */
export const toSeconds = (now: number) => Math.floor(now / 1000);

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
export function rotationClaims({ jwk, nextRoots }: RootKey): RotationClaims {
  return { iat: toSeconds(Date.now()), next_root: jwk, ...(nextRoots && { next_roots: nextRoots }) };
}

/** The claims of a publication statement (rule statement-claims). */
export interface PublicationClaims {
  /** Seconds since 1970. */
  readonly iat: number;
  readonly sequence: number;
  /** The hashes of the statements before, newest first; absent in the first. */
  readonly previous?: readonly string[];
  readonly updated_at: string;
  readonly sha256: string;
  readonly size: number;
  readonly issuers: number;
  readonly sums_sha256: string;
  readonly levels: number;
  readonly log?: LogIdentity;
  readonly online?: OnlineClaims;
  readonly about_sha256?: string;
}

/** The claims of a checkpoint (rule checkpoint-form). */
export interface CheckpointClaims {
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
  /** The hash of the publication statement. */
  readonly publication: string;
  /** SHA-256 of SHA256SUMS, in hexadecimal. */
  readonly tree_sha256: string;
  /** The ids of the held issuers, sorted. */
  readonly hold?: readonly string[];
}

/** The claims of each statement that this program signs, by its type. */
interface ClaimsByType {
  readonly 'registry-checkpoint+jwt': CheckpointClaims;
  readonly 'registry-publication+jwt': PublicationClaims;
  readonly 'registry-root-rotation+jwt': RotationClaims;
}

/** Signs a statement: the content of its file, a JWT in compact form. */
export async function signStatement<Type extends keyof ClaimsByType>(
  { rootKey, sign }: Signer,
  type: Type,
  claims: ClaimsByType[Type],
): Promise<string> {
  const input = signingInput(rootKey, type, claims);
  return withSignature(input, await sign(Buffer.from(input)));
}

/**
 * Returns the bytes of a statement that a key signs, as text (RFC 7515: the JWS Signing Input). `kid` is the thumbprint of
 * the key.
 */
export function signingInput<Type extends keyof ClaimsByType>(
  { algorithm, thumbprint }: RootKey,
  typ: Type,
  claims: ClaimsByType[Type],
): string {
  const encoded = (part: object) => Buffer.from(canonicalBytes(part)).toString('base64url');
  return `${encoded({ alg: ALG_NAMES[algorithm], kid: thumbprint, typ })}.${encoded(claims)}`;
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
    return publicationStatementOf(parsePublicationStatement(text));
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(cause.message, { cause });
  }
}
