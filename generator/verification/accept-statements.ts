import { RegistryError, type RegistryFiles } from '@passport-registry/verifier';
import {
  acceptHead,
  currentRoots,
  type Head,
  type PublicationStatement,
  pinnedChains,
  type RootChain,
  readStatements,
  storedFiles,
  walkChains,
} from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import { CLOCK_TOLERANCE_MS } from '../list/updated-at.js';
import { PATHS } from '../tree/paths.js';
import type { AcceptOptions } from './assert-acceptable.js';
import { ANY_AGE_SECONDS } from './assert-client-accepts.js';
import { registryFiles, type TreeSource } from './tree-source.js';

/**
 * Applies the rules of a verifier's client to the statements of a tree, before its list is there: the rotation from the
 * pinned root key, the publication statement, and the checkpoint with its delegation.
 *
 * @returns the publication statement
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function acceptStatements(
  source: TreeSource,
  options: AcceptOptions,
): Promise<PublicationStatement> {
  try {
    const { chains, head } = await newestHeld(options);
    const read = await readHead(registryFiles(source), { ...options, chains, held: head, expiry: true });
    if (read.head?.statement === undefined) throw new TreeRejected(`${PATHS.publication} is missing`);
    return read.head.statement;
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`${cause.code}, ${cause.message}`, { cause });
  }
}

/** The root keys that are known, and what was accepted under the newest. */
interface Known {
  readonly chains: readonly RootChain[];
  readonly head: Head | undefined;
}

/**
 * Reads the newest publication that was accepted before. A damaged publication, or one that is not valid under the
 * pinned key, is no evidence: the one before it counts.
 */
async function newestHeld(options: AcceptOptions): Promise<Known> {
  const chains = pinnedChains([options.trust.rootKey]);
  for (const stored of options.held) {
    try {
      const conditions = { ...options, chains, held: undefined, expiry: false };
      return await readHead(storedFiles(stored), conditions);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return { chains, head: undefined };
}

interface HeadConditions extends Pick<AcceptOptions, 'trust' | 'maxAgeDays'> {
  readonly chains: readonly RootChain[];
  readonly held: Head | undefined;
  /** Whether to refuse what has expired. */
  readonly expiry: boolean;
}

/** Reads and verifies the statements of a tree. The head is undefined if the tree has no publication statement. */
async function readHead(
  files: RegistryFiles,
  { trust, maxAgeDays, chains, held, expiry }: HeadConditions,
): Promise<Known> {
  const isAnyAge = maxAgeDays === undefined;
  const tolerance = isAnyAge ? ANY_AGE_SECONDS * 1000 : CLOCK_TOLERANCE_MS;
  const maxAge = isAnyAge ? ANY_AGE_SECONDS * 1000 : maxAgeDays * 24 * 60 * 60 * 1000;
  const { requireCheckpoint, requirePublication } = trust;
  const conditions = {
    ...{ floor: held, expiry, maxAge, requireCheckpoint, requirePublication },
    clock: { now: Date.now(), tolerance },
  };
  const walked = await walkChains(chains, await files.get(PATHS.rotation), conditions.clock);
  const [root = trust.rootKey] = currentRoots(walked);
  const statements = await readStatements(files, root, conditions);
  const { statement } = statements;
  return { chains: walked, head: statement && acceptHead(statements, statement, conditions) };
}
