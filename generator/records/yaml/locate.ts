import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { type Range, WHOLE_FILE } from '../../diagnostics/diagnostic.js';

/** A path into a record: field names and list indexes. */
export type Path = readonly (string | number)[];

/** Converts a JSON Pointer (RFC 6901) to a path. */
export function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Converts character offsets in a text to lines and columns. */
export type ToRange = (start: number, end: number) => Range;

/** The field name of a pair, as a string. */
export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/**
 * Finds the node at a path, or the deepest existing node on the path.
 *
 * @param part - `key` returns the node of the last field's name instead of its value
 */
export function nearest(root: unknown, path: Path, part: 'key' | 'value'): unknown {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const pair = isMap(node) ? pairOf(node, String(step)) : undefined;
    if (pair !== undefined && part === 'key' && depth === path.length - 1) return pair.key;
    // For a field without a value, such as `tier:`, the name is the best position.
    const next = pair === undefined ? isSeq(node) && node.items[Number(step)] : (pair.value ?? pair.key);
    if (next === undefined || next === false) return node;
    node = next;
  }
  return node;
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.findLast((pair) => keyOf(pair) === name);
}

/** The position of a node. */
export function rangeOf(node: unknown, range: ToRange): Range {
  const place = (node as Node | null)?.range;
  return place ? range(place[0], place[1]) : WHOLE_FILE;
}
