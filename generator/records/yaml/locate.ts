import { isMap, isScalar, isSeq, type LineCounter, type Node, type Pair, type YAMLMap } from 'yaml';
import { type Range, WHOLE_FILE } from '../../diagnostics/range.js';

/** A path into a record: field names and indexes. */
export type Path = readonly (string | number)[];

/** The path that a JSON Pointer (RFC 6901) names. */
export function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Turns a stretch of a text, in characters, into lines and columns. */
export type ToRange = (start: number, end: number) => Range;

/** What turns a stretch of the text whose lines have been counted into lines and columns. */
export function toRange(lines: LineCounter): ToRange {
  return (start, end) => {
    const from = lines.linePos(start);
    const to = lines.linePos(Math.max(start, end));
    return { line: from.line, column: from.col, endLine: to.line, endColumn: to.col };
  };
}

/** The field name of a pair, as text. */
export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/**
 * The node at a path, or the deepest one on the way to it.
 *
 * @param part - `key` gives the node of the last field's name instead of its value
 */
export function nearest(root: unknown, path: Path, part: 'key' | 'value'): unknown {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const pair = isMap(node) ? pairOf(node, String(step)) : undefined;
    if (pair !== undefined && part === 'key' && depth === path.length - 1) return pair.key;
    // A field without a value, `tier:`, is best shown at its name.
    const next = pair === undefined ? isSeq(node) && node.items[Number(step)] : (pair.value ?? pair.key);
    if (next === undefined || next === false) return node;
    node = next;
  }
  return node;
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.findLast((pair) => keyOf(pair) === name);
}

/** Where a node stands. */
export function rangeOf(node: unknown, range: ToRange): Range {
  const place = (node as Node | null)?.range;
  return place ? range(place[0], place[1]) : WHOLE_FILE;
}
