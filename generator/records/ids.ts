import { GRAMMAR } from '@passport-registry/verifier/core';
import { type Diagnostic, diagnostic, type Finding } from '../diagnostics/diagnostic.js';
import { type Range, WHOLE_FILE } from '../diagnostics/range.js';
import type { ParsedFile } from './yaml/parse.js';

/** The data about one file that the rules across files need. */
export interface NamedRecord {
  readonly file: string;
  /** The file name without its extension. */
  readonly stem: string;
  /** The issuer_id as written, valid or not. */
  readonly id: string;
  /** Parses the record, for the position of the id. Returns undefined if the record can no longer be read. */
  readonly parsed: () => ParsedFile | undefined;
}

/** Checks ids against each other and against the file names. The diagnostics have the order of the records. */
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
        message: `the id ${id} ${first.id === id ? 'is already used in' : `differs only in case from ${first.id} in`} ${place}`,
      });
    }
    if (id !== stem) {
      report(record, {
        rule: 'id-not-file-name',
        message: `issuer_id is ${id}, but the file is named ${stem}`,
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
