import {
  createRegistryClient,
  NoUsableSource,
  type RegistryError,
  type StoredPublication,
} from '@passport-registry/verifier';
import { IoFailed, TreeRejected } from '../errors.js';
import type { PinnedTrust } from '../verification/pinned-trust.js';
import { folderSource, type TreeSource } from '../verification/tree-source.js';

/** The conditions under which a mirror accepts a tree. */
export interface AcceptOptions {
  /** What the operator of the mirror has pinned. */
  readonly trust: PinnedTrust;
  /** The maximum age of a list without a checkpoint. */
  readonly maxAgeDays: number;
  /** The publications that the mirror accepted before, newest first. */
  readonly held: readonly StoredPublication[];
}

/** The URL that the client is given for the folder. No request is sent there. */
const BASE = 'https://mirror.invalid/';

/**
 * Asserts that a verifier's client accepts a tree, if the client already holds the publication that the mirror serves.
 * A mirror thus applies the rules of a verifier, and has no rules of its own.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function assertAcceptable(
  folder: string,
  { trust, maxAgeDays, held }: AcceptOptions,
): Promise<void> {
  const source = folderSource(folder);
  for (const stored of [...held, undefined]) {
    const outcome = await readAsClient(source, { trust, maxAgeDays }, stored);
    // A damaged publication, or one that is not valid under the pinned key, is no evidence: try the release before it.
    if (!outcome.storeFailed || stored === undefined) {
      if (outcome.error !== undefined) throw toRejection(outcome.error);
      return;
    }
  }
}

async function readAsClient(
  source: TreeSource,
  { trust: { rootKey, requireCheckpoint }, maxAgeDays }: Omit<AcceptOptions, 'held'>,
  stored: StoredPublication | undefined,
): Promise<{ storeFailed: boolean; error: unknown }> {
  let storeFailed = false;
  const client = createRegistryClient({
    sources: [BASE],
    rootKey: rootKey.jwk,
    requireCheckpoint,
    maxAge: maxAgeDays * 24 * 60 * 60,
    // No request is sent, so only this machine can be slow.
    timeout: 24 * 60 * 60,
    fetch: fetchFrom(source),
    store: { load: async () => stored, save: async () => undefined },
    onEvent: ({ type }) => {
      if (type === 'store-failed') storeFailed = true;
    },
  });
  try {
    await client.ready();
    // With a stored list, the client is ready at once. The refresh makes it read the new list.
    await client.refresh();
    return { storeFailed, error: undefined };
  } catch (error) {
    return { storeFailed, error };
  } finally {
    client.close();
  }
}

/** Makes a `fetch` that responds with the files of a tree. */
function fetchFrom(source: TreeSource): typeof fetch {
  return async (input) => {
    const url = input instanceof Request ? input.url : String(input);
    const file = await source.get(new URL(url).href.slice(BASE.length));
    return file === undefined ? new Response(null, { status: 404 }) : new Response(Buffer.from(file.bytes));
  };
}

function toRejection(error: unknown): unknown {
  if (!(error instanceof NoUsableSource)) return error;
  const reason: RegistryError = Object.values(error.errors)[0] ?? error;
  for (let cause: unknown = reason; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof IoFailed) return cause;
  }
  return new TreeRejected(`${reason.code}, ${reason.message}`, { cause: error });
}
