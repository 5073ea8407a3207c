import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type IssuerRegistry,
  RegistryError,
  type RootKey,
  readList,
  verifyList,
} from '@passport-registry/verifier';
import { sha256 } from './checksums.js';
import { byId, describeDifference, listDifference } from './difference.js';
import { IoFailed, KeyRejected, TreeRejected, UsageError } from './errors.js';
import { PATHS } from './paths.js';
import type { PublishedTree } from './published.js';

/** What stands in the folder of a request, beside the list that is to be signed. */
const PREVIOUS = 'previous';
const CHANGES = 'CHANGES.txt';

/** A list that waits to be signed, on a machine that has the key and not the registry. */
export interface SigningRequest {
  /** The bytes to sign: issuers.json of the folder, so that openssl can sign it, too. */
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
  readonly sha256: string;
  /** What it changes, in words, compared with the signed list before; made here and now, and not taken from the folder. */
  readonly changes: readonly string[];
}

/**
 * Writes a signing request: a new folder with the list, the list before with its signature, and the difference in words.
 *
 * @throws {@link UsageError} when the folder is there; {@link IoFailed}
 */
export function writeSigningRequest(
  folder: string,
  list: Uint8Array,
  published: PublishedTree | undefined,
): SigningRequest {
  if (existsSync(folder)) throw new UsageError(`${folder} exists; name a new folder for the signing request`);
  const signed = published?.signed === true ? published : undefined;
  const previous = signed?.list === undefined ? undefined : readList(signed.list);
  const request = describe(list, previous);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, PATHS.list), list);
    writeFileSync(join(folder, CHANGES), [...request.changes, `sha256 ${request.sha256}`, ''].join('\n'));
    if (signed?.list !== undefined && signed.signature !== undefined) {
      mkdirSync(join(folder, PREVIOUS));
      writeFileSync(join(folder, PREVIOUS, PATHS.list), signed.list);
      writeFileSync(join(folder, PREVIOUS, PATHS.signature), signed.signature);
    }
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
  return request;
}

/**
 * Reads a signing request as somebody who trusts nothing but the root key: the list before must be signed by it, the new
 * one must be a good list that is later, and the difference is made of these two.
 *
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected}
 */
export async function readSigningRequest(folder: string, rootKey: RootKey): Promise<SigningRequest> {
  const read = (...path: string[]) => {
    const file = join(folder, ...path);
    return existsSync(file) ? readFileSync(file) : undefined;
  };
  const list = read(PATHS.list);
  if (list === undefined) throw new UsageError(`${folder} is no signing request: it has no ${PATHS.list}`);
  const before = read(PREVIOUS, PATHS.list);
  const signature = read(PREVIOUS, PATHS.signature);
  try {
    const previous =
      before === undefined
        ? undefined
        : (await verifyList({ list: before, signature: String(signature ?? ''), rootKey })).registry;
    const request = describe(list, previous);
    if (previous !== undefined && request.registry.updated_at <= previous.updated_at) {
      throw new TreeRejected(`the list is of ${request.registry.updated_at}, not later than the one before`);
    }
    return request;
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    const signatureFailed = cause.code.startsWith('ERR_SIGNATURE');
    const message = `${folder} is no request to sign: ${cause.code}, ${cause.message}`;
    throw signatureFailed ? new KeyRejected(message, { cause }) : new TreeRejected(message, { cause });
  }
}

function describe(list: Uint8Array, previous: IssuerRegistry | undefined): SigningRequest {
  const registry = readList(list);
  const difference = describeDifference(listDifference(previous, registry), byId(registry.issuers));
  const heading =
    previous === undefined
      ? `FIRST LIST of ${registry.updated_at}: there is no signed list before it`
      : `list of ${registry.updated_at}, after that of ${previous.updated_at}`;
  const nothing = difference.length === 0 ? ['  no record changes'] : difference;
  return { list, registry, sha256: sha256(list), changes: [heading, ...nothing] };
}
