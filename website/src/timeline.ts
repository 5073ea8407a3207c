import type { Issuer } from '@passport-registry/verifier';
import { instantOf } from '@passport-registry/verifier/internal';
import type { Change } from './changes.js';
import { element, svgElement } from './element.js';

const WIDTH = 640;
const HEIGHT = 114;
const BASE = 96;
const MIN_BARS = 12;
const MAX_BARS = 48;

/** A chart over time: certifications as bars, and changes of status as dots below the axis. */
export function timeline(issuers: readonly Issuer[], changes: readonly Change[]): HTMLElement {
  const certified = issuers.map(({ certified_since }) => monthOf(certified_since));
  const changed = changes
    .filter(({ field }) => field === 'status')
    .map(({ updated_at }) => monthOf(updated_at));
  const all = [...certified, ...changed];
  const last = all.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const first = all.reduce((a, b) => Math.min(a, b), last - MIN_BARS + 1);
  const months = Math.max(1, Math.ceil((last - first + 1) / MAX_BARS));
  const bars = all.length === 0 ? 0 : Math.floor((last - first) / months) + 1;
  const [certifications, statusChanges] = [certified, changed].map((found) =>
    countPerBar(found, first, months, bars),
  );
  const label = (bar: number) => formatMonth(first + bar * months);
  const summary = `${certified.length} certifications and ${changed.length} changes of status, from ${label(0)} to ${label(bars - 1)}`;
  return element(
    'div',
    {},
    svgElement(
      'svg',
      { class: 'timeline', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': summary },
      certifications && barsOf(certifications, label),
      svgElement('line', { class: 'axis', x1: 0, x2: WIDTH, y1: BASE, y2: BASE }),
      statusChanges && marksOf(statusChanges, label),
    ),
    element(
      'p',
      { class: 'ends', 'aria-hidden': 'true' },
      element('span', {}, label(0)),
      element('span', {}, label(bars - 1)),
    ),
  );
}

function countPerBar(found: readonly number[], first: number, months: number, bars: number): number[] {
  const numbers = Array.from({ length: bars }, () => 0);
  for (const month of found) {
    const index = Math.floor((month - first) / months);
    numbers[index] = (numbers[index] ?? 0) + 1;
  }
  return numbers;
}

function barsOf(numbers: readonly number[], label: (bar: number) => string): SVGElement[] {
  const most = numbers.reduce((a, b) => Math.max(a, b), 1);
  const width = WIDTH / numbers.length;
  return numbers.map((count, index) => {
    const height = (BASE - 4) * (count / most);
    const shape = { x: index * width + 1, y: BASE - height, width: Math.max(1, width - 2), height };
    return svgElement(
      'rect',
      { class: 'bar', ...shape },
      svgElement('title', {}, `${label(index)}: ${count} certified`),
    );
  });
}

function marksOf(numbers: readonly number[], label: (bar: number) => string): SVGElement[] {
  const width = WIDTH / numbers.length;
  return numbers.flatMap((count, index) => {
    if (count === 0) return [];
    const place = { cx: (index + 0.5) * width, cy: BASE + 9, r: Math.min(7, 3 + count) };
    const text = `${label(index)}: ${count} changes of status`;
    return [svgElement('circle', { class: 'mark', ...place }, svgElement('title', {}, text))];
  });
}

/** The month of a date-time in UTC, counted from year 0. */
function monthOf(dateTime: string): number {
  const date = new Date(instantOf(dateTime));
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function formatMonth(month: number): string {
  if (!Number.isFinite(month)) return '';
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}
