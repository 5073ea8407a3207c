import type { Issuer } from '@passport-registry/verifier';
import {
  type AboutIssuer,
  CLOCK_TOLERANCE_MS,
  clockNote,
  instantOf,
  isDateTime,
  isToCome,
} from '@passport-registry/verifier/core';
import { type Diagnostic, diagnostic, isError } from '../diagnostics/diagnostic.js';
import { explainDuplicates, explainMissing, explainUnknown, explainValue } from '../diagnostics/messages.js';
import { type SchemaError, validateIssuer } from '../generated/issuer-validator.js';
import { type Located, warningsFor } from './warnings.js';
import { type Path, pathOf } from './yaml/locate.js';
import type { ParsedFile } from './yaml/parse.js';

/** A record that conforms to the schema, or the diagnostics that explain why it does not. */
interface Conformed {
  /** The record as the list has it. Undefined if it has an error. */
  readonly record: Issuer | undefined;
  /** What about.json says of the issuer. Undefined if the record has an error, or nothing to say. */
  readonly about: AboutIssuer | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Checks a parsed file against schemas/issuer.schema.json. The schema decides; `messages.ts` only provides the words.
 */
export function conform(parsed: ParsedFile): Conformed {
  const { value, diagnostics: earlier } = parsed;
  const rejected = { record: undefined, about: undefined };
  if (value === undefined) return { ...rejected, diagnostics: earlier };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = 'the file has no fields';
    const found = diagnostic(parsed, parsed.locate([]), { rule: 'not-a-mapping', message });
    return { ...rejected, diagnostics: [...earlier, found] };
  }
  const conforms = validateIssuer(value);
  const found = groupByValue(conforms ? [] : (validateIssuer.errors ?? []))
    .filter(({ path }) => !parsed.isAlias(path))
    .flatMap(({ path, errors }) => findingsFor(parsed, path, errors));
  const diagnostics = [
    ...found,
    ...findReasonWhileActive(value),
    ...findFutureEnd(value),
    ...warningsFor(value),
  ].map(({ path, part, finding }: Located) => diagnostic(parsed, parsed.locate(path, part), finding));
  const all = [...earlier, ...diagnostics];
  const valid = conforms && !all.some(isError);
  return { ...(valid ? separate(value as Issuer & AboutIssuer) : rejected), diagnostics: all };
}

/** Separates what the list has of a record from what only people read, so that no reason can delay a list. */
function separate({ name, status_reason, reinstated, ...record }: Issuer & AboutIssuer) {
  const about = {
    ...(name !== undefined && { name }),
    ...(status_reason !== undefined && { status_reason }),
    ...(reinstated !== undefined && { reinstated }),
  };
  return { record, about: Object.keys(about).length === 0 ? undefined : about };
}

/** A reason that stays after the end of a suspension would say something untrue. */
function findReasonWhileActive(record: object): Located[] {
  const { status, status_reason } = record as Record<string, unknown>;
  if (status !== 'active' || status_reason === undefined) return [];
  const message = 'the record has a status_reason, but its status is active';
  return [{ path: ['status_reason'], part: 'key', finding: { rule: 'reason-while-active', message } }];
}

/** An end of a suspension that is still to come would also end a suspension that nobody knows of yet. */
function findFutureEnd(record: object): Located[] {
  const { reinstated } = record as Record<string, unknown>;
  if (typeof reinstated !== 'string' || !isDateTime(reinstated)) return [];
  const now = Date.now();
  if (!isToCome(instantOf(reinstated), { now, tolerance: CLOCK_TOLERANCE_MS })) return [];
  const message = `reinstated is ${reinstated}, which is in the future ${clockNote(now)}`;
  const remedy = 'write when the suspension ended';
  return [{ path: ['reinstated'], finding: { rule: 'suspension-not-lifted', message, remedy } }];
}

/** Groups errors by value. Ajv reports each branch of an anyOf, but for an author they are one problem. */
function groupByValue(errors: readonly SchemaError[]): { path: Path; errors: readonly SchemaError[] }[] {
  const byPath = new Map<string, SchemaError[]>();
  for (const error of errors) {
    const sameValue = byPath.get(error.instancePath);
    if (sameValue === undefined) byPath.set(error.instancePath, [error]);
    else sameValue.push(error);
  }
  return [...byPath].map(([pointer, group]) => ({ path: pathOf(pointer), errors: group }));
}

function findingsFor(parsed: ParsedFile, path: Path, errors: readonly SchemaError[]): Located[] {
  if (path.length === 0) return errors.map(topLevel);
  const value = path.reduce((inner, step) => (inner as Record<string, unknown>)[step], parsed.value);
  if (Array.isArray(value) && errors.some(({ keyword }) => keyword === 'uniqueItems')) {
    return explainDuplicates(value).map(({ index, finding }) => ({ path: [...path, index], finding }));
  }
  const source = parsed.sourceAt(path);
  return [
    {
      path,
      finding: explainValue({ field: String(path[0]), inList: path.length > 1, source }, value, errors),
    },
  ];
}

function topLevel({ keyword, params }: SchemaError): Located {
  if (keyword === 'required') {
    return { path: [], finding: explainMissing(params['missingProperty']) };
  }
  const field = params['additionalProperty'];
  return { path: [field], part: 'key', finding: explainUnknown(field) };
}
