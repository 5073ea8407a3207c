// Generates types and constants from the schemas.

import { compile } from 'json-schema-to-typescript';
import {
  ABOUT_FIELDS,
  aboutIssuer,
  configuration,
  gateSettings,
  inlined,
  issuer,
  jwk,
  openApi,
  registry,
  STRINGS,
  trustAnchor,
  trustPolicy,
} from './read.mjs';

/**
 * Prepares a schema for the type compiler: inlines all references, and removes all titles except that of the document.
 */
function selfContained(schema, properties = schema.properties) {
  const { title, description, required, additionalProperties, type } = schema;
  const plain = Object.entries(properties).map(([name, property]) => {
    // The types of tuples, which minItems and maxItems would give, are a nuisance to callers.
    const { title: _title, examples: _examples, minItems: _min, maxItems: _max, ...rest } = property;
    return [name, inlined(rest, (keyword) => !['pattern', 'format', '$comment'].includes(keyword))];
  });
  return { title, description, type, required, additionalProperties, properties: Object.fromEntries(plain) };
}

const OPTIONS = { bannerComment: '', style: { singleQuote: true, printWidth: 110 } };

async function interfaces() {
  // The list refers to the issuer schema by file name. With the schema inlined, one compilation produces both types.
  const list = selfContained(registry, {
    ...registry.properties,
    issuers: { ...registry.properties.issuers, items: selfContained(issuer) },
  });
  const { root, ...members } = trustAnchor.properties;
  const anchor = selfContained(trustAnchor, {
    root: { description: root.description, tsType: jwk.title },
    ...members,
  });
  const types = [];
  for (const schema of [
    list,
    selfContained(aboutIssuer),
    selfContained(jwk),
    selfContained(trustPolicy),
    anchor,
  ]) {
    types.push(await compile(schema, schema.title, OPTIONS));
  }
  return types.join('\n');
}

/** Lets every optional member of an interface be undefined, too. */
function withUndefined(text) {
  const isOptional = [];
  return text.replaceAll(/^ *(?:\}|\w+\?:|.*\{$).*$/gm, (line) => {
    const ends = line.trim().startsWith('}');
    if (line.endsWith('{')) isOptional.push(line.includes('?:'));
    return (ends ? isOptional.pop() : /\?:.*;$/.test(line)) ? line.replace(/;$/, ' | undefined;') : line;
  });
}

/** The settings of a registry. What signs is described once, as `Signer`. */
function registrySettings() {
  const { $defs, ...schema } = configuration;
  const named = (_key, inner) =>
    inner?.$ref === '#/$defs/signer' ? { description: $defs.signer.description, tsType: 'Signer' } : inner;
  return inlined(JSON.parse(JSON.stringify(schema), named));
}

/** Generates the source of the module with the types of files of settings. */
export async function settingsTypes() {
  const schemas = {
    Signer: inlined(configuration.$defs.signer),
    RegistryFile: registrySettings(),
    GateFile: inlined(gateSettings),
  };
  const types = [];
  for (const [title, schema] of Object.entries(schemas)) {
    const text = await compile({ ...schema, title }, title, { ...OPTIONS, ignoreMinAndMaxItems: true });
    types.push(
      withUndefined(text.replaceAll(/ +\*\n +\* This interface was referenced by [^*]*\* via [^*]*\n/g, '')),
    );
  }
  return `\n${types.join('\n')}`;
}

/** The constants, each with its description and its values. */
const CONSTANTS = {
  TIERS: ['The tiers of an issuer, highest first.', issuer.properties.tier.enum],
  STATUSES: ['The statuses of an issuer. Only `active` is accepted.', issuer.properties.status.enum],
  ISSUER_FIELDS: ['Every field of an issuer, in the order of the schema.', Object.keys(issuer.properties)],
  REQUIRED_ISSUER_FIELDS: ['The fields that every issuer has.', issuer.required],
  ABOUT_FIELDS: ['Every field of a record that is in about.json, and not in the list.', ABOUT_FIELDS],
  LIST_MEMBERS: ['The members of a list; each is required.', registry.required],
  REQUIRED_POLICY_MEMBERS: ['The members that every trust policy has.', trustPolicy.required],
  REQUIRED_NAMED_MEMBERS: [
    'The members of every entry of `allow` and `deny` in a trust policy.',
    trustPolicy.$defs.named.required,
  ],
  REQUIRED_ANCHOR_MEMBERS: ['The members that every trust anchor has.', trustAnchor.required],
};

/** The constants of passports. */
const PASSPORT_CONSTANTS = {
  AGENT_TYPES: ['The types of agents.', openApi.components.schemas.AgentType.enum],
  PASSPORT_STATUSES: [
    'The statuses of a passport.',
    openApi.components.schemas.Passport.properties.status.enum,
  ],
};

function grammar() {
  const lines = [
    '/** The grammar of each kind of string, from the schemas: its pattern, and its maximum length in characters. */',
    'export const GRAMMAR = {',
  ];
  for (const [name, { maxLength = 'Infinity' }] of Object.entries(STRINGS)) {
    lines.push(`  ${name}: { pattern: patterns.${name}, maxLength: ${maxLength} },`);
  }
  lines.push('} as const;');
  return lines.join('\n');
}

/** Generates the source of the module with the patterns. Bundlers leave out those that a program does not use. */
export function patterns() {
  const lines = Object.entries(STRINGS).map(
    ([name, { pattern }]) => `export const ${name} = ${new RegExp(pattern, 'u')};`,
  );
  return `\n${lines.join('\n')}\n`;
}

/** Generates the source of constants. */
function constants(table) {
  const lines = Object.entries(table).map(
    ([name, [description, values]]) =>
      `/** ${description} */\nexport const ${name} = ${JSON.stringify(values)} as const;`,
  );
  return lines.join('\n');
}

/** Generates the source of the module with the types and constants. */
export async function typesAndConstants() {
  return `\nimport * as patterns from './patterns.js';\n\n${await interfaces()}\n${constants(CONSTANTS)}\n${grammar()}\n`;
}

/** Generates the source of the module with the constants of passports. */
export function passportConstants() {
  return `\n${constants(PASSPORT_CONSTANTS)}\n`;
}
