import { importRootKey, type PinnedRoot, type RootKey } from '../keys/root-key.js';
import type { AnyEntry, PublicationEntry } from '../log/log-entry.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import type { Statement } from '../statements/statement.js';
import { type LogKey, withLogKey } from './log-keys.js';
import { type LogOrder, orderAfter, type PublicationPromises } from './log-order.js';

/** A root key that can be written as JSON. */
export type LogRoot = Pick<RootKey, 'thumbprint' | 'jwk' | 'nextRoots'>;

/** Where a log stands after some entries. It can be written as JSON, and never changes: each walk returns another one. */
export interface LogState {
  /** The number of entries. */
  readonly size: number;
  /** The root keys that are known, oldest first. */
  readonly roots: readonly LogRoot[];
  /**
   * The thumbprint of the root key in force (rule log-statements). Undefined if any of the root keys may sign the next
   * statement.
   */
  readonly inForce?: string | undefined;
  /** The thumbprint of the first root key, if the key is unknown. Nobody can verify what it signed. */
  readonly unknownRoot?: string | undefined;
  readonly order: LogOrder;
  /** What the newest publication statement promises that was read. */
  readonly promises?: PublicationPromises | undefined;
  /** The keys of the log that its publications have named, oldest first. */
  readonly keys: readonly LogKey[];
}

/** The root keys with which a walk begins. */
export interface FirstRoots {
  /** Oldest first. */
  readonly keys: readonly RootKey[];
  /** The thumbprint of the first root key, if the key is unknown. */
  readonly unknown?: string | undefined;
  /** The root key in force at the first entry. Default: any of them, until the first statement shows which */
  readonly inForce?: RootKey | undefined;
}

/** Returns the state before the first entry. */
export function beginLog({ keys, unknown, inForce }: FirstRoots): LogState {
  return {
    size: 0,
    roots: keys.map(logRoot),
    inForce: inForce?.thumbprint,
    unknownRoot: unknown,
    order: { steps: 0 },
    promises: undefined,
    keys: [],
  };
}

const logRoot = ({ thumbprint, jwk, nextRoots }: RootKey): LogRoot => ({ thumbprint, jwk, nextRoots });

/** Imports a root key of a state. */
export async function importLogRoot({ jwk, nextRoots }: LogRoot): Promise<PinnedRoot> {
  return { ...(await importRootKey(jwk)), nextRoots };
}

/** Imports the root keys of a state, oldest first. */
export function rootKeysOf({ roots }: LogState): Promise<readonly PinnedRoot[]> {
  return Promise.all(roots.map(importLogRoot));
}

/** A parsed entry and the number of entries before it. */
export interface IndexedEntry {
  readonly index: number;
  readonly entry: AnyEntry;
}

/** The entry of a publication. */
export type IndexedPublication = IndexedEntry & { readonly entry: PublicationEntry };

/** Whether an entry is the one of a publication. */
export const isPublication = (indexed: IndexedEntry): indexed is IndexedPublication =>
  indexed.entry.type === 'publication';

/**
 * An entry whose statement says what the entry says, and that the root key in force has signed. If that is a first root key of
 * which only the thumbprint is known (`unknownRoot`), nobody has verified the signature: the statement only names its signer.
 */
export type VerifiedEntry = IndexedEntry & { readonly statement: Statement } & (
    | { readonly type: 'publication'; readonly publication: PublicationStatement }
    | { readonly type: 'rotation'; readonly next: RootKey }
    // A type that this version does not know. `named` is the type in the entry.
    | { readonly type: 'unknown'; readonly named: string }
  );

/** Returns the state after an entry whose statement is not verified. A rotation step says who signs from then on. */
export function passEntry(state: LogState, entry: AnyEntry): LogState {
  const passed = { ...state, size: state.size + 1, order: orderAfter(state.order, entry) };
  return entry.type === 'rotation' ? { ...passed, inForce: entry.next, unknownRoot: undefined } : passed;
}

/** Returns the state after a verified statement. */
export function stateAfter(state: LogState, verified: VerifiedEntry): LogState {
  const next = { ...passEntry(state, verified.entry), inForce: verified.statement.kid };
  if (verified.type === 'publication') {
    const { log } = verified.publication;
    return {
      ...next,
      promises: { log },
      keys: withLogKey(state.keys, log?.vkey, next.size),
    };
  }
  if (verified.type !== 'rotation') return next;
  const successor = logRoot(verified.next);
  const isSame = ({ thumbprint }: LogRoot) => thumbprint === successor.thumbprint;
  // The step says to which keys its successor is committed.
  const roots = state.roots.some(isSame)
    ? state.roots.map((root) => (isSame(root) ? successor : root))
    : [...state.roots, successor];
  return { ...next, roots, inForce: successor.thumbprint };
}
