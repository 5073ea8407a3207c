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
  readonly result: Promise<T>;
  readonly #steps: Steps<T>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(steps: Steps<T>) {
    this.#steps = steps;
    this.result = new Promise((resolve, reject) => this.#schedule(resolve, reject));
    // The code that waits for the result gets the error.
    this.result.catch(() => undefined);
  }

  /** Stops the work. The result then never arrives. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #schedule(resolve: (result: T) => void, reject: (error: unknown) => void): void {
    this.#timer = setTimeout(() => {
      try {
        const step = this.#slice();
        if (step.done === true) resolve(step.value);
        else this.#schedule(resolve, reject);
      } catch (error) {
        reject(error);
      }
    }, 0);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #slice(): IteratorResult<void, T> {
    const end = Date.now() + SLICE_MS;
    for (let count = 1; ; count++) {
      const step = this.#steps.next();
      if (step.done === true || count === SLICE_STEPS || Date.now() > end) return step;
    }
  }
}
