// Reads the schemas in this folder.

import { readFileSync } from 'node:fs';

/** Reads a schema or an OpenAPI description. */
export function read(name) {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

/** The fields of a record that the registry publishes in about.json, and not in the list. */
export const ABOUT_FIELDS = ['name', 'status_reason', 'reinstated'];

/** Returns a copy of a schema that has only some of its properties. */
function withProperties(schema, keep) {
  const properties = Object.entries(schema.properties).filter(([name]) => keep(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Demands NFC of texts. The published schema cannot: other programs refuse a schema with a format that they do not know. */
function withNormalizedTexts(schema) {
  const { issuerName, statusReason } = schema.$defs;
  const normalized = (text) => ({ ...text, format: 'nfc' });
  const texts = { issuerName: normalized(issuerName), statusReason: normalized(statusReason) };
  return { ...schema, $defs: { ...schema.$defs, ...texts } };
}

/** A record as its author writes it. */
export const authoredIssuer = withNormalizedTexts(read('issuer.schema.json'));
/** A record as the list has it. */
export const issuer = withProperties(authoredIssuer, (name) => !ABOUT_FIELDS.includes(name));
const aboutFields = withProperties(authoredIssuer, (name) => ABOUT_FIELDS.includes(name));
/** The rest of a record, as about.json has it, and what a build adds. */
export const aboutIssuer = {
  ...aboutFields,
  title: 'AboutIssuer',
  description: 'What is said of an issuer beside the list, in /about.json. No policy reads it.',
  required: [],
  properties: {
    ...aboutFields.properties,
    status_since: {
      description:
        'The updated_at of the first known list in which the issuer has its status, if it is suspended or revoked. A build writes it.',
      $ref: 'issuer-registry.schema.json#/$defs/utcSecond',
    },
  },
};
export const registry = read('issuer-registry.schema.json');
export const jwk = read('jwk.schema.json');
export const trustPolicy = read('trust-policy.schema.json');
export const trustAnchor = read('trust-anchor.schema.json');
export const openApi = read('issuer.openapi.json');
export const configuration = read('registry.schema.json');
export const gateSettings = read('gate.schema.json');

/** The kinds of strings in what the verifier reads, by name. Each has a pattern. */
export const STRINGS = { ...issuer.$defs, ...registry.$defs, ...jwk.$defs, ...trustAnchor.$defs };

/** All definitions that schemas refer to, by name. The names are unique. */
const DEFINITIONS = {
  ...issuer.$defs,
  ...registry.$defs,
  ...jwk.$defs,
  ...trustPolicy.$defs,
  ...trustAnchor.$defs,
  ...openApi.components.schemas,
  ...configuration.$defs,
};

/** Returns the name of the definition that a reference points to. */
export const referred = ($ref) => $ref.slice($ref.lastIndexOf('/') + 1);

/**
 * Returns a copy of a schema in which the definitions replace the references.
 *
 * @param keep - returns whether to keep a keyword of a definition
 */
export function inlined(schema, keep = () => true) {
  return JSON.parse(JSON.stringify(schema), (_key, inner) => {
    if (typeof inner?.$ref !== 'string') return inner;
    const { $ref, ...rest } = inner;
    const definition = Object.entries(inlined(DEFINITIONS[referred($ref)], keep));
    return { ...Object.fromEntries(definition.filter(([keyword]) => keep(keyword))), ...rest };
  });
}
