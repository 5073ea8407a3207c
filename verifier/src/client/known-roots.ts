import type { RotationFork } from '../errors.js';
import {
  currentRoots,
  longestChains,
  pinnedChains,
  type RootChain,
  walkChains,
} from '../trust/root-chain.js';
import type { RootKey } from '../trust/root-key.js';
import type { Clock } from '../trust/statement.js';

/**
 * The rule by which a client follows rotations (SPEC C4), in one place:
 *
 * - A chain is *bound* if it is pinned, if it comes from the store, if the client has accepted a list under it, or if all
 *   sources have answered (or their deadline has passed) and none has shown another. A source that leaves a bound chain is
 *   refused; the other sources are still used.
 * - Beyond the bound part, the client compares the chains of all sources as they arrive. The longest valid chain wins: a
 *   list signed by a key that the chain has left is refused, whichever source has it. The client keeps the longest chain
 *   for as long as the process runs.
 * - If two sources show two valid successors of one key beyond the bound part, the client refuses all sources: it cannot
 *   tell which successor an attacker made. Each round judges anew: a round in which sources show only one successor ends
 *   the fork, a round in which no source shows any does not.
 */
export class KnownRoots {
  #bound: readonly RootChain[];
  #longest: readonly RootChain[];
  /** The fork that no round has resolved yet. */
  #fork: RotationFork | undefined;
  #isForkedInRound = false;

  constructor(pinned: readonly RootKey[]) {
    this.#bound = pinnedChains(pinned);
    this.#longest = this.#bound;
  }

  /** Begins a round: after a fork, the sources show their chains anew. */
  beginRound(): void {
    if (this.#fork !== undefined) this.#longest = this.#bound;
    this.#isForkedInRound = false;
  }

  /**
   * Takes the rotation of a source into account.
   *
   * @param rotation - the bytes of keys/rotation.json; undefined if the source has no such file
   * @throws the errors of {@link walkChains}; the caller then refuses the source
   */
  async add(rotation: Uint8Array | undefined, clock: Clock | undefined): Promise<void> {
    const shown = await walkChains(this.#bound, rotation, clock);
    try {
      const longest = longestChains(this.#longest, shown);
      if (longest.some((chain, index) => chain !== this.#longest[index])) this.#longest = longest;
    } catch (error) {
      this.#fork = error as RotationFork;
      this.#isForkedInRound = true;
    }
  }

  /**
   * The longest chains; the same array until the chains change.
   *
   * @throws {@link RotationFork}
   */
  chains(): readonly RootChain[] {
    if (this.#fork !== undefined && this.#isForked()) throw this.#fork;
    return this.#longest;
  }

  /** Whether a key is trusted now. */
  isCurrent({ thumbprint }: RootKey): boolean {
    return !this.#isForked() && currentRoots(this.#longest).some((key) => key.thumbprint === thumbprint);
  }

  /** The text of the rotation.json that leads to or over a key, if a rotation does. */
  rotationOver({ thumbprint }: RootKey): string | undefined {
    return this.#longest.find(({ keys }) => keys.some((key) => key.thumbprint === thumbprint))?.rotation;
  }

  /**
   * Binds the longest chains.
   *
   * @param accepted - binds only the chains to this key, under which a list has been accepted
   * @returns whether a chain has been bound that was not bound before
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
