import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type IssuerRegistry,
  importRootKey,
  isUpdatedAt,
  RegistryError,
  type RootKey,
  verifySignature,
} from '@passport-registry/verifier';
import { CHECKSUMS_PATH, sha256 } from './checksums.js';
import { UsageError } from './errors.js';
import { PATHS } from './paths.js';
import { readIfThere } from './read-file.js';

/** What the output folder already publishes. After a killed build any part may be missing, or of another build. */
export interface PublishedTree {
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
}

/**
 * Reads what a build needs to know of the tree that it will replace.
 *
 * @param known - what is known of its list, so that it need not be verified once more
 * @returns undefined when the folder is empty or not there
 * @throws {@link UsageError} when the folder holds something else: a build removes what is not its own
 */
export async function readPublished(
  out: string,
  known?: { readonly list: Buffer; readonly signed: boolean },
): Promise<PublishedTree | undefined> {
  if (!existsSync(out) || readdirSync(out).length === 0) return undefined;
  if (!existsSync(join(out, PATHS.list)) || !existsSync(join(out, CHECKSUMS_PATH))) {
    throw new UsageError(
      `${out} is not empty and holds no registry: a build removes what does not belong, so choose another folder`,
    );
  }
  const list = known?.list ?? readIfThere(out, PATHS.list);
  const signature = readIfThere(out, PATHS.signature)?.toString('utf8');
  const rootKey = await rootKeyOf(readIfThere(out, PATHS.rootKey));
  return {
    list,
    updatedAt: list && updatedAtOf(list),
    signature,
    rootKey,
    development: existsSync(join(out, PATHS.developmentMark)),
    signed: known?.signed || (await isSigned(list, signature, rootKey)),
  };
}

/** A list that is published, rightly signed. */
export interface PublishedList {
  /** The bytes of its issuers.json. */
  readonly bytes: Uint8Array;
  /** Their SHA-256, in hexadecimal. */
  readonly sha256: string;
  readonly updatedAt: string;
  /** The canonical bytes of its records, by id; found when they are first asked for. */
  records(): ReadonlyMap<string, Uint8Array>;
}

/**
 * The list of a published tree; undefined where none is rightly signed.
 *
 * @param known - what is known of it
 */
export function publishedList(
  { list, updatedAt, signed }: PublishedTree,
  known?: { readonly sha256: string; readonly records: ReadonlyMap<string, Uint8Array> },
): PublishedList | undefined {
  if (list === undefined || updatedAt === undefined || !signed) return undefined;
  let records = known?.records;
  return {
    bytes: list,
    sha256: known?.sha256 ?? sha256(list),
    updatedAt,
    records: () => {
      records ??= recordsOf(list);
      return records;
    },
  };
}

/** Nothing is signed that was not verified before; and what was parsed from canonical text is written as it was read. */
function recordsOf(list: Uint8Array): Map<string, Uint8Array> {
  const { issuers }: IssuerRegistry = JSON.parse(new TextDecoder().decode(list));
  return new Map(issuers.map((issuer) => [issuer.issuer_id, Buffer.from(JSON.stringify(issuer))]));
}

/** The updated_at of a list, looked for at its end without parsing, so that it is found in a damaged one, too. */
export function updatedAtOf(list: Buffer): string | undefined {
  const field = '"updated_at":"';
  const at = list.lastIndexOf(field);
  const start = at + field.length;
  const text = list.toString('latin1', start, start + '2026-01-15T09:00:00Z'.length);
  return at !== -1 && isUpdatedAt(text) ? text : undefined;
}

/** The key in a keys/root.json; undefined when there is none that could be used. */
export async function rootKeyOf(bytes: Uint8Array | undefined): Promise<RootKey | undefined> {
  try {
    return bytes && (await importRootKey(JSON.parse(new TextDecoder().decode(bytes))));
  } catch {
    return undefined;
  }
}

async function isSigned(
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
