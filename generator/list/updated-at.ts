import {
  CLOCK_TOLERANCE_MS,
  type Clock,
  clockNote,
  isDateTime,
  isToCome,
  isUpdatedAt,
} from '@passport-registry/verifier/core';
import { UsageError } from '../errors.js';

/** Returns the clock by which whoever publishes or watches a registry judges times. @param now - milliseconds since 1970 */
export const clockAt = (now = Date.now()): Clock => ({ now, tolerance: CLOCK_TOLERANCE_MS });

/** Formats an instant as `updated_at`: UTC to the second, ending in Z. */
export function formatUpdatedAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/**
 * The time that the user requested, in the form of `updated_at`: `--updated-at` (RFC 3339, whole seconds), or else the
 * environment variable SOURCE_DATE_EPOCH (seconds since 1970).
 *
 * @throws {@link UsageError}
 */
export function requestedUpdatedAt(
  option: string | undefined,
  epoch: string | undefined,
): string | undefined {
  if (option !== undefined) {
    const whole = isDateTime(option) && !/\.\d*[1-9]/.test(option);
    const instant = whole ? Date.parse(option) : Number.NaN;
    if (Number.isNaN(instant)) {
      throw new UsageError(
        '--updated-at takes an RFC 3339 date-time in whole seconds, such as 2026-01-15T09:00:00Z',
      );
    }
    return formatUpdatedAt(instant);
  }
  if (epoch === undefined || epoch === '') return undefined;
  // 253402300799 is the last second of the year 9999, and the last second that RFC 3339 can express.
  if (!/^\d{1,12}$/.test(epoch) || Number(epoch) > 253402300799) {
    throw new UsageError('SOURCE_DATE_EPOCH takes seconds since 1970 as a whole number');
  }
  return formatUpdatedAt(Number(epoch) * 1000);
}

/**
 * The `updated_at` of a list that differs from the published list. The result is always later than the published time,
 * because verifiers refuse older lists and could not order two lists of the same second (rule list-later).
 *
 * @param requested - the time that the user requested, if any
 * @param previous - the `updated_at` of the published list, if there is one
 * @throws {@link UsageError} if no later time is possible
 */
export function nextUpdatedAt(requested: string | undefined, previous: string | undefined): string {
  const now = Date.now();
  if (requested !== undefined) assertNotAhead(requested);
  if (previous === undefined) return requested ?? formatUpdatedAt(now);
  if (requested !== undefined) {
    if (requested > previous) return requested;
    throw new UsageError(
      `updated_at must be later than that of the published list, ${previous}, but ${requested} was requested; request a later time`,
    );
  }
  const earliest = Date.parse(previous) + 1000;
  if (isToCome(earliest, clockAt(now))) {
    throw new UsageError(
      `the published list has updated_at ${previous}, which is in the future ${clockNote(now)}; ` +
        'only if it is right, pass a later time with --updated-at',
    );
  }
  return formatUpdatedAt(Math.max(now, earliest));
}

/** Finds the `updated_at` at the end of a list without parsing, so that a damaged list works too. */
export function updatedAtOf(list: Uint8Array): string | undefined {
  const bytes = Buffer.from(list.buffer, list.byteOffset, list.length);
  const field = '"updated_at":"';
  const at = bytes.lastIndexOf(field);
  const start = at + field.length;
  const text = bytes.toString('latin1', start, start + '2026-01-15T09:00:00Z'.length);
  return at !== -1 && isUpdatedAt(text) ? text : undefined;
}

/**
 * Asserts that a list is not from the future. Verifiers refuse such a list, and it would also block every list with an
 * earlier time.
 *
 * @throws {@link UsageError}
 */
export function assertNotAhead(updatedAt: string): void {
  const now = Date.now();
  if (!isToCome(Date.parse(updatedAt), clockAt(now))) return;
  throw new UsageError(
    `updated_at ${updatedAt} is more than five minutes in the future ${clockNote(now)}: verifiers refuse such a list`,
  );
}
