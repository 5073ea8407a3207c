import { GRAMMAR, nameSkeleton } from '@passport-registry/verifier/core';
import { type Diagnostic, type Finding, shown } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/messages.js';
import { UsageError } from '../errors.js';
import type { RecordFile } from './collect.js';
import { fieldDiagnostic, parseRecordFile } from './yaml/parse.js';

/** The data about one file that the rules across files need. */
export interface NamedRecord {
  readonly record: RecordFile;
  /** The issuer_id as written, valid or not. */
  readonly id: string;
  /** What people call the issuer, if the record is valid and says it. */
  readonly name: string | undefined;
}

/** Checks ids against each other and against the file names. The diagnostics have the order of the records. */
export function checkIds(records: readonly NamedRecord[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const owners = ownersOf(records);
  for (const named of records) {
    const { record, id } = named;
    const { stem } = record;
    const report = (finding: Finding) => found.push(fieldDiagnostic(record, 'issuer_id', finding));
    const owner = owners.get(id.toLowerCase());
    if (owner !== undefined && owner !== named) {
      const place = `${owner.record.file}:${parseRecordFile(owner.record).locate(['issuer_id']).line}`;
      report({
        rule: owner.id === id ? 'duplicate-id' : 'id-case-collision',
        message: `the id ${id} ${owner.id === id ? 'is already used in' : `differs only in case from ${owner.id} in`} ${place}`,
      });
    }
    if (id !== stem) {
      const renaming = owner === named ? `rename the file to ${id}.yaml, or ` : '';
      report({
        rule: 'id-not-file-name',
        message: `issuer_id is ${id}, but the file is named ${stem}`,
        remedy: GRAMMAR.issuerId.pattern.test(id) ? `${renaming}write issuer_id: ${stem}` : undefined,
      });
    }
  }
  return found;
}

/** Finds names that people may take for the name or the id of another issuer. */
export function checkNames(records: readonly NamedRecord[]): Diagnostic[] {
  const looks = new Map<string, NamedRecord[]>();
  for (const named of records) {
    const own = [named.id, named.name ?? named.id].map(nameSkeleton);
    for (const look of new Set(own)) {
      const alike = looks.get(look) ?? [];
      alike.push(named);
      looks.set(look, alike);
    }
  }
  return records.flatMap(({ record, id, name }) => {
    if (name === undefined) return [];
    const other = looks.get(nameSkeleton(name))?.find((one) => one.id !== id);
    if (other === undefined) return [];
    const called = other.name === undefined ? other.id : `${shown(other.name)} (${other.id})`;
    const message = `the name ${shown(name)} looks like that of ${called} in ${other.record.file}`;
    return [fieldDiagnostic(record, 'name', { rule: 'similar-name', message })];
  });
}

/** The record that an id belongs to: the first one whose file has that name, or else the first one. */
function ownersOf(records: readonly NamedRecord[]): ReadonlyMap<string, NamedRecord> {
  const owners = new Map<string, NamedRecord>();
  const isAtHome = ({ id, record }: NamedRecord) => id === record.stem;
  for (const named of records) {
    const key = named.id.toLowerCase();
    const owner = owners.get(key);
    if (owner === undefined || (!isAtHome(owner) && isAtHome(named))) owners.set(key, named);
  }
  return owners;
}

/** Creates the error for an unknown id, with a suggestion. @param problem - the message up to the id */
export function unknownId(problem: string, id: string, known: readonly string[]): UsageError {
  const hint = didYouMean(id, known);
  return new UsageError(`${problem} ${id}${hint === undefined ? '' : `; ${hint}`}`);
}
