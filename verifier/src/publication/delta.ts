import { parseStrictJson } from '../encoding/strict-json.js';
import type { Issuer, IssuerRegistry } from '../generated/schemas.js';
import { isUpdatedAt } from '../list/date-time.js';

/** The difference between two consecutive lists (docs/protocol.md, section 21). A delta is not signed. */
export interface Delta {
  /** The SHA-256 of the older list, in lower-case hexadecimal. */
  readonly from: string;
  /** The SHA-256 of the newer list. */
  readonly to: string;
  /** The `updated_at` of the newer list. */
  readonly updated_at: string;
  /** The new and changed records. */
  readonly issuers: readonly Issuer[];
  /** The ids of the removed records. */
  readonly removed: readonly string[];
}

/** Returns the path of the delta from a list. @param sha256 - the hash of the list */
export function deltaPath(sha256: string): string {
  return `deltas/${sha256}.json`;
}

/**
 * Parses a delta. Checks only the form: the hash of the resulting list proves the content. Returns undefined if the
 * form is invalid.
 */
export function parseDelta(bytes: Uint8Array): Delta | undefined {
  try {
    const delta = parseStrictJson(bytes) as Delta;
    const { from, to, updated_at, issuers, removed } = delta;
    const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
    const isValid =
      isHash(from) &&
      isHash(to) &&
      typeof updated_at === 'string' &&
      isUpdatedAt(updated_at) &&
      issuers.every(({ issuer_id }) => typeof issuer_id === 'string') &&
      removed.every((id) => typeof id === 'string');
    return isValid ? delta : undefined;
  } catch {
    return undefined;
  }
}

/** Applies a delta to a list without verifying anything. The result may not even be a list. */
export function listAfter({ issuers }: IssuerRegistry, delta: Delta): IssuerRegistry {
  const byId = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  for (const id of delta.removed) byId.delete(id);
  for (const issuer of delta.issuers) byId.set(issuer.issuer_id, issuer);
  const sorted = [...byId.values()].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  return { issuers: sorted, updated_at: delta.updated_at };
}

/**
 * Serializes a list. The members of the records keep their order, because lists and deltas are canonical. If a delta is
 * not canonical, the hash and the signature of the result do not match.
 */
export function listBytes({ issuers, updated_at }: IssuerRegistry): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ issuers, updated_at }));
}

/** Applies a delta to a list, and returns the bytes of the new list. */
export function appliedDelta(registry: IssuerRegistry, delta: Delta): Uint8Array {
  return listBytes(listAfter(registry, delta));
}
