import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';

/**
 * Runs something whose timers pass as fast as this process can run them. The clock stays as it is, and so do other processes.
 *
 * @param eachStep - what happens with every 10 ms of the timers
 * @returns its outcome, and how many milliseconds of the timers have passed
 */
export async function passTime<T>(
  run: () => Promise<T>,
  eachStep: () => void = () => undefined,
): Promise<{ outcome: T; passedMs: number }> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isOver = false;
    const outcome = run().finally(() => {
      isOver = true;
    });
    let passedMs = 0;
    for (; !isOver; passedMs += 10) {
      vi.advanceTimersByTime(10);
      eachStep();
      await setImmediate();
    }
    return { outcome: await outcome, passedMs };
  } finally {
    vi.useRealTimers();
  }
}
