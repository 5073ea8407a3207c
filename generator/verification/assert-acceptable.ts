import {
  createRegistryClient,
  NoUsableSource,
  type RegistryError,
  type StoredPublication,
} from '@passport-registry/verifier';
import { IoFailed, TreeRejected } from '../errors.js';
import { ANY_AGE_SECONDS } from './assert-client-accepts.js';
import { type PinnedTrust, trustAnchorOf } from './pinned-trust.js';
import type { TreeSource } from './tree-source.js';

/** The conditions under which a tree is accepted. */
export interface AcceptOptions {
  /** What is pinned: by the operator of a mirror, or by those who verified the previous tree. */
  readonly trust: PinnedTrust;
  /** The maximum age of a list without a checkpoint. Undefined: nothing is too old or has expired. */
  readonly maxAgeDays: number | undefined;
  /** The publications that were accepted before, newest first. */
  readonly held: readonly StoredPublication[];
}

/** The URL that the client is given for the tree. No request is sent there. */
const BASE = 'https://tree.invalid/';

/**
 * Asserts that a verifier's client accepts a tree, if the client already holds an earlier publication. A mirror and
 * `branch save` thus apply the rules of a verifier, and have no rules of their own.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function assertAcceptable(
  source: TreeSource,
  { trust, maxAgeDays, held }: AcceptOptions,
): Promise<void> {
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
  { trust, maxAgeDays }: Omit<AcceptOptions, 'held'>,
  stored: StoredPublication | undefined,
): Promise<{ storeFailed: boolean; error: unknown }> {
  let storeFailed = false;
  const client = createRegistryClient({
    sources: [BASE],
    trustAnchor: trustAnchorOf(trust),
    maxAge: maxAgeDays === undefined ? ANY_AGE_SECONDS : maxAgeDays * 24 * 60 * 60,
    ...(maxAgeDays === undefined && { clockTolerance: ANY_AGE_SECONDS }),
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

/** Makes a `fetch` that responds with the files of a tree. Hosts ignore a query, with which a client passes by caches. */
function fetchFrom(source: TreeSource): typeof fetch {
  return async (input) => {
    const url = input instanceof Request ? input.url : String(input);
    const [path = ''] = new URL(url).href.slice(BASE.length).split('?');
    const file = await source.get(path);
    return file === undefined ? new Response(null, { status: 404 }) : new Response(Buffer.from(file.bytes));
  };
}

function toRejection(error: unknown): unknown {
  if (!(error instanceof NoUsableSource)) return error;
  const reason: RegistryError = Object.values(error.errors)[0] ?? error;
  for (let cause: unknown = reason; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof IoFailed) return cause;
  }
  return new TreeRejected(`${reason.code}, ${reason.message}`, { cause: reason });
}
