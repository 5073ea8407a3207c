/** Random choices that follow from a seed (mulberry32). The same seed makes the same choices, one after the other. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** One of several. */
  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T;
  }

  /** Whether something happens that happens once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }
}
