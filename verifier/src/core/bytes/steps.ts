/** Work in small steps of some microseconds. Each `yield` is a place where the work may pause. */
export type Steps<T> = Generator<void, T, void>;

/** Does all of the work without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
