// Generates predicates for the verifier, as small and as fast as handwritten checks. Standalone code of Ajv would be
// many times larger, because it reports errors that the verifier does not use.

import { aboutIssuer, issuer, jwk, referred, STRINGS, trustAnchor, trustPolicy } from './read.mjs';

/** Keywords that do not constrain a value. */
const ANNOTATIONS = ['$schema', '$id', '$defs', '$comment', 'title', 'description', 'examples'];

/**
 * Formats, each with a predicate for what the pattern next to the format cannot express; null if the pattern is enough.
 */
const FORMATS = { 'date-time': 'isCalendarTime', nfc: 'isNormalized', uri: null, email: null };

/** The schemas that other schemas refer to as a whole, each with the name of its predicate. */
const DOCUMENTS = { [jwk.$id]: 'rootJwk' };

const isName = (name) => `isValid${name[0].toUpperCase()}${name.slice(1)}`;
const predicateOf = ($ref) => isName(DOCUMENTS[$ref] ?? referred($ref));

/**
 * Lets a reader take each constraint of a schema by its keyword. Fails if the reader leaves a constraint, so that no
 * constraint is silently ignored.
 */
function readConstraints(schema, reader) {
  const rest = new Map(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.includes(keyword)));
  const take = (keyword) => {
    const constraint = rest.get(keyword);
    rest.delete(keyword);
    return constraint;
  };
  const result = reader(take);
  if (rest.size > 0) throw new Error(`no predicate for ${[...rest.keys()]} in ${JSON.stringify(schema)}`);
  return result;
}

/** Generates the expression that checks whether a value conforms to a schema. */
function generateExpression(schema, value) {
  return readConstraints(schema, (take) => {
    const [$ref, anyOf] = [take('$ref'), take('anyOf')];
    if ($ref !== undefined) return `${predicateOf($ref)}(${value})`;
    if (anyOf !== undefined) return anyOf.map((one) => generateExpression(one, value)).join(' || ');
    const [type, values] = [take('type'), take('enum')];
    if (values !== undefined) return values.map((one) => `${value} === ${JSON.stringify(one)}`).join(' || ');
    if (type === 'null') return `${value} === null`;
    if (type === 'integer') return `isIntegerWithin(${value}, ${take('minimum')}, ${take('maximum')})`;
    if (type === 'array') {
      const isList = take('uniqueItems') ? 'isUniqueListOf' : 'isListOf';
      const [items, min, max] = [take('items'), take('minItems'), take('maxItems')];
      const check = items.$ref ? predicateOf(items.$ref) : `(item) => ${generateExpression(items, 'item')}`;
      if (min === undefined && max !== undefined)
        throw new Error('no predicate for maxItems without minItems');
      const limits = [min, max].filter((limit) => limit !== undefined);
      const isLong = min === undefined ? '' : ` && hasItems(${[value, ...limits].join(', ')})`;
      return `${isList}(${value}, ${check})${isLong}`;
    }
    if (type !== 'string') throw new Error(`no predicate for ${JSON.stringify(schema)}`);
    return stringChecks(schema, value, take).join(' && ');
  });
}

function stringChecks(schema, value, take) {
  const found = [`typeof ${value} === 'string'`];
  const [min, max, pattern, format] = ['minLength', 'maxLength', 'pattern', 'format'].map(take);
  if (min !== undefined || max !== undefined) found.push(`hasLength(${value}, ${min ?? 0}, ${max})`);
  if (pattern !== undefined) {
    const [name] = Object.entries(STRINGS).find(([, definition]) => definition === schema);
    found.push(`patterns.${name}.test(${value})`);
  }
  if (format !== undefined) {
    if (FORMATS[format] === undefined) throw new Error(`no predicate for the format ${format}`);
    if (FORMATS[format] !== null) found.push(`${FORMATS[format]}(${value})`);
  }
  return found;
}

function generateStringPredicate(name, schema) {
  return `/** Whether a value is a string of the kind ${name} in the schemas. */
export function ${isName(name)}(value: unknown): value is string {
  return ${generateExpression(schema, 'value')};
}`;
}

/** Generates the predicate for the members of an object. The caller of the predicate checks for missing members. */
function generateMemberPredicate(name, schema) {
  return readConstraints(schema, (take) => {
    if (take('type') !== 'object' || take('additionalProperties') !== false) {
      throw new Error(`${name} is not an object with known members`);
    }
    take('required');
    const cases = Object.entries(take('properties')).map(
      ([member, property]) => `    case '${member}':\n      return ${generateExpression(property, 'value')};`,
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

/** Generates the predicate for an object inside another. */
function generateRecordPredicate(name, schema) {
  const isMember = `is${name[0].toUpperCase()}${name.slice(1)}Member`;
  return `function ${isName(name)}(value: unknown): boolean {
  return isObjectOf(value, ${JSON.stringify(schema.required)}, ${isMember});
}

/** Checks the value of a member of this object. Returns undefined if the object has no such member. */
${generateMemberPredicate(isMember, schema)}`;
}

/** The strings that only about.json has. */
const ABOUT_STRINGS = ['issuerName', 'statusReason'];

const stringPredicates = (isWanted) =>
  Object.entries(STRINGS)
    .filter(([name]) => isWanted(name))
    .map(([name, schema]) => generateStringPredicate(name, schema))
    .join('\n\n');

/**
 * Generates the source of the module with the predicates of about.json. It has the patterns of its texts in itself: the bundler of
 * the page divides the parts by modules, and the first view shows no names.
 */
export function aboutPredicates() {
  const patterns = ABOUT_STRINGS.map((name) => `  ${name}: ${new RegExp(STRINGS[name].pattern, 'u')},`);
  return `
import { hasLength, isNormalized } from '../bytes/checks.js';
import { isValidDateTime, isValidUtcSecond } from './predicates.js';

const patterns = {
${patterns.join('\n')}
} as const;

${stringPredicates((name) => ABOUT_STRINGS.includes(name)).replaceAll('export ', '')}

/** Checks the value of a field of an issuer in about.json (rule about-file). Returns undefined if there is no such field. */
${generateMemberPredicate('isAboutField', aboutIssuer)}
`;
}

/** Generates the source of the module with the predicates. */
export function predicates() {
  const { named } = trustPolicy.$defs;
  // The verifier imports every key, and then checks which members a key of its type has.
  const { oneOf: _membersByType, ...rootJwk } = jwk;
  return `
import { hasItems, hasLength, isIntegerWithin, isListOf, isObjectOf, isUniqueListOf } from '../bytes/checks.js';
import { isCalendarTime } from '../bytes/calendar-time.js';
import * as patterns from './patterns.js';

${stringPredicates((name) => !ABOUT_STRINGS.includes(name))}

/**
 * Checks the value of a field of an issuer (rules record-form, issuer-id, record-uris). Returns undefined if an issuer has no
 * such field.
 */
${generateMemberPredicate('isIssuerField', issuer)}

/** Checks the value of a member of a trust policy. Returns undefined if a trust policy has no such member. */
${generateMemberPredicate('isPolicyMember', trustPolicy)}

${generateRecordPredicate('named', named)}

/** Checks the value of a member of a trust anchor. Returns undefined if a trust anchor has no such member. */
${generateMemberPredicate('isAnchorMember', trustAnchor)}

${generateRecordPredicate('rootJwk', rootJwk)}
`;
}
