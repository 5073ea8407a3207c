// Predicates for the verifier: as small and as fast as checks that are written by hand. Standalone code of Ajv would report
// errors that nobody reads here, at many times the size.

import { issuer, jwk, referred, registry, trustPolicy } from './read.mjs';

/** Keywords that demand nothing of a value. */
const ANNOTATIONS = ['$schema', '$id', '$defs', '$comment', 'title', 'description', 'examples'];

/** Formats, each with the predicate for what the pattern beside it cannot say; null where the pattern says it all. */
const FORMATS = { 'date-time': 'isCalendarTime', uri: null, email: null };

/** The definitions whose patterns are in `GRAMMAR`. */
const TEXTS = { ...issuer.$defs, ...registry.$defs, ...jwk.$defs };

const isName = (name) => `isValid${name[0].toUpperCase()}${name.slice(1)}`;

/**
 * Gives the demands of a schema to a reader, which takes each of them by its keyword. Whatever is left makes the generation
 * fail: no demand of a schema may get lost.
 */
function readDemands(schema, reader) {
  const rest = new Map(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.includes(keyword)));
  const take = (keyword) => {
    const demand = rest.get(keyword);
    rest.delete(keyword);
    return demand;
  };
  const result = reader(take);
  if (rest.size > 0) throw new Error(`no predicate for ${[...rest.keys()]} in ${JSON.stringify(schema)}`);
  return result;
}

/** The expression that tells whether a value conforms to a schema. */
function expression(schema, value) {
  return readDemands(schema, (take) => {
    const [$ref, anyOf] = [take('$ref'), take('anyOf')];
    if ($ref !== undefined) return `${isName(referred($ref))}(${value})`;
    if (anyOf !== undefined) return anyOf.map((one) => expression(one, value)).join(' || ');
    const [type, values] = [take('type'), take('enum')];
    if (values !== undefined) return values.map((one) => `${value} === ${JSON.stringify(one)}`).join(' || ');
    if (type === 'null') return `${value} === null`;
    if (type === 'integer') return `isIntegerWithin(${value}, ${take('minimum')}, ${take('maximum')})`;
    if (type === 'array') {
      const isList = take('uniqueItems') ? 'isUniqueListOf' : 'isListOf';
      const items = take('items');
      const check = items.$ref ? isName(referred(items.$ref)) : `(item) => ${expression(items, 'item')}`;
      return `${isList}(${value}, ${check})`;
    }
    if (type !== 'string') throw new Error(`no predicate for ${JSON.stringify(schema)}`);
    return text(value, take).join(' && ');
  });
}

function text(value, take) {
  const found = [`typeof ${value} === 'string'`];
  const [min, max, pattern, format] = ['minLength', 'maxLength', 'pattern', 'format'].map(take);
  if (min !== undefined || max !== undefined) found.push(`hasLength(${value}, ${min ?? 0}, ${max})`);
  if (pattern !== undefined) {
    const [name] = Object.entries(TEXTS).find(([, definition]) => definition.pattern === pattern);
    found.push(`GRAMMAR.${name}.pattern.test(${value})`);
  }
  if (format !== undefined) {
    if (FORMATS[format] === undefined) throw new Error(`no predicate for the format ${format}`);
    if (FORMATS[format] !== null) found.push(`${FORMATS[format]}(${value})`);
  }
  return found;
}

function textPredicate(name, schema) {
  return `export function ${isName(name)}(value: unknown): value is string {
  return ${expression(schema, 'value')};
}`;
}

/** The predicate of the members of an object. Its caller looks for members that are missing. */
function memberPredicate(name, schema) {
  return readDemands(schema, (take) => {
    if (take('type') !== 'object' || take('additionalProperties') !== false) {
      throw new Error(`${name} is not an object with known members`);
    }
    take('required');
    const cases = Object.entries(take('properties')).map(
      ([member, property]) => `    case '${member}':\n      return ${expression(property, 'value')};`,
    );
    return `export function ${name}(member: string, value: unknown): boolean | undefined {
  switch (member) {
${cases.join('\n')}
    default:
      return undefined;
  }
}`;
  });
}

/** The text of the module with the predicates. */
export function predicates() {
  const { named } = trustPolicy.$defs;
  return `
import { hasLength, isIntegerWithin, isListOf, isRecord, isUniqueListOf } from '../encoding/checks.js';
import { isCalendarTime } from '../encoding/calendar-time.js';
import { GRAMMAR } from './schemas.js';

${Object.entries(TEXTS)
  .map(([name, schema]) => textPredicate(name, schema))
  .join('\n\n')}

/** Whether an issuer may have a value in a field; undefined if an issuer has no such field. */
${memberPredicate('isIssuerField', issuer)}

/** Whether a trust policy may have a value in a member; undefined if a trust policy has no such member. */
${memberPredicate('isPolicyMember', trustPolicy)}

function isValidNamed(value: unknown): boolean {
  return isRecord(value, ${JSON.stringify(named.required)}, isNamedMember);
}

${memberPredicate('isNamedMember', named).replace('export ', '')}
`;
}
