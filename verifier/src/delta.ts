import { isUpdatedAt } from './date-time.js';
import type { Issuer, IssuerRegistry } from './generated/schemas.js';

/** What a list says otherwise than the one before it (docs/protocol.md, section 21). Nobody has signed it. */
export interface Delta {
  /** SHA-256 of the list before, lower-case hexadecimal. */
  readonly from: string;
  /** SHA-256 of the list after. */
  readonly to: string;
  /** The `updated_at` of the list after. */
  readonly updated_at: string;
  /** The records that are new, or other than before. */
  readonly issuers: readonly Issuer[];
  /** The ids that are no longer there. */
  readonly removed: readonly string[];
}

/** Where the delta stands that begins at a list. @param sha256 - of that list */
export function deltaPath(sha256: string): string {
  return `deltas/${sha256}.json`;
}

/** Reads a delta as far as its form goes: whether it is right shows in the list that it makes. Undefined when it is none. */
export function parseDelta(bytes: Uint8Array): Delta | undefined {
  try {
    const delta = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Delta;
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

/**
 * The bytes of the list that a delta makes of another one. Both are in canonical form, so their records are written as they were
 * read; if the delta's are not, the bytes are none that anybody has signed.
 */
export function appliedDelta({ issuers }: IssuerRegistry, delta: Delta): Uint8Array {
  const byId = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  for (const id of delta.removed) byId.delete(id);
  for (const issuer of delta.issuers) byId.set(issuer.issuer_id, issuer);
  const sorted = [...byId.values()].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  return new TextEncoder().encode(JSON.stringify({ issuers: sorted, updated_at: delta.updated_at }));
}
