type Timer = ReturnType<typeof setTimeout>;

/** Requests and timers, by the task to which they belong. */
export class Tasks {
  readonly #controllers = new Map<string, AbortController>();

  /** Returns the signal that ends the requests of a task. */
  signalOf(task: string): AbortSignal {
    const controller = this.#controllers.get(task) ?? new AbortController();
    this.#controllers.set(task, controller);
    return controller.signal;
  }

  /** Does something after some milliseconds, unless the task is stopped before. */
  wake(task: string, after: number, work: () => void): Timer {
    const timer = setTimeout(work, after);
    this.signalOf(task).addEventListener('abort', () => clearTimeout(timer));
    return timer;
  }

  /** Ends the requests and timers of a task. Without a task: of all. */
  stop(task?: string): void {
    for (const key of task === undefined ? [...this.#controllers.keys()] : [task]) {
      this.#controllers.get(key)?.abort();
      this.#controllers.delete(key);
    }
  }
}
