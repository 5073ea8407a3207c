import type { Issuer } from '@passport-registry/verifier';
import { instantOf } from '@passport-registry/verifier/internal';
import type { Change } from './changes.js';
import { drawn, element } from './element.js';

const WIDTH = 640;
const HEIGHT = 114;
const BASE = 96;
const FEWEST_BARS = 12;
const MOST_BARS = 48;

/** Certifications as bars, changes of status as marks below them, along one axis of time. */
export function timeline(issuers: readonly Issuer[], changes: readonly Change[]): HTMLElement {
  const certified = issuers.map(({ certified_since }) => monthOf(certified_since));
  const moved = changes
    .filter(({ field }) => field === 'status')
    .map(({ updated_at }) => monthOf(updated_at));
  const all = [...certified, ...moved];
  const last = all.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const first = all.reduce((a, b) => Math.min(a, b), last - FEWEST_BARS + 1);
  const months = Math.max(1, Math.ceil((last - first + 1) / MOST_BARS));
  const bars = all.length === 0 ? 0 : Math.floor((last - first) / months) + 1;
  const [certifications, moves] = [certified, moved].map((found) => perBar(found, first, months, bars));
  const label = (bar: number) => nameOf(first + bar * months);
  const said = `${certified.length} certifications and ${moved.length} changes of status, from ${label(0)} to ${label(bars - 1)}`;
  return element(
    'div',
    {},
    drawn(
      'svg',
      { class: 'timeline', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': said },
      certifications && barsOf(certifications, label),
      drawn('line', { class: 'axis', x1: 0, x2: WIDTH, y1: BASE, y2: BASE }),
      moves && marksOf(moves, label),
    ),
    element(
      'p',
      { class: 'ends', 'aria-hidden': 'true' },
      element('span', {}, label(0)),
      element('span', {}, label(bars - 1)),
    ),
  );
}

function perBar(found: readonly number[], first: number, months: number, bars: number): number[] {
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
    return drawn(
      'rect',
      { class: 'bar', ...shape },
      drawn('title', {}, `${label(index)}: ${count} certified`),
    );
  });
}

function marksOf(numbers: readonly number[], label: (bar: number) => string): SVGElement[] {
  const width = WIDTH / numbers.length;
  return numbers.flatMap((count, index) => {
    if (count === 0) return [];
    const place = { cx: (index + 0.5) * width, cy: BASE + 9, r: Math.min(7, 3 + count) };
    const text = `${label(index)}: ${count} changes of status`;
    return [drawn('circle', { class: 'mark', ...place }, drawn('title', {}, text))];
  });
}

/** Months since year 0, in UTC. */
function monthOf(dateTime: string): number {
  const date = new Date(instantOf(dateTime));
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function nameOf(month: number): string {
  if (!Number.isFinite(month)) return '';
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}
