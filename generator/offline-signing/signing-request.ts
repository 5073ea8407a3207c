import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type IssuerRegistry,
  RegistryError,
  type RootKey,
  readList,
  type VerifiedList,
  verifyList,
} from '@passport-registry/verifier';
import { IoFailed, KeyRejected, TreeRejected, UsageError } from '../errors.js';
import { readBytes } from '../files/read-file.js';
import { byId } from '../records/check-records.js';
import { describeDifference, listDifference } from '../review/difference.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';

/** What stands in the folder of a request, beside the list that is to be signed. */
const PREVIOUS = 'previous';
const CHANGES = 'CHANGES.txt';

/** A list that waits to be signed, on a machine that has the key and not the registry. */
export interface SigningRequest {
  /** The bytes to sign: issuers.json of the folder, so that openssl can sign it, too. */
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
  readonly sha256: string;
  /** The published list that this one follows, verified; undefined for a first list. */
  readonly previous: VerifiedList | undefined;
  /** What it changes, in words, compared with the signed list before; made here and now, and not taken from the folder. */
  readonly changes: readonly string[];
}

/**
 * Writes a signing request: a new folder with the list, the published list that it follows with its signature, and the
 * difference in words.
 *
 * @param published - rightly signed; undefined for a first list
 * @throws {@link UsageError} when the folder is there; {@link IoFailed}
 */
export function writeSigningRequest(
  folder: string,
  list: Uint8Array,
  published: PublishedTree | undefined,
): SigningRequest {
  if (existsSync(folder)) throw new UsageError(`${folder} exists; name a new folder for the signing request`);
  const { list: before, signature } = published ?? {};
  const request = describe(list, before && { registry: readList(before), sha256: sha256(before) });
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, PATHS.list), list);
    writeFileSync(join(folder, CHANGES), [...request.changes, `sha256 ${request.sha256}`, ''].join('\n'));
    if (before !== undefined && signature !== undefined) {
      mkdirSync(join(folder, PREVIOUS));
      writeFileSync(join(folder, PREVIOUS, PATHS.list), before);
      writeFileSync(join(folder, PREVIOUS, PATHS.signature), signature);
    }
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
  return request;
}

/** The list that a request follows: SHA-256, in hexadecimal; undefined where the request says that there is none. */
export function followedList(folder: string): string | undefined {
  const list = readFile(folder, PREVIOUS, PATHS.list);
  return list && sha256(list);
}

/**
 * Reads a signing request as somebody who trusts nothing but the root key: the list before must be signed by it, the new
 * one must be a good list that is later, and the difference is made of these two.
 *
 * @param previousRootKey - the root key before, when this is the first list under a new one
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected}
 */
export async function readSigningRequest(
  folder: string,
  rootKey: RootKey,
  previousRootKey: RootKey | undefined,
): Promise<SigningRequest> {
  const list = readFile(folder, PATHS.list);
  if (list === undefined) throw new UsageError(`${folder} is not a signing request: it has no ${PATHS.list}`);
  const previous = await followedBy(folder, previousRootKey ?? rootKey);
  try {
    const request = describe(list, previous);
    const before = previous?.registry.updated_at;
    if (before !== undefined && request.registry.updated_at <= before) {
      throw new TreeRejected(`the list is of ${request.registry.updated_at}, not later than the one before`);
    }
    return request;
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`${folder} has no list to sign: ${cause.code}, ${cause.message}`, { cause });
  }
}

async function followedBy(folder: string, rootKey: RootKey): Promise<VerifiedList | undefined> {
  const list = readFile(folder, PREVIOUS, PATHS.list);
  const signature = readFile(folder, PREVIOUS, PATHS.signature)?.toString('utf8') ?? '';
  try {
    return list && (await verifyList({ list, signature, rootKey }));
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    if (!cause.code.startsWith('ERR_SIGNATURE')) {
      throw new TreeRejected(`${folder} does not follow a valid list: ${cause.code}, ${cause.message}`, {
        cause,
      });
    }
    throw new KeyRejected(
      `the published list that ${folder} follows is not signed by ${rootKey.thumbprint}: sign with the root key of that registry; ` +
        'after a rotation, name the previous key with --previous-root-key',
      { cause },
    );
  }
}

function readFile(...path: string[]): Buffer | undefined {
  const file = join(...path);
  return existsSync(file) ? readBytes(file) : undefined;
}

function describe(list: Uint8Array, previous: VerifiedList | undefined): SigningRequest {
  const registry = readList(list);
  const difference = describeDifference(listDifference(previous?.registry, registry), byId(registry.issuers));
  const heading =
    previous === undefined
      ? `FIRST LIST of ${registry.updated_at}: there is no signed list before it`
      : `list of ${registry.updated_at}, after that of ${previous.registry.updated_at}`;
  const nothing = difference.length === 0 ? ['  no record changes'] : difference;
  return { list, registry, sha256: sha256(list), previous, changes: [heading, ...nothing] };
}
