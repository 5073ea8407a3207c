import { afterEachFile } from './endings.js';

const FACTOR = 50;

/** The pause for a file with a known hash. */
const SAME_FILE_MS = 200;
/** The pauses for a whole source are random, so they are hardly ever whole numbers. */
const MAX_SOURCE_MS = 600;

const isRetry = (ms: number) => ms === SAME_FILE_MS || (ms < MAX_SOURCE_MS && !Number.isInteger(ms));

let usual: typeof setTimeout | undefined;

/**
 * Shortens the pauses of clients before they ask a source again, for the rest of a test file. Without this, tests of refusals
 * wait for most of their time. Deadlines, intervals and the timers of Node.js stay as they are.
 */
export function shortenRetries(): void {
  const { setTimeout } = globalThis;
  usual ??= setTimeout;
  const shortened = (work: () => void, ms = 0, ...rest: unknown[]) =>
    setTimeout(work, isRetry(ms) ? ms / FACTOR : ms, ...(rest as []));
  globalThis.setTimeout = Object.defineProperties(
    shortened,
    Object.getOwnPropertyDescriptors(setTimeout),
  ) as typeof setTimeout;
}

afterEachFile(() => {
  if (usual !== undefined) globalThis.setTimeout = usual;
  usual = undefined;
});
