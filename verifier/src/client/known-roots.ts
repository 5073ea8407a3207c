import type { RegistryError } from '../core/errors.js';
import type { RootKey } from '../core/keys/root-key.js';
import {
  currentRoots,
  longestChains,
  pinnedChains,
  type RootChain,
  walkChains,
} from '../core/statements/root-chain.js';
import type { Clock } from '../core/statements/statement.js';

/**
 * Follows rotations of the root key (rule rotation-fork). All rules are here:
 *
 * - A chain is *bound* if it is pinned, if it comes from the store, or if the client has accepted a list under it. A
 *   chain also becomes bound when all sources have responded (or their deadline has passed) and no source has shown a
 *   different chain. The client refuses a source that departs from a bound chain, and continues to use the other
 *   sources.
 * - Beyond the bound part, the client compares the chains of all sources as they arrive. The longest valid chain wins.
 *   The client refuses a list signed by a replaced key, from any source. It keeps the longest chain while the process
 *   runs.
 * - If sources show two valid successors of one key beyond the bound part, the client refuses all sources, because it
 *   cannot tell which successor an attacker made. Each round decides again: the fork ends in a round in which the
 *   sources show exactly one successor, and continues in a round in which no source shows any.
 */
export class KnownRoots {
  #bound: readonly RootChain[];
  #longest: readonly RootChain[];
  /** The fork that no round has resolved. */
  #fork: RegistryError | undefined;
  #isForkedInRound = false;

  constructor(pinned: readonly RootKey[]) {
    this.#bound = pinnedChains(pinned);
    this.#longest = this.#bound;
  }

  /** Begins a round. After a fork, only the bound chains count until the sources show their chains again. */
  beginRound(): void {
    if (this.#fork !== undefined) this.#longest = this.#bound;
    this.#isForkedInRound = false;
  }

  /**
   * Adds the rotation of a source.
   *
   * @param rotation - the bytes of keys/rotation.json. Undefined if the source has no such file
   * @throws the errors of {@link walkChains}. The caller must then refuse the source
   */
  async add(rotation: Uint8Array | undefined, clock: Clock | undefined): Promise<void> {
    const shown = await walkChains(this.#bound, rotation, clock);
    try {
      const longest = longestChains(this.#longest, shown);
      if (longest.some((chain, index) => chain !== this.#longest[index])) this.#longest = longest;
    } catch (error) {
      this.#fork = error as RegistryError;
      this.#isForkedInRound = true;
    }
  }

  /**
   * Returns the longest chains. The array is the same object until the chains change.
   *
   * @throws `ERR_ROTATION_FORK`
   */
  chains(): readonly RootChain[] {
    if (this.#fork !== undefined && this.#isForked()) throw this.#fork;
    return this.#longest;
  }

  /** Returns whether a key is a current root key. */
  isCurrent({ thumbprint }: RootKey): boolean {
    return !this.#isForked() && currentRoots(this.#longest).some((key) => key.thumbprint === thumbprint);
  }

  /** Returns the content of the rotation.json that contains a key. Undefined if no rotation is needed. */
  rotationWith({ thumbprint }: RootKey): string | undefined {
    return this.#longest.find(({ keys }) => keys.some((key) => key.thumbprint === thumbprint))?.rotation;
  }

  /**
   * Binds the longest chains.
   *
   * @param accepted - the key under which a list has been accepted. Binds only chains that end with this key
   * @returns whether the bound chains have changed
   */
  bind(accepted?: RootKey): boolean {
    if (this.#isForked()) return false;
    const before = this.#bound;
    this.#bound = this.#longest.map((chain, index) => {
      const isBound = accepted === undefined || chain.keys.at(-1)?.thumbprint === accepted.thumbprint;
      return isBound ? chain : (before[index] ?? chain);
    });
    this.#fork = undefined;
    return this.#bound.some((chain, index) => chain !== before[index]);
  }

  #isForked(): boolean {
    return this.#isForkedInRound || (this.#fork !== undefined && this.#longest === this.#bound);
  }
}
