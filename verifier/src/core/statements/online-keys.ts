import { hasItems, isCount, isObject } from '../bytes/checks.js';
import type { Invalid } from '../bytes/utf8.js';
import { type CheckedRootKey, checkedPublicKey } from '../keys/root-key.js';
import { MAX_DATE_MS } from '../list/date-time.js';

/**
 * The keys that may sign checkpoints besides the root key: the claim `online` of a publication statement (rule online-keys).
 */
export interface OnlineKeys {
  /** The keys have been checked like root keys. They have not been imported. */
  readonly keys: readonly CheckedRootKey[];
  /** The latest date of a checkpoint by these keys, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Whether a checkpoint by these keys may hold issuers. */
  readonly mayHold: boolean;
}

/** The members of the claim. Clients ignore others, which auditors report (rule later-versions). */
export const ONLINE_MEMBERS: readonly string[] = ['keys', 'exp', 'hold'];

/** The maximum number of online keys. */
const MAX_ONLINE_KEYS = 16;

/** Reads the claim `online` of a publication statement. @param invalid - creates the error to throw */
export function onlineKeysOf(claim: unknown, invalid: Invalid): OnlineKeys {
  const { keys, exp, hold } = isObject(claim) ? claim : {};
  if (!Array.isArray(keys) || !hasItems(keys, 1, MAX_ONLINE_KEYS)) {
    throw invalid(`does not name 1 to ${MAX_ONLINE_KEYS} online keys`);
  }
  if (!isCount(exp) || typeof hold !== 'boolean') throw invalid('has online keys without exp or hold');
  const refused: Invalid = (message, cause) => invalid(`has an online key that ${message}`, cause);
  const checked = keys.map((key) => checkedPublicKey(key, refused));
  return { keys: checked, expiresAt: Math.min(exp * 1000, MAX_DATE_MS), mayHold: hold };
}
