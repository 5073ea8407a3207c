// The types of the schemas, and the values that the programs need of them.

import { compile } from 'json-schema-to-typescript';
import { inlined, issuer, jwk, openApi, registry, trustPolicy } from './read.mjs';

/** The schema as the type compiler needs it: no reference left, and a title on nothing but the document itself. */
function selfContained(schema, properties = schema.properties) {
  const { title, description, required, additionalProperties, type } = schema;
  const plain = Object.entries(properties).map(([name, property]) => {
    const { title: _title, examples: _examples, ...rest } = property;
    return [name, inlined(rest, (keyword) => !['pattern', 'format', '$comment'].includes(keyword))];
  });
  return { title, description, type, required, additionalProperties, properties: Object.fromEntries(plain) };
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

/** Each constant with its description. */
const CONSTANTS = {
  TIERS: ['The tiers of an issuer, highest first.', issuer.properties.tier.enum],
  STATUSES: ['The states of an issuer. Only `active` is ever accepted.', issuer.properties.status.enum],
  ISSUER_FIELDS: ['Every field of an issuer, in the order of the schema.', Object.keys(issuer.properties)],
  REQUIRED_ISSUER_FIELDS: ['The fields that every issuer has.', issuer.required],
  LIST_MEMBERS: ['The members of a list; each is required.', registry.required],
  REQUIRED_POLICY_MEMBERS: ['The members that every trust policy has.', trustPolicy.required],
  AGENT_TYPES: ['The types of agents.', openApi.components.schemas.AgentType.enum],
  PASSPORT_STATUSES: [
    'The states of a passport.',
    openApi.components.schemas.Passport.properties.status.enum,
  ],
};

function grammar() {
  const quoted = (value) => JSON.stringify(value);
  const lines = [
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

/** The text of a module with the types and constants of the schemas. */
export async function typesAndConstants() {
  const constants = Object.entries(CONSTANTS).map(
    ([name, [description, values]]) =>
      `/** ${description} */\nexport const ${name} = ${JSON.stringify(values)} as const;`,
  );
  return `\n${await interfaces()}\n${constants.join('\n')}\n${grammar()}\n`;
}
