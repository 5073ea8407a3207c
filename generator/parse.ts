import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { RecordFile } from './collect.js';
import { type Diagnostic, diagnostic, type Range, shown, WHOLE_FILE } from './diagnostic.js';
import type { RuleName } from './rules.js';

/** A path into a record: field names and indexes. */
export type Path = readonly (string | number)[];

/** A record file as data, with the way back from the data to the text. */
export interface ParsedFile {
  readonly file: string;
  readonly stem: string;
  /** The document as JSON data; undefined when it is too broken to say more about it. */
  readonly value: unknown;
  /** Where a value stands; `key` gives the place of its field's name instead. Falls back on what is around it. */
  locate(path: Path, part?: 'key' | 'value'): Range;
  /** Whether the value is written as an alias, which has been reported already. */
  isAlias(path: Path): boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Past this many a reader has seen enough of one file, and hostile input could ask for thousands. */
const MAX_PROBLEMS = 50;
/** How far before its node a tag or an anchor is looked for, in characters. */
const LONGEST_PROPERTY = 256;

/**
 * Parses a record file: YAML 1.2, core schema, one document of plain data. Directives are refused because
 * `%YAML 1.1` would turn the country NO into false; tags, aliases and merge keys because a record needs none.
 */
export function parseRecordFile({ file, stem, text }: RecordFile): ParsedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  const range = (start: number, end: number): Range => {
    const from = lines.linePos(start);
    const to = lines.linePos(Math.max(start, end));
    return { line: from.line, column: from.col, endLine: to.line, endColumn: to.col };
  };
  const syntax = syntaxProblems(document, text, file, range);
  const broken = syntax.some(({ rule }) => rule !== 'duplicate-key');
  const root = document.contents;
  const empty = root === null || (isScalar(root) && root.value === null && root.source === '');
  if (empty && !broken) {
    syntax.push(diagnostic(file, WHOLE_FILE, { rule: 'empty-file', message: 'the file holds no record' }));
  }
  const features = broken || empty ? [] : refusedFeatures(document, text, file, range);
  return {
    file,
    stem,
    value: broken || empty ? undefined : toData(root),
    locate: (path, part = 'value') => rangeOf(nearest(root, path, part), range),
    isAlias: (path) => isAlias(nearest(root, path, 'value')),
    diagnostics: [...syntax, ...features],
  };
}

type ToRange = (start: number, end: number) => Range;

function syntaxProblems(document: Document, text: string, file: string, range: ToRange): Diagnostic[] {
  const { errors } = document;
  if (errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) {
    const message = 'the file nests deeper than can be read';
    return [diagnostic(file, WHOLE_FILE, { rule: 'yaml-too-deep', message })];
  }
  // One mistake makes several errors on its line; the first is the one that helps.
  const firstOfLine = new Map<string, Diagnostic>();
  for (const { code, message, pos } of errors) {
    const place = range(...pos);
    const found = diagnostic(file, place, syntaxFinding(code, message, text.slice(pos[0])));
    const key = `${found.rule} ${place.line}`;
    if (!firstOfLine.has(key)) firstOfLine.set(key, found);
  }
  return [...firstOfLine.values()].slice(0, MAX_PROBLEMS);
}

function syntaxFinding(code: string, message: string, rest: string): { rule: RuleName; message: string } {
  if (code === 'MULTIPLE_DOCS') {
    return { rule: 'multiple-documents', message: 'a second document starts here' };
  }
  if (code === 'DUPLICATE_KEY') {
    const key = /^"[^"\n]*"|^'[^'\n]*'|^[^\s:]+/.exec(rest)?.[0] ?? 'a field';
    return { rule: 'duplicate-key', message: `${key} is written twice` };
  }
  return { rule: 'yaml-syntax', message };
}

function refusedFeatures(document: Document, text: string, file: string, range: ToRange): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (rule: RuleName, place: Range, message: string) => {
    found.push(diagnostic(file, place, { rule, message }));
  };
  // An anchor and a tag stand before their node, which does not count them in.
  const propertyPlace = (node: Node, sigil: '&' | '!') => {
    const end = node.range?.[0] ?? 0;
    const from = Math.max(0, end - LONGEST_PROPERTY);
    const start = text.slice(from, end).search(new RegExp(`[${sigil}]\\S*\\s+(?:[&!]\\S*\\s+)?$`));
    return start === -1 ? rangeOf(node, range) : range(from + start, end);
  };
  text.split('\n').every((line, index) => {
    if (line.startsWith('%')) {
      const place = { line: index + 1, column: 1, endLine: index + 1, endColumn: line.trimEnd().length + 1 };
      report('yaml-directive', place, `there is a directive, ${shown(line.trimEnd())}`);
    }
    // Directives can only stand before the first document marker.
    return line.startsWith('%') || line.startsWith('#') || line.trim() === '';
  });
  visit(document, {
    Node(_key, node) {
      const place = rangeOf(node, range);
      if (isAlias(node)) report('yaml-alias', place, `there is an alias, *${node.source}`);
      else if (node.anchor !== undefined) {
        report('yaml-alias', propertyPlace(node, '&'), `there is an anchor, &${node.anchor}`);
      }
      if (node.tag !== undefined)
        report('yaml-tag', propertyPlace(node, '!'), `there is a tag, ${shown(node.tag)}`);
    },
    Pair(_key, pair) {
      if (keyOf(pair) === '<<')
        report('yaml-merge-key', rangeOf(pair.key, range), 'there is a merge key, <<');
    },
  });
  return found.slice(0, MAX_PROBLEMS);
}

function toData(node: unknown): unknown {
  if (isMap(node)) {
    // Object.fromEntries defines: a field named __proto__ becomes a field like any other.
    return Object.fromEntries(
      node.items.filter((pair) => keyOf(pair) !== '<<').map((pair) => [keyOf(pair), toData(pair.value)]),
    );
  }
  if (isSeq(node)) return node.items.map(toData);
  return isScalar(node) ? node.value : null;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** The node at a path, or the deepest one on the way to it. */
function nearest(root: unknown, path: Path, part: 'key' | 'value'): unknown {
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

function rangeOf(node: unknown, range: ToRange): Range {
  const place = (node as Node | null)?.range;
  return place ? range(place[0], place[1]) : WHOLE_FILE;
}
