import { readStatement } from '@passport-registry/verifier/core';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { readTreeFile } from '../../generator/files/read-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';

/** What a host must serve to publish a tree: its list, its other files, and its statements or newer ones of the same publication. */
export interface ExpectedTree {
  readonly folder: string;
  /** The payload hash of the list. */
  readonly sha256: string;
  /** The hash of SHA256SUMS, which names all files except the statements. */
  readonly checksums: string;
  /** When the checkpoint was issued, in milliseconds since 1970. */
  readonly checkpointAt: number;
}

/** Reads a tree in a folder that a host is compared with. @throws {@link UsageError} | {@link IoFailed} */
export function readExpectedTree(folder: string): ExpectedTree {
  const list = readTreeFile(folder, PATHS.list);
  const sums = readTreeFile(folder, PATHS.checksums);
  const statements = readTreeFile(folder, PATHS.statements);
  if (list === undefined || sums === undefined || statements === undefined) {
    throw new UsageError(`--expect ${folder} is not the folder of a tree`);
  }
  const checkpointAt = issuedAt(statements, folder);
  return { folder, sha256: sha256(list), checksums: sha256(sums), checkpointAt };
}

function issuedAt(statements: Uint8Array | undefined, where: string): number {
  const refuse = (message: string) => new TreeRejected(`the checkpoint of ${where} ${message}`);
  const file = statementsIn(() => statements);
  if (file === undefined) throw refuse('is missing');
  return readStatement(file.checkpoint, 'registry-checkpoint+jwt', refuse).issuedAt;
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

const REMEMBERED: readonly string[] = [PATHS.list, PATHS.checksums, PATHS.statements];

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
  if (issuedAt(seen.get(PATHS.statements), where) >= expected.checkpointAt) return undefined;
  return `${where} has an older checkpoint than ${folder}`;
}
