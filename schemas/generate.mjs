// Makes verifier/src/generated/schemas.ts from the JSON Schemas of this folder, which are the single source of
// truth. `--check` writes nothing and fails when the file is not current.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { compile } from 'json-schema-to-typescript';

const target = new URL('../verifier/src/generated/schemas.ts', import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8'));

const issuer = read('issuer');
const registry = read('issuer-registry');
const jwk = read('jwk');
const trustPolicy = read('trust-policy');

/** Every definition of every schema; their names are unique. */
const DEFINITIONS = { ...issuer.$defs, ...registry.$defs, ...jwk.$defs, ...trustPolicy.$defs };

/** The schema as the type compiler needs it: no reference left, and a title on nothing but the document itself. */
function selfContained(schema, properties = schema.properties) {
  const { title, description, required, additionalProperties, type } = schema;
  const plain = Object.entries(properties).map(([name, property]) => {
    const { title: _title, examples: _examples, ...rest } = property;
    return [name, resolved(rest)];
  });
  return { title, description, type, required, additionalProperties, properties: Object.fromEntries(plain) };
}

function resolved(value) {
  return JSON.parse(JSON.stringify(value), (_key, inner) => {
    if (inner?.$ref === undefined) return inner;
    const { $ref, ...rest } = inner;
    const {
      pattern: _pattern,
      format: _format,
      $comment: _comment,
      ...definition
    } = resolved(DEFINITIONS[$ref.replace(/^.*#\/\$defs\//, '')]);
    return { ...definition, ...rest };
  });
}

async function interfaces() {
  const options = { bannerComment: '', style: { singleQuote: true, printWidth: 110 } };
  // The list refers to the issuer by file name; put in its place, both come out of one compilation.
  const list = selfContained(registry, {
    ...registry.properties,
    issuers: { ...registry.properties.issuers, items: selfContained(issuer) },
  });
  const types = [];
  for (const schema of [list, selfContained(jwk), selfContained(trustPolicy)]) {
    types.push(await compile(schema, schema.title, options));
  }
  return types.join('\n');
}

function constants() {
  const quoted = (value) => JSON.stringify(value);
  const lines = [
    '/** The tiers of an issuer, highest first. */',
    `export const TIERS = ${quoted(issuer.properties.tier.enum)} as const;`,
    '/** The states of an issuer. Only `active` is ever accepted. */',
    `export const STATUSES = ${quoted(issuer.properties.status.enum)} as const;`,
    '/** Every field of an issuer, in the order of the schema. */',
    `export const ISSUER_FIELDS = ${quoted(Object.keys(issuer.properties))} as const;`,
    '/** The fields that every issuer has. */',
    `export const REQUIRED_ISSUER_FIELDS = ${quoted(issuer.required)} as const;`,
    '/** The grammar of each kind of text, as the schemas have it: what it matches, how long it may be (characters). */',
    'export const GRAMMAR = {',
  ];
  for (const [name, definition] of Object.entries({ ...issuer.$defs, ...registry.$defs, ...jwk.$defs })) {
    const maxLength = definition.maxLength ?? 'Number.POSITIVE_INFINITY';
    lines.push(
      `  ${name}: { pattern: new RegExp(${quoted(definition.pattern)}, 'u'), maxLength: ${maxLength} },`,
    );
  }
  lines.push('} as const;');
  return lines.join('\n');
}

const text = `// Made by schemas/generate.mjs from schemas/*.schema.json: edit those, then run \`npm run generate\`.

${await interfaces()}
${constants()}
`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, text);
} else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  console.error(
    'verifier/src/generated/schemas.ts is not what the JSON Schemas say: run `npm run generate`.',
  );
  process.exitCode = 1;
}
