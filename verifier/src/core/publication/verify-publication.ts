import type { Clock } from '../bytes/clock.js';
import type { PinnedRoot } from '../keys/root-key.js';
import { currentRoots, pinnedChains, type RootChain, walkChains } from '../statements/root-chain.js';
import { TREE_FILES } from '../tree-files.js';
import { type Publication, type PublicationTrust, readPublication } from './publication.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import { type AcceptedStatements, readAcceptedStatements, type StatementTrust } from './statements.js';
import { readAccepted, type StoredPublication, storedFiles, trustInStore } from './stored-publication.js';

/** What a reader knows before it reads a source. */
export interface Memory {
  /** The pinned root keys, and their successors that are proven. A rotation may only continue them. */
  readonly chains: readonly RootChain[];
  /** The newest publication that was accepted. Nothing older is accepted. Undefined if none was. */
  readonly accepted: AcceptedStatements | undefined;
}

/** What a reader requires, apart from what it knows. */
export type Conditions = Omit<StatementTrust, 'accepted'> &
  Pick<PublicationTrust, 'maxListBytes' | 'needsBytes'>;

/** The facts that one attempt at one source has proven. */
export type Proven<S extends AcceptedStatements> = S & Pick<Memory, 'chains'>;

/** Returns what a reader knows that has only pinned root keys. */
export function pinnedMemory(pinned: readonly PinnedRoot[]): Memory {
  return { chains: pinnedChains(pinned), accepted: undefined };
}

/**
 * Verifies a publication with its list, in one attempt at one source: follows the rotation from the known root keys,
 * then applies the rules in their order (rule client-steps).
 *
 * @throws the error of the first rule that the files break
 */
export async function verifyPublication(
  files: RegistryFiles,
  memory: Memory,
  conditions: Conditions,
): Promise<Proven<Publication>> {
  const chains = await followRotation(files, memory, conditions);
  const trust = { ...conditions, roots: currentRoots(chains), accepted: memory.accepted, current: undefined };
  return { ...(await readPublication(files, trust)), chains };
}

/** Verifies the statements of a publication, like {@link verifyPublication}, but not its list. */
export async function verifyStatements(
  files: RegistryFiles,
  memory: Memory,
  conditions: Conditions,
): Promise<Proven<AcceptedStatements>> {
  const chains = await followRotation(files, memory, conditions);
  const trust = { ...conditions, roots: currentRoots(chains), accepted: memory.accepted };
  return { ...(await readAcceptedStatements(files, trust)), chains };
}

/**
 * Verifies what was accepted and stored before, whatever its age, and returns what is known from then on
 * (rule store-times).
 */
export async function readMemory(
  stored: StoredPublication,
  memory: Memory,
  conditions: Conditions,
): Promise<Memory> {
  const files = storedFiles(stored);
  // A step that seems to be from the future was accepted before the clock was set back.
  const chains = await followRotation(files, memory, { clock: undefined });
  const trust = trustInStore({ ...conditions, accepted: memory.accepted }, chains);
  return { chains, accepted: await readAccepted(files, trust) };
}

async function followRotation(
  files: RegistryFiles,
  { chains }: Memory,
  { clock }: { readonly clock: Clock | undefined },
): Promise<readonly RootChain[]> {
  return walkChains(chains, await limitFiles(files).get(TREE_FILES.rotation), clock);
}
