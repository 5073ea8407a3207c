import { type Document, isAlias, type Node, visit } from 'yaml';
import { type Diagnostic, diagnostic, type Source, shown } from '../../diagnostics/diagnostic.js';
import type { Range } from '../../diagnostics/range.js';
import type { RuleName } from '../../diagnostics/rules.js';
import { keyOf, rangeOf, type ToRange } from './locate.js';

/** How far before its node a tag or an anchor is looked for, in characters. */
const MAX_PROPERTY_LENGTH = 256;

/**
 * What YAML has and a record must not: directives, because `%YAML 1.1` asks for a YAML in which NO is false; tags,
 * anchors, aliases and merge keys, because plain data needs none.
 */
export function forbiddenFeatures(
  document: Document,
  source: Required<Source>,
  range: ToRange,
): Diagnostic[] {
  const { text } = source;
  const found: Diagnostic[] = directives(source);
  const report = (rule: RuleName, place: Range, message: string) => {
    found.push(diagnostic(source, place, { rule, message }));
  };
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        report('yaml-alias', rangeOf(node, range), `the file has an alias, *${node.source}`);
      } else if (node.anchor !== undefined) {
        report(
          'yaml-alias',
          propertyRange(node, '&', { text, range }),
          `the file has an anchor, &${node.anchor}`,
        );
      }
      if (node.tag !== undefined) {
        report(
          'yaml-tag',
          propertyRange(node, '!', { text, range }),
          `the file has a tag, ${shown(node.tag)}`,
        );
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

/** Directives stand before the first document marker, with nothing but comments between them. */
function directives(source: Required<Source>): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [index, line] of source.text.split('\n').entries()) {
    if (line.startsWith('#') || line.trim() === '') continue;
    if (!line.startsWith('%')) break;
    const directive = line.trimEnd();
    const place = { line: index + 1, column: 1, endLine: index + 1, endColumn: directive.length + 1 };
    const message = `the file has a directive, ${shown(directive)}`;
    found.push(diagnostic(source, place, { rule: 'yaml-directive', message }));
  }
  return found;
}

/** An anchor and a tag stand before their node, which does not count them in. */
function propertyRange(
  node: Node,
  sigil: '&' | '!',
  { text, range }: { readonly text: string; readonly range: ToRange },
): Range {
  const end = node.range?.[0] ?? 0;
  const from = Math.max(0, end - MAX_PROPERTY_LENGTH);
  const start = text.slice(from, end).search(new RegExp(`[${sigil}]\\S*\\s+(?:[&!]\\S*\\s+)?$`));
  return start === -1 ? rangeOf(node, range) : range(from + start, end);
}
