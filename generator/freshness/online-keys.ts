import type { RootKey } from '@passport-registry/verifier';
import { DAY_MS, type OnlineKeys, type PublicationStatement } from '@passport-registry/verifier/core';
import { KeyRejected } from '../errors.js';
import { formatUpdatedAt } from '../list/updated-at.js';

/** The keys that may sign checkpoints besides the root key, from the next publication on. */
export interface OnlineChoice {
  readonly keys: readonly RootKey[];
  /** For how many days they may sign. */
  readonly days: number;
  /** Whether they may hold issuers. */
  readonly mayHold: boolean;
}

/** The claim `online` of a publication statement (rule online-keys). */
export interface OnlineClaims {
  readonly keys: readonly RootKey['jwk'][];
  /** Seconds since 1970. */
  readonly exp: number;
  readonly hold: boolean;
}

/** Returns the claim for a choice. @param now - milliseconds since 1970 */
export function onlineClaims({ keys, days, mayHold }: OnlineChoice, now: number): OnlineClaims {
  const exp = Math.floor((now + days * DAY_MS) / 1000);
  return { keys: keys.map(({ jwk }) => jwk), exp, hold: mayHold };
}

/** Returns the claim that says what a publication statement says of online keys. */
export function claimsOfOnline({ keys, expiresAt, mayHold }: OnlineKeys): OnlineClaims {
  return { keys: keys.map(({ jwk }) => jwk), exp: expiresAt / 1000, hold: mayHold };
}

/**
 * Whether a published statement still says what is wanted of online keys (rule next-statement). In the last third of their time,
 * it does not: a new statement then prolongs the time.
 *
 * @param now - milliseconds since 1970
 */
export function keepsOnlineKeys(
  { online, issuedAt }: Pick<PublicationStatement, 'online' | 'issuedAt'>,
  wanted: OnlineClaims | undefined,
  now: number,
): boolean {
  if (online === undefined || wanted === undefined) return online === wanted;
  if (online.mayHold !== wanted.hold) return false;
  if (String(namesIn(online)) !== String(wanted.keys.map(({ kid }) => kid))) return false;
  return now < endsSoonAt(online, issuedAt);
}

/** Returns when the last third of the time of online keys begins, in milliseconds since 1970. */
export function endsSoonAt({ expiresAt }: OnlineKeys, issuedAt: number): number {
  return expiresAt - (expiresAt - issuedAt) / 3;
}

/** Returns the thumbprints of online keys. */
export function namesIn({ keys }: OnlineKeys): readonly string[] {
  return keys.map(({ thumbprint }) => thumbprint);
}

/** What to do in an emergency, in a registry whose online key may not hold issuers. */
export const WITHOUT_HOLDS = 'to stop an issuer without a hold, run `suspend` with the root key';

/**
 * Makes the error for a checkpoint without a key: it names the online keys of a tree, and what they may sign.
 *
 * @param isHold - whether to stop issuers
 */
export function missingOnlineKey(
  folder: string,
  online: OnlineKeys | undefined,
  isHold: boolean,
): KeyRejected {
  const advice = isHold && online?.mayHold !== true ? `; ${WITHOUT_HOLDS}` : '';
  return new KeyRejected(
    `no online key: ${describeOnlineKeys(folder, online)}; pass --online-key, or set checkpoint.signer in registry.yaml${advice}`,
  );
}

/** Says what the publication in a folder permits online keys, also if their time is over. */
export function describeOnlineKeys(folder: string, online: OnlineKeys | undefined): string {
  if (online === undefined) {
    return `the publication in ${folder} names no online key, so only the root key can sign a checkpoint`;
  }
  const holds = online.mayHold ? 'checkpoints and holds' : 'checkpoints, but no holds';
  return `the publication in ${folder} lets ${namesIn(online).join(' or ')} sign ${holds} until ${formatUpdatedAt(online.expiresAt)}`;
}
