// Generates validators that report every error, for messages to people. They are standalone code of Ajv, with types,
// and do not import Ajv.

import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';

/**
 * The formats, as Ajv expects them. `true` accepts every string, because the pattern next to the format is stricter. In
 * the generated code, FORMATS_CODE replaces the functions.
 */
const FORMATS = {
  email: true,
  uri: () => true,
  'date-time': () => true,
  nfc: () => true,
  uuid: /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
};

const TYPES = `
/** A violation of a schema, as Ajv reports it. */
export interface SchemaError {
  readonly keyword: string;
  /** The location in the value, as a JSON Pointer (RFC 6901). */
  readonly instancePath: string;
  /** The members depend on the keyword. */
  readonly params: Readonly<Record<string, any>>;
  readonly message: string;
  /** The invalid value. Only verbose validators report the value and its schema. */
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, any>>;
}

/** Checks whether a value conforms to a schema. If it does not, \`errors\` holds the reasons until the next call. */
export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}
`;

/** The generated code of the formats that are functions. */
const FORMATS_CODE = `
const formats = {
  // Programs parse URLs as browsers do (WHATWG URL). This parser rejects some ports and hosts that the pattern accepts.
  uri: (text) => URL.canParse(text),
  'date-time': isDateTime,
  nfc: (text) => text === text.normalize('NFC'),
};
`;

/** The modules that the code of Ajv would import from Ajv, each with the expression that replaces it. */
const RUNTIME = {
  'require("ajv/dist/runtime/ucs2length").default': '(text) => [...text].length',
  'require("ajv/dist/runtime/equal").default':
    "(a, b) => a === b || (typeof a === 'object' && isDeepStrictEqual(a, b))",
};

/**
 * Generates the source of a module with validators.
 *
 * @param schemas - the schemas, by the names of their validators; they must not refer to other files
 * @param options - the options for Ajv
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
  if (code.includes('require(')) throw new Error('the generated code still imports a module of Ajv');
  const imports = [];
  if (code.includes('isDeepStrictEqual')) imports.push("import { isDeepStrictEqual } from 'node:util';\n");
  if (/ formats[.[]/.test(code)) {
    imports.push("import { isDateTime } from '@passport-registry/verifier/core';\n");
    code = FORMATS_CODE + code;
  }
  return `// @ts-nocheck\n${imports.join('')}${TYPES}${code}`;
}
