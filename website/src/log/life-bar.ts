import type { Issuer } from '@passport-registry/verifier';
import { instantOf } from '@passport-registry/verifier/core';
import { element, svgElement } from '../dom/element.js';
import { day } from '../dom/time.js';
import { history as text } from '../texts.js';
import type { HistoryStep } from './issuer-history.js';

/** A time in which an issuer had one status. Undefined: nothing is known. Null: it was not in the list. */
interface Period {
  readonly from: number;
  readonly to: number;
  readonly status: string | null | undefined;
}

const HEIGHT = 24;
const BAR_HEIGHT = 8;
const MARK_RADIUS = 6;

/** The id of the step in the page. */
export const stepId = ({ index, kind }: HistoryStep) => `step-${index}-${kind}`;

/**
 * The life of an issuer from its recognition to now, as far as it has been read from the log: a bar with its status, and a mark
 * for each change, which leads to the step and its proof. The steps say the same in words, so screen readers skip the bar.
 *
 * @param steps - newest first
 */
export function lifeBar(issuer: Issuer | undefined, steps: readonly HistoryStep[]): HTMLElement {
  const to = Date.now();
  const oldest = steps.at(-1);
  const recognised = issuer === undefined ? Number.NaN : instantOf(issuer.certified_since);
  const from = Math.min(
    oldest === undefined ? to : timeOf(oldest),
    Number.isNaN(recognised) ? to : recognised,
  );
  const place = (time: number) => (100 * (time - from)) / Math.max(1, to - from);
  const periods = periodsOf(issuer?.status ?? null, steps, { from, to });
  // The newest mark is on top.
  const changes = steps.filter(({ kind }) => kind !== 'gap' && kind !== 'oldest').reverse();
  const bar = svgElement(
    'svg',
    { width: '100%', height: HEIGHT, overflow: 'visible', 'aria-hidden': 'true' },
    periods.map((period) => periodShape(period, place)),
    changes.map((step) => mark(step, place)),
  );
  const begin = day(new Date(from).toISOString());
  return element(
    'div',
    { class: 'life' },
    bar,
    element('div', { class: 'state' }, begin, element('span', {}, text.now)),
  );
}

const timeOf = ({ entry }: HistoryStep) => instantOf(entry.updated_at);

/** The periods of one status each, newest first. What is before the oldest list that was read is not known. */
function periodsOf(
  current: string | null,
  steps: readonly HistoryStep[],
  { from, to }: Pick<Period, 'from' | 'to'>,
): Period[] {
  const periods: Period[] = [];
  let [status, end]: [Period['status'], number] = [current, to];
  for (const step of steps) {
    periods.push({ from: timeOf(step), to: end, status });
    end = timeOf(step);
    status = statusBefore(step, status);
  }
  return [...periods, { from, to: end, status: steps.at(-1)?.kind === 'oldest' ? undefined : status }];
}

function statusBefore(step: HistoryStep, after: Period['status']): Period['status'] {
  if (step.kind === 'added') return null;
  if (step.kind !== 'changed') return step.kind === 'oldest' ? after : undefined;
  const change = step.changes.find(({ member }) => member === 'status');
  return change === undefined ? after : String(change.from);
}

const COLOURS: readonly string[] = ['active', 'suspended', 'revoked'];

function periodShape({ from, to, status }: Period, place: (time: number) => number): SVGElement {
  const isColoured = typeof status === 'string' && COLOURS.includes(status);
  return svgElement('rect', {
    class: isColoured ? `status ${status}` : 'none',
    fill: 'currentcolor',
    x: `${place(from)}%`,
    y: (HEIGHT - BAR_HEIGHT) / 2,
    width: `${Math.max(0, place(to) - place(from))}%`,
    // What is not known is thinner, for readers who see no colours.
    height: isColoured ? BAR_HEIGHT : BAR_HEIGHT / 4,
  });
}

function mark(step: HistoryStep, place: (time: number) => number): SVGElement {
  return svgElement(
    'a',
    { href: `#${stepId(step)}`, tabindex: -1 },
    svgElement('circle', {
      fill: 'currentcolor',
      cx: `${place(timeOf(step))}%`,
      cy: HEIGHT / 2,
      r: MARK_RADIUS,
    }),
  );
}
