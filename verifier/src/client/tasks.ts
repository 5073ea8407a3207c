/** Why a request ends. One error for all, because to make an error with a stack costs more than the rest of a stop. */
export const STOPPED = new Error('not needed any more');

type Timer = ReturnType<typeof setTimeout>;

interface UnderWay {
  readonly controller: AbortController;
  readonly timers: Timer[];
}

/** Requests and timers, by the task to which they belong. */
export class Tasks {
  readonly #underWay = new Map<string, UnderWay>();

  /** Returns the signal that ends the requests of a task. */
  signalOf(task: string): AbortSignal {
    return this.#of(task).controller.signal;
  }

  /** Does something after some milliseconds, unless the task is stopped before. */
  wake(task: string, after: number, work: () => void): Timer {
    const timer = setTimeout(work, after);
    this.#of(task).timers.push(timer);
    return timer;
  }

  /** Ends the requests and timers of a task. Without a task: of all. */
  stop(task?: string): void {
    for (const key of task === undefined ? [...this.#underWay.keys()] : [task]) {
      const known = this.#underWay.get(key);
      this.#underWay.delete(key);
      try {
        for (const timer of known?.timers ?? []) clearTimeout(timer);
        known?.controller.abort(STOPPED);
      } catch {
        // Some platforms let no request end what another one has begun.
      }
    }
  }

  #of(task: string): UnderWay {
    const known = this.#underWay.get(task) ?? { controller: new AbortController(), timers: [] };
    this.#underWay.set(task, known);
    return known;
  }
}
