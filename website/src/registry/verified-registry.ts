import type {
  RegistryClient,
  RegistryEvent,
  RegistryStatus,
  RootKey,
  TrustAnchor,
} from '@passport-registry/verifier';
import {
  createRegistryClient,
  importRootKey,
  NoUsableSource,
  parseStrictJson,
  RegistryError,
  TREE_FILES,
} from '../verifier.js';
import { fetchFile } from './fetch-file.js';

/** The error when the registry cannot be verified. The page then shows no data of the registry. */
export class NotVerified extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NotVerified';
    this.code = code;
  }
}

/** A trust anchor for one registry. */
export interface RegistryAnchor extends TrustAnchor {
  readonly sources: [string];
}

/**
 * What the page trusts: the root key, and the log in which the lists must be. The page pins no witnesses.
 *
 * @param base - the URL of the registry
 * @param log - the name of the log. Undefined if the lists need not be in a log
 */
export function anchorOfPage({ jwk }: RootKey, base: URL, log: string | undefined): RegistryAnchor {
  return { root: jwk, ...(log !== undefined && { log }), sources: [base.href] };
}

/**
 * Opens the registry of a trust anchor with the verifier library.
 *
 * @throws {@link NotVerified}
 */
export async function verifiedRegistry(
  trustAnchor: RegistryAnchor,
  onEvent: (event: RegistryEvent) => void,
): Promise<RegistryClient> {
  const client = createRegistryClient({ trustAnchor, onEvent });
  try {
    await client.ready();
    return client;
  } catch (error) {
    client.close();
    throw notVerified(error);
  }
}

/**
 * Fetches the root key that is published at a URL.
 *
 * @param pinned - the thumbprint that the root key must have; undefined accepts any root key
 * @throws {@link NotVerified}
 */
export async function fetchRootKey(base: URL, pinned: string | undefined): Promise<RootKey> {
  const rootKey = await parseRootKey(base);
  if (pinned === undefined || rootKey.thumbprint === pinned) return rootKey;
  throw new NotVerified(
    'ERR_ROOT_KEY_NOT_PINNED',
    `this host publishes the root key ${rootKey.thumbprint}, but this page pins ${pinned}`,
  );
}

async function parseRootKey(base: URL): Promise<RootKey> {
  try {
    return await importRootKey(parseStrictJson(await fetchFile(base, TREE_FILES.rootKey)));
  } catch (error) {
    throw notVerified(error);
  }
}

/**
 * Converts any error to a `NotVerified` with the code and message that the page shows.
 *
 * @param status - of a client whose list may have grown stale. Undefined if there is none
 */
export function notVerified(
  error: unknown,
  status?: Pick<RegistryStatus, 'errors'> | undefined,
): NotVerified {
  if (error instanceof NotVerified) return error;
  // The client has a single source, so the error of that source is the cause.
  const errors = status?.errors ?? (error instanceof NoUsableSource ? error.errors : {});
  const cause = Object.values(errors)[0] ?? error;
  if (cause instanceof RegistryError) return new NotVerified(cause.code, cause.message, { cause });
  return new NotVerified('ERR_PAGE', cause instanceof Error ? cause.message : String(cause), { cause });
}
