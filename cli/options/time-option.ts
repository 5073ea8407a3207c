import { instantOf, isDateTime } from '@passport-registry/verifier/core';
import { UsageError } from '../../generator/errors.js';
import { CLOCK_TOLERANCE_MS } from '../../generator/list/updated-at.js';

/**
 * Parses a time in the past.
 *
 * @returns milliseconds since 1970
 * @throws {@link UsageError}
 */
export function pastTime(option: string, text: string): number {
  const time = isDateTime(text) ? instantOf(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new UsageError(
      `${option} takes an RFC 3339 date-time, such as 2026-01-15T09:00:00Z, not ${JSON.stringify(text)}`,
    );
  }
  // The clocks of publishers and witnesses can be ahead.
  if (time > Date.now() + CLOCK_TOLERANCE_MS) throw new UsageError(`${option} ${text} is in the future`);
  return time;
}
