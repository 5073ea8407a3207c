import { canonicalBytes, type RootKey } from '@passport-registry/verifier';
import type { Signer } from '../signing/sign.js';
import { sha256 } from '../tree/checksums.js';

const DAY_SECONDS = 24 * 60 * 60;
const HOUR_SECONDS = 60 * 60;

/** Seconds since 1970. */
const seconds = (now: number) => Math.floor(now / 1000);

/** For how long a delegation holds. */
export interface DelegationTerm {
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The root key's word for which keys may sign checkpoints, and until when (SPEC B6): the text of keys/delegation.jwt.
 */
export function delegationStatement(
  root: Signer,
  online: readonly RootKey[],
  { days, now }: DelegationTerm,
): Promise<string> {
  const iat = seconds(now);
  const keys = online.map(({ jwk }) => jwk);
  return statement(root, 'registry-delegation+jwt', { iat, exp: iat + days * DAY_SECONDS, keys });
}

/** The outgoing root key's word for the one that follows it (SPEC B7): a step of keys/rotation.json. */
export function rotationStatement(outgoing: Signer, next: RootKey, now: number): Promise<string> {
  return statement(outgoing, 'registry-root-rotation+jwt', { iat: seconds(now), next_root: next.jwk });
}

/** What a checkpoint vouches for. */
export interface CheckpointSubject {
  readonly list: Uint8Array;
  readonly updatedAt: string;
  /** The bytes of SHA256SUMS. */
  readonly checksums: Uint8Array;
}

/** Which key signs a checkpoint, and how long the checkpoint is valid. */
export interface CheckpointChoice {
  /** An online key that the root key has delegated, or the root key itself. */
  readonly signer: Signer;
  readonly hours: number;
}

/**
 * An online key's word that a list is the newest, for some hours (SPEC B6): the text of checkpoint.jwt.
 *
 * @param now - milliseconds since 1970
 */
export function checkpointStatement(
  { signer, hours }: CheckpointChoice,
  { list, updatedAt, checksums }: CheckpointSubject,
  now: number,
): Promise<string> {
  const iat = seconds(now);
  return statement(signer, 'registry-checkpoint+jwt', {
    iat,
    exp: iat + hours * HOUR_SECONDS,
    updated_at: updatedAt,
    sha256: sha256(list),
    size: list.length,
    tree_sha256: sha256(checksums),
  });
}

/** A JWT in compact form; `kid` is the thumbprint of the key that signs it. */
async function statement({ rootKey, sign }: Signer, typ: string, claims: object): Promise<string> {
  const alg = rootKey.algorithm === 'ES256' ? 'ES256' : 'EdDSA';
  const encoded = (part: object) => Buffer.from(canonicalBytes(part)).toString('base64url');
  const input = `${encoded({ alg, kid: rootKey.thumbprint, typ })}.${encoded(claims)}`;
  const signature = await sign(Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}
