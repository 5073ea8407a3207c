/**
 * The maximum number and size of files that a mirror downloads over HTTP because the unsigned SHA256SUMS lists them. Each
 * file also has the limit of its path.
 */
export const MIRROR_LIMITS = {
  /** A publisher keeps the current list, two before, and the list that the checkpoint names. */
  snapshots: 8,
  /** The page, schemas, changes and host configurations: about 40 files. */
  otherFiles: 256,
  /** The downloads among these files, in bytes. */
  otherBytes: 64 * 1024 * 1024,
  /** The new entries of the log. The root key has signed the statement of each. */
  logEntries: 100_000,
} as const;
