import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, RegistryError, type RootKey, verifySignature } from '@passport-registry/verifier';
import { parseStrictJson } from '@passport-registry/verifier/internal';
import { UsageError } from '../errors.js';
import { readIfThere } from '../files/read-file.js';
import { updatedAtOf } from '../list/updated-at.js';
import { CHECKSUMS_PATH, parseChecksums, sha256 } from './checksums.js';
import { PATHS } from './paths.js';

/** What the output folder already publishes. After a killed build any part may be missing, or of another build. */
export interface PublishedTree {
  /** The folder that holds it. */
  readonly folder: string;
  readonly list: Uint8Array | undefined;
  /** The updated_at of its list, which the next one must exceed; looked for even in a list that is damaged. */
  readonly updatedAt: string | undefined;
  /** The text of its signature. */
  readonly signature: string | undefined;
  readonly rootKey: RootKey | undefined;
  /** Whether a development key signed it. */
  readonly development: boolean;
  /** Whether the signature is one over the list by the root key. */
  readonly signed: boolean;
  /**
   * Whether the list, and the root key, are what a build has published: rightly signed, or as the checksums say. A build that was killed
   * leaves them so; somebody who edits the tree does not.
   */
  readonly intact: { readonly list: boolean; readonly rootKey: boolean };
  /** The hashes of its SHA256SUMS by path, read at the first call; undefined when the file is damaged. */
  readonly checksums: () => ReadonlyMap<string, string> | undefined;
}

/**
 * Reads what a build needs to know of the tree that it will replace.
 *
 * @returns undefined when the folder is empty or not there
 * @throws {@link UsageError} when the folder holds something else: a build removes what is not its own
 */
export async function readPublished(out: string): Promise<PublishedTree | undefined> {
  if (!existsSync(out)) return undefined;
  if (!statSync(out).isDirectory()) throw new UsageError(`${out} is not a folder: name another with --out`);
  if (readdirSync(out).length === 0) return undefined;
  if (!existsSync(join(out, PATHS.list)) || !existsSync(join(out, CHECKSUMS_PATH))) {
    throw new UsageError(
      `${out} is not empty and holds no registry: a build removes what does not belong, so choose another folder`,
    );
  }
  const [list, root] = [readIfThere(out, PATHS.list), readIfThere(out, PATHS.rootKey)];
  const signature = readIfThere(out, PATHS.signature)?.toString('utf8');
  const rootKey = await rootKeyOf(root);
  const signed = await isSigned(list, signature, rootKey);
  let read: { readonly sums: ReadonlyMap<string, string> | undefined } | undefined;
  const checksums = () => {
    read ??= { sums: parseChecksums(readIfThere(out, CHECKSUMS_PATH)?.toString('utf8') ?? '') };
    return read.sums;
  };
  const isListed = (path: string, bytes: Uint8Array | undefined) =>
    bytes !== undefined && checksums()?.get(path) === sha256(bytes);
  const mark = readIfThere(out, PATHS.developmentMark);
  return {
    folder: out,
    list,
    updatedAt: list && updatedAtOf(list),
    signature,
    rootKey,
    // A file that somebody has put there makes no development tree.
    development: isListed(PATHS.developmentMark, mark),
    signed,
    intact: { list: signed || isListed(PATHS.list, list), rootKey: signed || isListed(PATHS.rootKey, root) },
    checksums,
  };
}

/** The key in a keys/root.json; undefined when there is none that could be used. */
export async function rootKeyOf(bytes: Uint8Array | undefined): Promise<RootKey | undefined> {
  try {
    return bytes && (await importRootKey(parseStrictJson(bytes)));
  } catch {
    return undefined;
  }
}

/** Whether a signature is one over a list by a root key. */
export async function isSigned(
  list: Uint8Array | undefined,
  signature: string | undefined,
  rootKey: RootKey | undefined,
): Promise<boolean> {
  if (list === undefined || signature === undefined || rootKey === undefined) return false;
  try {
    await verifySignature(list, signature, rootKey);
    return true;
  } catch (error) {
    if (error instanceof RegistryError) return false;
    throw error;
  }
}
