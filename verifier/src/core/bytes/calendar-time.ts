/**
 * Returns whether an RFC 3339 date-time exists in the calendar. The caller must have checked the grammar (section 5.6).
 * A leap second is valid only at 23:59:60 UTC (section 5.7; rule date-time).
 */
export function isCalendarTime(text: string): boolean {
  if (Number(text.slice(8, 10)) > daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7))))
    return false;
  return text.slice(17, 19) < '60' || minuteOfDayUtc(text) === 23 * 60 + 59;
}

function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return leap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function minuteOfDayUtc(text: string): number {
  const local = Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16));
  const [, sign, hours, minutes] = /([+-])([0-9]{2}):([0-9]{2})$/.exec(text) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  return (local - offset + 2 * 24 * 60) % (24 * 60);
}
