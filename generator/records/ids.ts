import { GRAMMAR, nameSkeleton } from '@passport-registry/verifier/core';
import {
  type Diagnostic,
  diagnostic,
  type Finding,
  type Range,
  shown,
  WHOLE_FILE,
} from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/messages.js';
import { UsageError } from '../errors.js';
import type { ParsedFile } from './yaml/parse.js';

/** The data about one file that the rules across files need. */
export interface NamedRecord {
  readonly file: string;
  /** The file name without its extension. */
  readonly stem: string;
  /** The issuer_id as written, valid or not. */
  readonly id: string;
  /** What people call the issuer, if the record is valid and says it. */
  readonly name: string | undefined;
  /** Parses the record, for the position of the id. Returns undefined if the record can no longer be read. */
  readonly parsed: () => ParsedFile | undefined;
}

/** Checks ids against each other and against the file names. The diagnostics have the order of the records. */
export function checkIds(records: readonly NamedRecord[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const owners = ownersOf(records);
  const report = ({ file, parsed }: NamedRecord, finding: Finding) => {
    const record = parsed();
    found.push(diagnostic(record ?? file, rangeOfId(record), finding));
  };
  for (const record of records) {
    const { id, stem } = record;
    const owner = owners.get(id.toLowerCase());
    if (owner !== undefined && owner !== record) {
      const place = `${owner.file}:${rangeOfId(owner.parsed()).line}`;
      report(record, {
        rule: owner.id === id ? 'duplicate-id' : 'id-case-collision',
        message: `the id ${id} ${owner.id === id ? 'is already used in' : `differs only in case from ${owner.id} in`} ${place}`,
      });
    }
    if (id !== stem) {
      report(record, {
        rule: 'id-not-file-name',
        message: `issuer_id is ${id}, but the file is named ${stem}`,
        ...(GRAMMAR.issuerId.pattern.test(id) && {
          remedy:
            owner === record
              ? `rename the file to ${id}.yaml, or write issuer_id: ${stem}`
              : `write issuer_id: ${stem}`,
        }),
      });
    }
  }
  return found;
}

/** Finds names that people may take for the name or the id of another issuer. */
export function checkNames(records: readonly NamedRecord[]): Diagnostic[] {
  const looks = new Map<string, NamedRecord[]>();
  for (const record of records) {
    const own = [record.id, record.name ?? record.id].map(nameSkeleton);
    for (const look of new Set(own)) {
      const alike = looks.get(look) ?? [];
      alike.push(record);
      looks.set(look, alike);
    }
  }
  return records.flatMap(({ id, name, file, parsed }) => {
    if (name === undefined) return [];
    const other = looks.get(nameSkeleton(name))?.find((one) => one.id !== id);
    if (other === undefined) return [];
    const called = other.name === undefined ? other.id : `${shown(other.name)} (${other.id})`;
    const message = `the name ${shown(name)} looks like that of ${called} in ${other.file}`;
    const record = parsed();
    const range = record?.locate(['name']) ?? WHOLE_FILE;
    return [diagnostic(record ?? file, range, { rule: 'similar-name', message })];
  });
}

/** The record that an id belongs to: the first one whose file has that name, or else the first one. */
function ownersOf(records: readonly NamedRecord[]): ReadonlyMap<string, NamedRecord> {
  const owners = new Map<string, NamedRecord>();
  for (const record of records) {
    const key = record.id.toLowerCase();
    const owner = owners.get(key);
    if (owner === undefined || (owner.id !== owner.stem && record.id === record.stem))
      owners.set(key, record);
  }
  return owners;
}

function rangeOfId(record: ParsedFile | undefined): Range {
  return record?.locate(['issuer_id']) ?? WHOLE_FILE;
}

/** Creates the error for an unknown id, with a suggestion. @param problem - the message up to the id */
export function unknownId(problem: string, id: string, known: readonly string[]): UsageError {
  const hint = didYouMean(id, known);
  return new UsageError(`${problem} ${id}${hint === undefined ? '' : `; ${hint}`}`);
}
