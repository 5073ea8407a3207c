import { isUtf8 } from 'node:buffer';
import { UsageError } from '../../errors.js';
import { readBytes } from '../../files/read-file.js';

/** The logo of a registry, which the page shows as an image. */
export interface Logo {
  readonly bytes: Uint8Array;
  readonly ending: 'svg' | 'png';
  /** Its width for a height of 1. */
  readonly ratio: number;
}

/** Readers wait for it. */
const MAX_BYTES = 64 * 1024;
/** The page has no room for a wider one. */
const MAX_RATIO = 8;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Reads a logo, and refuses one that could do more than show a picture: a browser runs the scripts of an SVG image that
 * somebody opens by its own URL.
 *
 * @throws {@link UsageError} | {@link IoFailed}
 */
export function readLogo(file: string): Logo {
  const refuse = (why: string) => new UsageError(`the logo ${file} ${why}`);
  const bytes = readBytes(file, MAX_BYTES);
  const logo = bytes.subarray(0, 8).equals(PNG_SIGNATURE) ? pngLogo(bytes) : svgLogo(bytes, refuse);
  if (!(logo.ratio <= MAX_RATIO && logo.ratio >= 1 / MAX_RATIO))
    throw refuse(
      `has no usable size: an SVG needs a viewBox, and one side may have ${MAX_RATIO} times the other`,
    );
  return logo;
}

function pngLogo(bytes: Buffer): Logo {
  const [width, height] = bytes.length < 24 ? [0, 0] : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return { bytes, ending: 'png', ratio: width / height };
}

/** What a picture is made of. Everything else could run a script, move, or fetch something. */
const ELEMENTS = new Set(
  'svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop clipPath mask'.split(
    ' ',
  ),
);
/** A tag, a comment or the XML declaration at the beginning. A document type could define entities. */
const TOKEN =
  /<!--(?:(?!--)[\s\S])*-->|<(\/?)([A-Za-z]+)((?:\s+[A-Za-z][\w:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>|(?<=^\s*)<\?xml [^?<>]*\?>|</g;
const ATTRIBUTE = /([A-Za-z][\w:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const NAMESPACES = ['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink'];

function svgLogo(bytes: Buffer, refuse: (why: string) => UsageError): Logo {
  if (!isUtf8(bytes)) throw refuse('is neither a PNG nor an SVG image in UTF-8');
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  let viewBox: string | undefined;
  let isFirst = true;
  for (const { 0: token, 2: name, 3: attributes = '', index } of text.matchAll(TOKEN)) {
    const line = text.slice(0, index).split('\n').length;
    const refused = (what: string) => refuse(`has ${what} in line ${line}: remove it`);
    if (token === '<') throw refused('something other than elements and comments');
    if (name === undefined) continue;
    if (isFirst && name !== 'svg') throw refuse('is neither a PNG nor an SVG image');
    if (!ELEMENTS.has(name)) throw refused(`the element ${name}`);
    for (const [, key = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
      const value = double ?? single ?? '';
      if (!isHarmless(key, value)) throw refused(`the attribute ${key}`);
      if (isFirst && key === 'viewBox') viewBox = value;
    }
    isFirst = false;
  }
  if (isFirst) throw refuse('is neither a PNG nor an SVG image');
  const [, , width, height] = (viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return { bytes, ending: 'svg', ratio: (width ?? 0) / (height ?? 0) };
}

/** Whether an attribute runs nothing, and refers only to the image itself. */
function isHarmless(name: string, value: string): boolean {
  if (name.startsWith('xmlns')) return NAMESPACES.includes(value);
  if (/^on/i.test(name) || value.includes('&') || value.includes('\\')) return false;
  if (/(?:^|:)(?:href|src)$/i.test(name)) return value.startsWith('#');
  return !/url\s*\((?!\s*['"]?#)|image-set|@import|javascript:/i.test(value);
}
