import { forEachConcurrent } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';

/** Starts the work on five items, and says what was started. An item fails if it is bad. */
async function started(concurrency: number, isBad = (_item: number) => false) {
  const items: number[] = [];
  let [running, most] = [0, 0];
  const work = async (item: number) => {
    items.push(item);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (isBad(item)) throw new Error(`item ${item}`);
  };
  const error = await forEachConcurrent([1, 2, 3, 4, 5], concurrency, work).catch(
    (cause: Error) => cause.message,
  );
  return { items, most, error, running };
}

describe('forEachConcurrent', () => {
  it('works on every item, several at a time', async () => {
    expect(await started(2)).toEqual({ items: [1, 2, 3, 4, 5], most: 2, error: undefined, running: 0 });
    expect((await started(1)).most).toBe(1);
    expect((await started(9)).most).toBe(5);
  });

  it('starts nothing after a failure, and ends what was begun', async () => {
    const failed = { items: [1, 2], most: 2, error: 'item 1', running: 0 };
    expect(await started(2, (item) => item === 1)).toEqual(failed);
    expect((await started(1, (item) => item === 3)).items).toEqual([1, 2, 3]);
  });
});
