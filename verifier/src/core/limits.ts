import { LISTS_FOLDER, TREE_FILES } from './tree-files.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The maximum sizes of unauthenticated data, in bytes after decompression (rule limits). The code that fetches a file applies
 * the limit while the bytes arrive, and `limitFiles` applies it again. What can also come without a file has its limit where
 * it is read: a JWT, a rotation, a proof or an entry of a log, a detached signature, and a list for `verifyList`.
 */
export const LIMITS = {
  /** A JWT: a statement of a registry, passport, mandate or proof of an action. */
  jwt: 16 * KIB,
  /** All steps of a rotation together. */
  rotation: 256 * KIB,
  /** `statements.json`. */
  statements: MIB,
  /** `issuers.sig`. */
  signature: 256,
  /** `keys/root.json`. */
  rootKey: 16 * KIB,
  /** `issuers/<issuer_id>`. */
  record: 64 * KIB,
  /** A response of an issuer: metadata, JWKS or the status of a passport. */
  issuerDocument: 256 * KIB,
  /** `issuers.json` and files below `lists/`, if no signed statement says their size. */
  list: 256 * MIB,
  /** A file of the tree of sums. */
  sums: 256 * KIB,
  /** The head of a log, and a proof that a log contains an entry. */
  logProof: 64 * KIB,
  /** A tile of a log. */
  tile: 8 * KIB,
  /** An entry of a log. */
  logEntry: 4 * KIB,
  /** `SHA256SUMS`. */
  checksums: 64 * MIB,
  /** Any other file of a tree: the page, schemas, changes, host configurations. */
  other: 16 * MIB,
} as const;

/** The maximum number of steps in a rotation. */
export const MAX_ROTATION_STEPS = 64;

/** For how many days a checkpoint is valid at most (rule checkpoint-lifetime). */
export const MAX_CHECKPOINT_DAYS = 31;

/** The number of entries in a full bundle, each after its length in two bytes (C2SP tlog-tiles). */
const ENTRIES_PER_BUNDLE = 256;

/** Returns the size limit of a file in a published tree, by the path of the file from the root of the tree. */
export function limitOf(path: string): number {
  if (path === TREE_FILES.list || path.startsWith(LISTS_FOLDER)) return LIMITS.list;
  if (path === TREE_FILES.signature) return LIMITS.signature;
  if (path === TREE_FILES.statements) return LIMITS.statements;
  if (path === 'SHA256SUMS') return LIMITS.checksums;
  if (path === TREE_FILES.rootKey) return LIMITS.rootKey;
  // Before the endings: an issuer_id may end in .jwt.
  if (path.startsWith('issuers/')) return LIMITS.record;
  if (path.endsWith('.jwt')) return LIMITS.jwt;
  if (path.startsWith('sums/')) return LIMITS.sums;
  if (path.startsWith('log/tile/entries/')) return ENTRIES_PER_BUNDLE * (LIMITS.logEntry + 2);
  if (path.startsWith('log/tile/')) return LIMITS.tile;
  if (path.startsWith('log/')) return LIMITS.logProof;
  return LIMITS.other;
}
