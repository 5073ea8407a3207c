import { isDateTime } from '@passport-registry/verifier';
import { instantOf } from '@passport-registry/verifier/internal';
import { UsageError } from '../../errors.js';

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
  if (time > Date.now()) throw new UsageError(`${option} ${text} is in the future`);
  return time;
}
