import { readStatement } from '@passport-registry/verifier/core';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { readTreeFile } from '../../generator/files/read-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';

/** What a host must serve to publish a tree: its list, its other files, and its checkpoint or a newer one. */
interface ExpectedTree {
  readonly folder: string;
  /** The payload hash of the list. */
  readonly sha256: string;
  /** The hash of SHA256SUMS, which names all files except the checkpoint. */
  readonly checksums: string;
  /** When the checkpoint was issued, in milliseconds since 1970; undefined if the tree has none. */
  readonly checkpointAt: number | undefined;
}

/** Reads a tree in a folder that a host is compared with. @throws {@link UsageError} | {@link IoFailed} */
export function readExpectedTree(folder: string): ExpectedTree {
  const [list, sums, checkpoint] = [PATHS.list, PATHS.checksums, PATHS.checkpoint].map((path) =>
    readTreeFile(folder, path),
  );
  if (list === undefined || sums === undefined) {
    throw new UsageError(`--expect ${folder} is not the folder of a tree`);
  }
  const checkpointAt = checkpoint && issuedAt(checkpoint, folder);
  return { folder, sha256: sha256(list), checksums: sha256(sums), checkpointAt };
}

function issuedAt(checkpoint: Uint8Array, where: string): number {
  const refuse = (message: string) => new TreeRejected(`${PATHS.checkpoint} of ${where} ${message}`);
  return readStatement(checkpoint, 'registry-checkpoint+jwt', refuse).issuedAt;
}

/** The files that a source has returned, by path. */
type SeenTree = ReadonlyMap<string, Uint8Array>;

/** Makes a source that remembers what it returned, so that what is compared and judged is what was verified. */
export function rememberFiles(source: TreeSource): { readonly source: TreeSource; readonly seen: SeenTree } {
  const seen = new Map<string, Uint8Array>();
  const get: TreeSource['get'] = async (path) => {
    const file = await source.get(path);
    if (REMEMBERED.includes(path)) {
      if (file === undefined) seen.delete(path);
      else seen.set(path, file.bytes);
    }
    return file;
  };
  return { source: { ...source, get }, seen };
}

const REMEMBERED: readonly string[] = [PATHS.list, PATHS.checksums, PATHS.checkpoint, PATHS.logProof];

/** Says how a valid tree differs from the expected one; undefined if it does not. */
export function differenceFrom(expected: ExpectedTree, seen: SeenTree, where: string): string | undefined {
  const hashOf = (path: string) => {
    const bytes = seen.get(path);
    return bytes && sha256(bytes);
  };
  const { folder } = expected;
  if (hashOf(PATHS.list) !== expected.sha256) {
    return `${where} has another list than ${folder}, which has ${expected.sha256}`;
  }
  if (hashOf(PATHS.checksums) !== expected.checksums) {
    return `${where} has the list of ${folder}, but another ${PATHS.checksums}: other files differ`;
  }
  if (expected.checkpointAt === undefined) return undefined;
  const checkpoint = seen.get(PATHS.checkpoint);
  if (checkpoint === undefined) return `${where} has no ${PATHS.checkpoint}, but ${folder} has one`;
  if (issuedAt(checkpoint, where) >= expected.checkpointAt) return undefined;
  return `${where} has an older ${PATHS.checkpoint} than ${folder}`;
}
