// Reads the schemas of this folder.

import { readFileSync } from 'node:fs';

/** A schema, or a description of an interface, by its file name. */
export function read(name) {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

export const issuer = read('issuer.schema.json');
export const registry = read('issuer-registry.schema.json');
export const jwk = read('jwk.schema.json');
export const trustPolicy = read('trust-policy.schema.json');
export const openApi = read('issuer.openapi.json');

/** Every definition that a schema refers to; their names are unique. */
const DEFINITIONS = {
  ...issuer.$defs,
  ...registry.$defs,
  ...jwk.$defs,
  ...trustPolicy.$defs,
  ...openApi.components.schemas,
};

/** The name of the definition that a reference leads to. */
export const referred = ($ref) => $ref.slice($ref.lastIndexOf('/') + 1);

/**
 * A copy of a schema with its definitions in place of the references.
 *
 * @param keep - which keywords of a definition to keep
 */
export function inlined(schema, keep = () => true) {
  return JSON.parse(JSON.stringify(schema), (_key, inner) => {
    if (typeof inner?.$ref !== 'string') return inner;
    const { $ref, ...rest } = inner;
    const definition = Object.entries(inlined(DEFINITIONS[referred($ref)], keep));
    return { ...Object.fromEntries(definition.filter(([keyword]) => keep(keyword))), ...rest };
  });
}
