import { type Document, isAlias, type Node, Parser, visit } from 'yaml';
import { type Diagnostic, diagnostic, type Range, type Source, shown } from '../../diagnostics/diagnostic.js';
import type { RuleName } from '../../diagnostics/rules.js';
import { keyOf, rangeOf, type ToRange } from './locate.js';

/** Maximum distance from a tag or an anchor to its node, in characters. */
const MAX_PROPERTY_LENGTH = 256;

/**
 * Finds the YAML features that a record must not use. Directives are forbidden because `%YAML 1.1` selects a version of
 * YAML in which NO means false. Tags, anchors, aliases and merge keys are forbidden because plain data does not need
 * them.
 */
export function forbiddenFeatures(
  document: Document,
  source: Required<Source>,
  range: ToRange,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (rule: RuleName, place: Range, message: string) => {
    found.push(diagnostic(source, place, { rule, message }));
  };
  /** The position of an anchor or a tag. Both come before their node, and the range of the node excludes them. */
  const beforeNode = (node: Node, sigil: '&' | '!'): Range => {
    const end = node.range?.[0] ?? 0;
    const from = Math.max(0, end - MAX_PROPERTY_LENGTH);
    const start = source.text.slice(from, end).search(new RegExp(`[${sigil}]\\S*\\s+(?:[&!]\\S*\\s+)?$`));
    return start === -1 ? rangeOf(node, range) : range(from + start, end);
  };
  for (const token of new Parser().parse(source.text)) {
    if (token.type !== 'directive') continue;
    const place = range(token.offset, token.offset + token.source.length);
    report('yaml-directive', place, `the file has a directive, ${shown(token.source)}`);
  }
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        report('yaml-alias', rangeOf(node, range), `the file has an alias, *${node.source}`);
      } else if (node.anchor !== undefined) {
        report('yaml-alias', beforeNode(node, '&'), `the file has an anchor, &${node.anchor}`);
      }
      if (node.tag !== undefined) {
        report('yaml-tag', beforeNode(node, '!'), `the file has a tag, ${shown(node.tag)}`);
      }
    },
    Pair(_key, pair) {
      if (keyOf(pair) === '<<') {
        report('yaml-merge-key', rangeOf(pair.key, range), 'the file has a merge key, <<');
      }
    },
  });
  return found;
}
