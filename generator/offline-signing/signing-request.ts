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
import { validateIssuer } from '../generated/issuer-validator.js';
import { byId } from '../records/check-records.js';
import { describeDifference, listDifference } from '../review/difference.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';

/** Names in the folder of a request, besides the list to sign. */
const PREVIOUS = 'previous';
const CHANGES = 'CHANGES.txt';

/** A list to be signed on a machine that has the key but not the registry. */
export interface SigningRequest {
  /** The bytes to sign: issuers.json in the folder, so that openssl can sign the file, too. */
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
  readonly sha256: string;
  /** The published list that this list follows, verified; undefined for a first list. */
  readonly previous: VerifiedList | undefined;
  /** The difference from the previous list, in words. It is computed from both lists, not read from the folder. */
  readonly changes: readonly string[];
}

/**
 * Writes a signing request: a new folder with the list to sign, the published list with its signature, and the
 * difference in words.
 *
 * @param published - must have a valid signature; undefined for a first list
 * @throws {@link UsageError} if the folder exists; {@link IoFailed}
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

/**
 * Returns the SHA-256, in hexadecimal, of the list that a request follows; undefined if the request is for a first
 * list.
 */
export function followedList(folder: string): string | undefined {
  const list = readFile(folder, PREVIOUS, PATHS.list);
  return list && sha256(list);
}

/**
 * Reads a signing request, and trusts nothing but the root key. The root key must have signed the previous list. The
 * new list must be valid and later. The difference is computed from the two lists.
 *
 * @param previousRootKey - the previous root key, if this is the first list under a new root key
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected}
 */
export async function readSigningRequest(
  folder: string,
  rootKey: RootKey,
  previousRootKey: RootKey | undefined,
): Promise<SigningRequest> {
  const list = readFile(folder, PATHS.list);
  if (list === undefined) throw new UsageError(`${folder} is not a signing request: it has no ${PATHS.list}`);
  const previous = await readPrevious(folder, previousRootKey ?? rootKey);
  try {
    const request = describe(list, previous);
    const before = previous?.registry.updated_at;
    if (before !== undefined && request.registry.updated_at <= before) {
      throw new TreeRejected(
        `the list is dated ${request.registry.updated_at}, not later than the previous list`,
      );
    }
    return request;
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`the list in ${folder} is not valid: ${cause.code}, ${cause.message}`, { cause });
  }
}

async function readPrevious(folder: string, rootKey: RootKey): Promise<VerifiedList | undefined> {
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

/**
 * Reads the list of a request, and checks its records as a build does: verifiers accept some URLs that a build refuses,
 * such as one with the port 99999.
 *
 * @throws {@link RegistryError} | {@link TreeRejected}
 */
export function readRequestedList(list: Uint8Array): IssuerRegistry {
  const registry = readList(list);
  for (const issuer of registry.issuers) {
    if (validateIssuer(issuer)) continue;
    const [error] = validateIssuer.errors ?? [];
    throw new TreeRejected(
      `the record ${issuer.issuer_id} is not valid: ${error?.instancePath} ${error?.message}`,
    );
  }
  return registry;
}

function describe(list: Uint8Array, previous: VerifiedList | undefined): SigningRequest {
  const registry = readRequestedList(list);
  const difference = describeDifference(listDifference(previous?.registry, registry), byId(registry.issuers));
  const heading =
    previous === undefined
      ? `FIRST LIST of ${registry.updated_at}: there is no previous signed list`
      : `list of ${registry.updated_at}, after the list of ${previous.registry.updated_at}`;
  const nothing = difference.length === 0 ? ['  no record changes'] : difference;
  return { list, registry, sha256: sha256(list), previous, changes: [heading, ...nothing] };
}
