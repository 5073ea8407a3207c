import { GRAMMAR } from '@passport-registry/verifier';
import { type Diagnostic, diagnostic, type Finding } from '../diagnostics/diagnostic.js';
import { type Range, WHOLE_FILE } from '../diagnostics/range.js';
import type { ParsedFile } from './yaml/parse.js';

/** What the rules across files need to know of one file. */
export interface NamedRecord {
  readonly file: string;
  /** The file's name without its ending. */
  readonly stem: string;
  /** The issuer_id as written, good or not. */
  readonly id: string;
  /** The record, which says where the id is written; undefined if it cannot be read any more. */
  readonly parsed: () => ParsedFile | undefined;
}

/** The rules that look at more than one record, or at a record and its file's name. Sorted as given. */
export function checkIds(records: readonly NamedRecord[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Map<string, NamedRecord>();
  const report = ({ file, parsed }: NamedRecord, finding: Finding) => {
    const record = parsed();
    found.push(diagnostic(record ?? file, rangeOfId(record), finding));
  };
  for (const record of records) {
    const { id, stem } = record;
    const first = seen.get(id.toLowerCase());
    if (first === undefined) {
      seen.set(id.toLowerCase(), record);
    } else {
      const place = `${first.file}:${rangeOfId(first.parsed()).line}`;
      report(record, {
        rule: first.id === id ? 'duplicate-id' : 'id-case-collision',
        message: `the id ${id} ${first.id === id ? 'is taken by' : `differs only in case from ${first.id} in`} ${place}`,
      });
    }
    if (id !== stem) {
      report(record, {
        rule: 'id-not-file-name',
        message: `issuer_id is ${id}, the file is named ${stem}`,
        ...(GRAMMAR.issuerId.pattern.test(id) && {
          remedy: `rename the file to ${id}.yaml, or write issuer_id: ${stem}`,
        }),
      });
    }
  }
  return found;
}

function rangeOfId(record: ParsedFile | undefined): Range {
  return record?.locate(['issuer_id']) ?? WHOLE_FILE;
}
