import { parseStrictJson } from '../encoding/strict-json.js';
import type { Issuer, IssuerRegistry } from '../generated/schemas.js';
import { isUpdatedAt } from '../list/date-time.js';

/** The difference between a list and the list before it (docs/protocol.md, section 21). A delta is not signed. */
export interface Delta {
  /** SHA-256 of the list before, lower-case hexadecimal. */
  readonly from: string;
  /** SHA-256 of the list after. */
  readonly to: string;
  /** The `updated_at` of the list after. */
  readonly updated_at: string;
  /** The new and the changed records. */
  readonly issuers: readonly Issuer[];
  /** The ids of the removed records. */
  readonly removed: readonly string[];
}

/** The path of the delta that starts at a list. @param sha256 - the hash of that list */
export function deltaPath(sha256: string): string {
  return `deltas/${sha256}.json`;
}

/** Reads a delta and checks its form only; the hash of the resulting list proves it. Undefined if the form is wrong. */
export function parseDelta(bytes: Uint8Array): Delta | undefined {
  try {
    const delta = parseStrictJson(bytes) as Delta;
    const { from, to, updated_at, issuers, removed } = delta;
    const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
    const good =
      isHash(from) &&
      isHash(to) &&
      typeof updated_at === 'string' &&
      isUpdatedAt(updated_at) &&
      issuers.every(({ issuer_id }) => typeof issuer_id === 'string') &&
      removed.every((id) => typeof id === 'string');
    return good ? delta : undefined;
  } catch {
    return undefined;
  }
}

/** Applies a delta to a list. Nothing here is verified: the result may not even be a list. */
export function listAfter({ issuers }: IssuerRegistry, delta: Delta): IssuerRegistry {
  const byId = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  for (const id of delta.removed) byId.delete(id);
  for (const issuer of delta.issuers) byId.set(issuer.issuer_id, issuer);
  const sorted = [...byId.values()].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  return { issuers: sorted, updated_at: delta.updated_at };
}

/**
 * The bytes of a list. The records are written as they were read, because lists and deltas are canonical. If a delta is not
 * canonical, the hash and the signature of the result do not match.
 */
export function listBytes({ issuers, updated_at }: IssuerRegistry): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ issuers, updated_at }));
}

/** Applies a delta to a list and returns the bytes of the new list. */
export function appliedDelta(registry: IssuerRegistry, delta: Delta): Uint8Array {
  return listBytes(listAfter(registry, delta));
}
