import type { Steps } from '../core/bytes/steps.js';

/** The number of steps without a pause, if they take less time than {@link SLICE_MS}. */
const SLICE_STEPS = 256;
/** How long to work without a pause, in milliseconds. Some platforms stop the clock while code runs. */
const SLICE_MS = 4;

/**
 * Does work in slices of a few milliseconds, so that requests and timers do not wait for it. In Node.js, the work does
 * not keep the process alive.
 */
export class BackgroundWork<T> {
  readonly #steps: Steps<T>;
  #last: IteratorResult<void, T> | undefined;
  #isStopped = false;

  constructor(steps: Steps<T>) {
    this.#steps = steps;
  }

  /**
   * Begins the work, or goes on with it: some platforms drop the timers of a request that has ended, so each call has its
   * own.
   */
  result(): Promise<T> {
    return new Promise((resolve, reject) => this.#schedule(resolve, reject));
  }

  /** Stops the work. The result then never arrives. */
  stop(): void {
    this.#isStopped = true;
  }

  #schedule(resolve: (result: T) => void, reject: (error: unknown) => void): void {
    const timer = setTimeout(() => {
      if (this.#isStopped) return;
      try {
        const step = this.#slice();
        if (step.done === true) resolve(step.value);
        else this.#schedule(resolve, reject);
      } catch (error) {
        reject(error);
      }
    }, 0);
    (timer as { unref?: () => void }).unref?.();
  }

  #slice(): IteratorResult<void, T> {
    const end = Date.now() + SLICE_MS;
    for (let count = 1; ; count++) {
      // Others may have gone on with the work, to its end.
      if (this.#last?.done !== true) this.#last = this.#steps.next();
      if (this.#last.done === true || count === SLICE_STEPS || Date.now() > end) return this.#last;
    }
  }
}
