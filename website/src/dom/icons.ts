import { svgElement } from './element.js';

/** The shapes on a grid of 16 × 16, drawn with lines. */
const SHAPES = {
  check: 'M3 8.5l3.5 3.5L13 4.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  cross: 'M4 4l8 8M12 4l-8 8',
  shield: 'M8 1.5l5.5 2v4c0 3.5-2.3 5.8-5.5 7-3.2-1.2-5.5-3.5-5.5-7v-4zM5.5 8l2 2 3.5-4',
  alert: 'M8 1.5L15 14H1zM8 6v4M8 11.8v.2',
  ring: 'M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6',
} as const;

type IconName = keyof typeof SHAPES;

/** An icon. It repeats what a text beside it says, so screen readers skip it. */
export function icon(name: IconName): SVGElement {
  return svgElement(
    'svg',
    { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    svgElement('path', { d: SHAPES[name] }),
  );
}
