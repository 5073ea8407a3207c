import { UsageError } from '../../errors.js';
import { websiteText } from './website-files.js';

/** The least contrast between a text and its ground (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;
const [BLACK, WHITE] = ['#000000', '#ffffff'];
/** The grounds of the style sheet on which links stand, each for light and for dark windows. */
const GROUNDS =
  /--(?:ground|raised|sunken|good-ground|wait-ground|bad-ground): light-dark\((#\w+), (#\w+)\)/g;

/** A colour that cannot be read as a text. */
interface AccentFault {
  readonly expected: string;
  readonly remedy: string;
}

/** Says why a colour cannot be that of the links. Undefined if it can. @param accent - such as `#0b5fff` */
export function accentFault(accent: string): AccentFault | undefined {
  const [light] = grounds();
  if (contrastOn(light, accent) >= MIN_CONTRAST) return undefined;
  const contrast = contrastOn(light, accent).toFixed(1);
  return {
    expected: `a colour with a contrast of ${MIN_CONTRAST} or more to the grounds of the page; this one has ${contrast}`,
    remedy: `write a darker colour, such as '${readable(accent, light, BLACK)}'`,
  };
}

/**
 * Returns the rules for a colour: links have it on light grounds, and a lighter shade of it on dark ones.
 *
 * @throws {@link UsageError} if it cannot be read
 */
export function accentRules(accent: string): string {
  const fault = accentFault(accent);
  if (fault !== undefined) throw new UsageError(`the accent ${accent} cannot be read: ${fault.remedy}`);
  const [, dark] = grounds();
  const link = `light-dark(${accent},${readable(accent, dark, WHITE)})`;
  return `:root{--link:${link}}body{border-top:.3rem solid var(--link)}\n`;
}

/** Mixes a colour with another one until it can be read. */
function readable(colour: string, on: readonly string[], target: string): string {
  for (let part = 0; part < 1; part += 0.05) {
    const mixed = channels(colour).map(
      (value, at) => value + (channels(target)[at] ?? 0) * part - value * part,
    );
    const hex = mixed.map((value) => Math.round(value).toString(16).padStart(2, '0'));
    const shade = `#${hex.join('')}`;
    if (contrastOn(on, shade) >= MIN_CONTRAST) return shade;
  }
  return target;
}

function grounds(): readonly [light: readonly string[], dark: readonly string[]] {
  const found = [...websiteText('registry.css').matchAll(GROUNDS)];
  if (found.length === 0) throw new Error('the style sheet of the page has no grounds');
  return [found.map(([, light = '']) => light), found.map(([, , dark = '']) => dark)];
}

/** The least contrast of a text to any of the grounds. */
function contrastOn(on: readonly string[], text: string): number {
  return Math.min(
    ...on.map((ground) => {
      const [dark = 0, light = 0] = [luminance(ground), luminance(text)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    }),
  );
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The channels of a colour, also of the short form that the bundler of the style sheet writes. */
function channels(colour: string): number[] {
  const digits = colour.slice(1);
  const whole = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits;
  return [0, 2, 4].map((at) => Number.parseInt(whole.slice(at, at + 2), 16));
}
