import { onTestFinished, vi } from 'vitest';

/**
 * Lets the time limits that this process sets with `AbortSignal.timeout` end when the test says so, and not by a clock,
 * until the end of the test.
 *
 * @returns a function that ends all limits so far of at most so many milliseconds
 */
export function timeLimitsByHand(): (most?: number) => void {
  const limits: { readonly milliseconds: number; readonly controller: AbortController }[] = [];
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const controller = new AbortController();
    limits.push({ milliseconds, controller });
    return controller.signal;
  });
  onTestFinished(() => spy.mockRestore());
  return (most = Number.POSITIVE_INFINITY) => {
    for (const { milliseconds, controller } of limits)
      if (milliseconds <= most) controller.abort(new DOMException('The time is over', 'TimeoutError'));
  };
}
