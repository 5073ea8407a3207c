import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nextUpdatedAt, requestedUpdatedAt } from '../../../build/generator/list/updated-at.js';

const isUsageError = expect.objectContaining({ code: 'ERR_USAGE' });

describe('the time that the user requests', () => {
  it.each([
    ['2026-01-15T09:00:00Z', undefined, '2026-01-15T09:00:00Z'],
    ['2026-01-15T10:00:00+01:00', undefined, '2026-01-15T09:00:00Z'],
    [undefined, '1767225600', '2026-01-01T00:00:00Z'],
    ['2026-01-15T09:00:00Z', '1767225600', '2026-01-15T09:00:00Z'],
    [undefined, '', undefined],
    [undefined, undefined, undefined],
  ])('is, for --updated-at %j and SOURCE_DATE_EPOCH=%j, %j', (option, epoch, time) => {
    expect(requestedUpdatedAt(option, epoch)).toBe(time);
  });

  it.each([
    ['2026-02-30T00:00:00Z', undefined],
    ['yesterday', undefined],
    ['2026-01-01', undefined],
    ['2026-01-01T00:00:00.5Z', undefined],
    [undefined, '1.5'],
    [undefined, '-1'],
    [undefined, 'now'],
    [undefined, '999999999999'],
  ])('is refused for --updated-at %j and SOURCE_DATE_EPOCH=%j', (option, epoch) => {
    const attempt = () => requestedUpdatedAt(option, epoch);
    expect(attempt).toThrow(isUsageError);
    expect(attempt).toThrow(option === undefined ? 'SOURCE_DATE_EPOCH' : '--updated-at');
  });
});

/** A time of one day. */
const at = (time: string | undefined) => time && `2026-01-15T${time}Z`;

describe('the time of the next list, at noon', () => {
  beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-15T12:00:00.400Z')));

  it.each([
    ['without a list before', undefined, undefined, '12:00:00'],
    ['if an earlier one is requested for a first list', '09:00:00', undefined, '09:00:00'],
    ['after an earlier list', undefined, '11:59:59', '12:00:00'],
    ['after a list of this second', undefined, '12:00:00', '12:00:01'],
    ['after a list of a clock that is a little ahead', undefined, '12:04:00', '12:04:01'],
    ['if a later one is requested', '11:00:01', '11:00:00', '11:00:01'],
  ])('is, %s, requested %j and before %j, %s', (_when, requested, previous, next) => {
    expect(nextUpdatedAt(at(requested), at(previous))).toBe(at(next));
  });

  it.each([
    ['the time of the list before is requested', '11:00:00', '11:00:00', '2026-01-15T11:00:00Z'],
    ['an earlier one is requested', '10:59:59', '11:00:00', '2026-01-15T11:00:00Z'],
    ['a time in the future is requested', '12:06:00', '11:00:00', 'in the future'],
    ['a time in the future is requested for a first list', '12:06:00', undefined, 'in the future'],
    ['the list before is from the future', undefined, '12:06:00', 'the clock of this machine'],
  ])('does not exist if %s', (_when, requested, previous, fact) => {
    const attempt = () => nextUpdatedAt(at(requested), at(previous));
    expect(attempt).toThrow(isUsageError);
    expect(attempt).toThrow(fact);
  });
});
