const PARTS = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/**
 * Finds the part of a date-time that is out of its range, and says what to write.
 *
 * @param text - an invalid date-time
 * @returns undefined if the text does not have the form of a date-time
 */
export function dateTimeFault(text: string): string | undefined {
  const [, year = '', month = '', ...rest] = PARTS.exec(text) ?? [];
  if (month === '') return undefined;
  const [day, hour, minute, second, zoneHour = '00', zoneMinute = '00'] = rest;
  const ranges = [
    ['month', month, 1, 12],
    ['day', day, 1, daysInMonth(Number(year), Number(month))],
    ['hour', hour, 0, 23],
    ['minute', minute, 0, 59],
    ['second', second, 0, 59],
    ['hour of the zone', zoneHour, 0, 23],
    ['minute of the zone', zoneMinute, 0, 59],
  ] as const;
  const wrong = ranges.find(([, value, min, max]) => Number(value) < min || Number(value) > max);
  if (wrong === undefined) return undefined;
  const [name, value, min, max] = wrong;
  return `the ${name} is ${value}: write ${String(min).padStart(2, '0')} to ${max}`;
}

function daysInMonth(year: number, month: number): number {
  // The calendar repeats every 400 years, and `Date.UTC` reads years below 100 as years of the 20th century.
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
