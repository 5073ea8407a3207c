import { createHash } from 'node:crypto';
import { recordText } from './workspace.js';

/** A number from 0 to one below a limit that follows from a text: chance that is the same each time. */
export function chance(text: string, limit: number): number {
  return createHash('sha256').update(text).digest().readUInt32BE() % limit;
}

/** The path and the text of the record of a number: in a folder or below one, plain or as YAML allows, some with a warning. */
export function recordFile(number: number, revision = 0): [path: string, text: string] {
  const id = `issuer-${String(number).padStart(5, '0')}`;
  const folder = number % 7 === 0 ? `issuers/${number % 3}/` : 'issuers/';
  const ending = number % 11 === 0 ? 'yml' : 'yaml';
  const values = [undefined, "'passports@issuer.example'", 'null'];
  const text = recordText(id, {
    status: ['active', 'suspended', 'revoked'][chance(`${id} ${revision} status`, 3)],
    tier: ['certified', 'founding', 'registered'][chance(`${id} ${revision} tier`, 3)],
    contact: values[chance(`${id} ${revision} contact`, 3)],
    // Not plain: a comment behind a value, which only the parser of all YAML reads.
    ...(number % 5 === 0 && { domain_scope: '[ banking, "health" ] # as agreed' }),
    ...(number % 101 === 0 && { geographical_scope: '[UK]' }),
  });
  return [`${folder}${id}.${ending}`, text];
}

/** The record files of so many issuers. */
export function recordFiles(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_one, number) => recordFile(number)));
}
