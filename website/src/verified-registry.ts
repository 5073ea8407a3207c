import {
  createRegistryClient,
  importRootKey,
  NoUsableSource,
  type RegistryClient,
  RegistryError,
  type RegistryEvent,
  type RootKey,
} from '@passport-registry/verifier';
import { parseStrictJson } from '@passport-registry/verifier/internal';
import { fetchFile } from './fetch-file.js';

/** Why nothing on the page may be trusted. */
export class NotVerified extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NotVerified';
    this.code = code;
  }
}

/**
 * The registry at an address, verified as any verifier does it, under the root key that is published there.
 *
 * @param pinned - the thumbprint that the key must have
 * @throws {@link NotVerified}
 */
export async function verifiedRegistry(
  base: URL,
  pinned: string | undefined,
  onEvent: (event: RegistryEvent) => void,
): Promise<RegistryClient> {
  const rootKey = await publishedRootKey(base);
  if (pinned !== undefined && rootKey.thumbprint !== pinned) {
    throw new NotVerified(
      'ERR_ROOT_KEY_NOT_PINNED',
      `this host publishes the root key ${rootKey.thumbprint}, and the page was made for ${pinned}`,
    );
  }
  const client = createRegistryClient({ sources: [base.href], rootKey: rootKey.jwk, onEvent });
  try {
    await client.ready();
    return client;
  } catch (error) {
    client.close();
    throw notVerified(error);
  }
}

async function publishedRootKey(base: URL): Promise<RootKey> {
  try {
    return await importRootKey(parseStrictJson(await fetchFile(base, 'keys/root.json')));
  } catch (error) {
    throw notVerified(error);
  }
}

/** What an error means to somebody who looks at the page. */
export function notVerified(error: unknown): NotVerified {
  if (error instanceof NotVerified) return error;
  // There is only one source here: what counts is why that one was refused.
  const cause = error instanceof NoUsableSource ? (Object.values(error.errors)[0] ?? error) : error;
  if (cause instanceof RegistryError) return new NotVerified(cause.code, cause.message, { cause });
  return new NotVerified('ERR_PAGE', cause instanceof Error ? cause.message : String(cause), { cause });
}
