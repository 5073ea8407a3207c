import type { Issuer } from '@passport-registry/verifier';
import { type Diagnostic, diagnostic, type Finding, isError } from '../diagnostics/diagnostic.js';
import { explainDuplicates, explainMissing, explainUnknown, explainValue } from '../diagnostics/messages.js';
import type { Range } from '../diagnostics/range.js';
import { type SchemaError, validateIssuer } from '../generated/issuer-validator.js';
import { warningsFor } from './warnings.js';
import { type Path, pathOf } from './yaml/locate.js';
import type { ParsedFile } from './yaml/parse.js';

/** A record that conforms to the schema, or the diagnostics that explain why it does not. */
export interface Conformed {
  /** The record. Undefined if it has an error. */
  readonly record: Issuer | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Checks a parsed file against schemas/issuer.schema.json. The schema decides; `messages.ts` only provides the words.
 */
export function conform(parsed: ParsedFile): Conformed {
  const { value, diagnostics: earlier } = parsed;
  const report = (range: Range, finding: Finding) => diagnostic(parsed, range, finding);
  if (value === undefined) return { record: undefined, diagnostics: earlier };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = 'the file has no fields';
    const found = report(parsed.locate([]), { rule: 'not-a-mapping', message });
    return { record: undefined, diagnostics: [...earlier, found] };
  }
  const conforms = validateIssuer(value);
  const found = groupByValue(conforms ? [] : (validateIssuer.errors ?? []))
    .filter(({ path }) => !parsed.isAlias(path))
    .flatMap(({ path, errors }) => findingsFor(value, path, errors));
  const diagnostics = [...found, ...warningsFor(value)].map(({ path, part, finding }: Located) =>
    report(parsed.locate(path, part), finding),
  );
  const valid = conforms && !earlier.some(isError);
  return { record: valid ? (value as Issuer) : undefined, diagnostics: [...earlier, ...diagnostics] };
}

interface Problem {
  readonly path: Path;
  readonly errors: readonly SchemaError[];
}

/** Groups errors by value. Ajv reports each branch of an anyOf, but for an author they are one problem. */
function groupByValue(errors: readonly SchemaError[]): Problem[] {
  const byPath = new Map<string, SchemaError[]>();
  for (const error of errors) {
    const sameValue = byPath.get(error.instancePath);
    if (sameValue === undefined) byPath.set(error.instancePath, [error]);
    else sameValue.push(error);
  }
  return [...byPath].map(([pointer, group]) => ({ path: pathOf(pointer), errors: group }));
}

interface Located {
  readonly path: Path;
  readonly part?: 'key' | 'value';
  readonly finding: Finding;
}

function findingsFor(record: object, path: Path, errors: readonly SchemaError[]): Located[] {
  if (path.length === 0) return errors.map((error) => topLevel(error));
  const value = path.reduce((inner, step) => (inner as Record<string, unknown>)[step], record as unknown);
  if (Array.isArray(value) && errors.some(({ keyword }) => keyword === 'uniqueItems')) {
    return explainDuplicates(value).map(({ index, finding }) => ({ path: [...path, index], finding }));
  }
  return [
    { path, finding: explainValue({ field: String(path[0]), inList: path.length > 1 }, value, errors) },
  ];
}

function topLevel({ keyword, params }: SchemaError): Located {
  if (keyword === 'required') {
    return { path: [], finding: explainMissing(params['missingProperty']) };
  }
  const field = params['additionalProperty'];
  return { path: [field], part: 'key', finding: explainUnknown(field) };
}
