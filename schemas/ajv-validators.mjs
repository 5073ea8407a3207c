// Validators that report every error, for people: the standalone code of Ajv, with types and without imports of Ajv.

import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';

/** Formats as Ajv takes them: `true` where the pattern beside the format is stricter, functions by the code below. */
const FORMATS = {
  email: true,
  uri: () => true,
  'date-time': () => true,
  uuid: /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
};

const TYPES = `
/** What a schema refuses, as Ajv reports it. */
export interface SchemaError {
  readonly keyword: string;
  /** The place in the value, as a JSON Pointer (RFC 6901). */
  readonly instancePath: string;
  /** They depend on the keyword. */
  readonly params: Readonly<Record<string, any>>;
  readonly message: string;
  /** The value; as the schema below, only of a validator that reports them. */
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, any>>;
}

/** Whether a value conforms to a schema; if not, \`errors\` has the reasons until the next call. */
export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}
`;

/** The code of the formats that are functions. */
const FORMATS_CODE = `
const formats = {
  // Whoever uses an address parses it as browsers do (WHATWG URL), which refuses ports and hosts that the pattern lets through.
  uri: (text) => URL.canParse(text),
  'date-time': isDateTime,
};
`;

/** What the code of Ajv would import from Ajv, and what takes its place. */
const RUNTIME = {
  'require("ajv/dist/runtime/ucs2length").default': '(text) => [...text].length',
  'require("ajv/dist/runtime/equal").default':
    "(a, b) => a === b || (typeof a === 'object' && isDeepStrictEqual(a, b))",
};

/**
 * The text of a module with validators.
 *
 * @param schemas - each schema without references to other files, by the name of its validator
 * @param options - of Ajv
 */
export function ajvValidators(schemas, options) {
  const ajv = new Ajv2020({
    ...options,
    formats: FORMATS,
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  for (const [name, { $id: _id, ...schema }] of Object.entries(schemas)) ajv.addSchema(schema, name);
  const names = Object.keys(schemas);
  let code = standalone(ajv, Object.fromEntries(names.map((name) => [name, name])))
    .replace('"use strict";\n', '')
    .replaceAll(/^export const (\w+) =/gm, 'export const $1: Validator =');
  for (const [needed, own] of Object.entries(RUNTIME)) code = code.replaceAll(needed, own);
  if (code.includes('require(')) throw new Error('the code of Ajv needs a module of Ajv');
  const imports = [];
  if (code.includes('isDeepStrictEqual')) imports.push("import { isDeepStrictEqual } from 'node:util';\n");
  if (code.includes(' formats[')) {
    imports.push("import { isDateTime } from '@passport-registry/verifier';\n");
    code = FORMATS_CODE + code;
  }
  return `// @ts-nocheck\n${imports.join('')}${TYPES}${code}`;
}
