import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Issuer } from '@passport-registry/verifier';
import type { AboutIssuer } from '@passport-registry/verifier/core';
import { stringify } from 'yaml';
import { IoFailed, RecordsRejected, UsageError } from '../errors.js';
import { packageFile } from '../files/package-file.js';
import { findRecordFiles, stemOf } from '../records/collect.js';
import { conform } from '../records/conform.js';
import { parseRecordFile } from '../records/yaml/parse.js';
import { FIELD_ORDER, MAX_LINE_LENGTH } from './layout.js';

/** The fields of a new issuer that have a value. */
type NewIssuer = Partial<Issuer & Pick<AboutIssuer, 'name'>>;

/**
 * Writes the record of a new issuer, with a comment above every field. An invalid record is not written.
 *
 * @param issuers - the folder of the records
 * @param schemaLocation - where editors find the schema: a URL, or a path relative to the working directory
 * @returns the path of the new file
 * @throws {@link UsageError} if a record with this id exists; {@link RecordsRejected} if the record would be invalid;
 * {@link IoFailed}
 */
export function writeNewRecord(
  issuers: string,
  issuer: NewIssuer,
  schemaLocation: string | undefined,
): string {
  const id = String(issuer.issuer_id);
  const file = join(issuers, `${id}.yaml`);
  const isPath = schemaLocation !== undefined && !URL.canParse(schemaLocation);
  const location = isPath ? relative(issuers, schemaLocation).split(sep).join('/') : schemaLocation;
  const text = formatNewRecord(issuer, location);
  const parsed = parseRecordFile({ file, stem: id, text });
  const { record, diagnostics } = conform(parsed);
  if (record === undefined) throw new RecordsRejected(diagnostics, 'nothing was written');
  const existing = existsSync(issuers) ? findRecordFiles([issuers]) : [];
  const taken = existing.find((found) => stemOf(found.file) === id);
  if (taken !== undefined)
    throw new UsageError(`${taken.file} already exists: an issuer id can be used only once`);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  } catch (cause) {
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
  return file;
}

function formatNewRecord(issuer: NewIssuer, schemaLocation: string | undefined): string {
  const { properties, required } = JSON.parse(packageFile('schemas/issuer.schema.json').toString());
  const lines = schemaLocation === undefined ? [] : [`# yaml-language-server: $schema=${schemaLocation}`];
  for (const field of FIELD_ORDER) {
    // A new issuer is active, and never was anything else.
    if (field === 'status_reason' || field === 'reinstated') continue;
    const { description, examples } = properties[field];
    const value = issuer[field];
    lines.push('', ...wrapComment(description));
    // An optional field without a value becomes a commented example.
    const given = value !== undefined || required.includes(field);
    lines.push(given ? formatField(field, value) : `# ${formatField(field, examples[0])}`);
  }
  return `${lines.join('\n').trimStart()}\n`;
}

/** Formats a field on one line. A list stays on the line of its field. */
function formatField(field: string, value: unknown): string {
  const text = stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 });
  return `${field}: ${text.trim()}`;
}

function wrapComment(text: string): string[] {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length + 1 > MAX_LINE_LENGTH) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
