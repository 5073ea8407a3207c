import {
  createRegistryClient,
  NoUsableSource,
  type RegistryError,
  type RootKey,
  type StoredPublication,
} from '@passport-registry/verifier';
import { IoFailed, TreeRejected } from '../errors.js';
import { folderSource, type TreeSource } from '../verification/tree-source.js';

/** How a mirror judges a tree. */
export interface AcceptOptions {
  /** The root key that the operator of the mirror has pinned, or one that its rotation has left. */
  readonly rootKey: RootKey;
  /** Largest age of a list that has no checkpoint, in days. */
  readonly maxAge: number;
  /** What was accepted before, the newest first. */
  readonly held: readonly StoredPublication[];
}

/** Where the client believes the folder to be. Nothing is asked there. */
const BASE = 'https://mirror.invalid/';

/**
 * Judges a tree by a verifier's own client that holds what the mirror serves: so a mirror keeps the rules of a verifier, and has
 * none of its own.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function assertAcceptable(
  folder: string,
  { rootKey, maxAge, held }: AcceptOptions,
): Promise<void> {
  const source = folderSource(folder);
  for (const stored of [...held, undefined]) {
    const outcome = await readAsClient(source, { rootKey, maxAge }, stored);
    // What does not hold under the pinned key, or has rotted, says nothing: the release before it may.
    if (!outcome.storeFailed || stored === undefined) {
      if (outcome.error !== undefined) throw rejected(outcome.error);
      return;
    }
  }
}

async function readAsClient(
  source: TreeSource,
  { rootKey: { jwk }, maxAge }: Omit<AcceptOptions, 'held'>,
  stored: StoredPublication | undefined,
): Promise<{ storeFailed: boolean; error: unknown }> {
  let storeFailed = false;
  const client = createRegistryClient({
    sources: [BASE],
    rootKey: jwk,
    maxAge: maxAge * 24 * 60 * 60,
    // Nothing is sent, so nothing but this machine is slow.
    timeout: 24 * 60 * 60,
    fetch: fetchFrom(source),
    store: { load: async () => stored, save: async () => undefined },
    onEvent: ({ type }) => {
      if (type === 'store-failed') storeFailed = true;
    },
  });
  try {
    await client.ready();
    // A list that is held is at once ready: what counts is what the client makes of the new one.
    await client.refresh();
    return { storeFailed, error: undefined };
  } catch (error) {
    return { storeFailed, error };
  } finally {
    client.close();
  }
}

/** A `fetch` that answers from a tree. */
function fetchFrom(source: TreeSource): typeof fetch {
  return async (input) => {
    const url = input instanceof Request ? input.url : String(input);
    const file = await source.get(new URL(url).href.slice(BASE.length));
    return file === undefined ? new Response(null, { status: 404 }) : new Response(Buffer.from(file.bytes));
  };
}

function rejected(error: unknown): unknown {
  if (!(error instanceof NoUsableSource)) return error;
  const reason: RegistryError = Object.values(error.errors)[0] ?? error;
  for (let cause: unknown = reason; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof IoFailed) return cause;
  }
  return new TreeRejected(`${reason.code}, ${reason.message}`, { cause: error });
}
