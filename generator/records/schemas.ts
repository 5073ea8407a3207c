import { packageFile } from '../files/package-file.js';

/** The JSON Schemas that the tree publishes, and the description of its interface, by file name. */
export const SCHEMA_FILES = [
  'issuer.schema.json',
  'issuer-registry.schema.json',
  'jwk.schema.json',
  'trust-policy.schema.json',
  'registry.openapi.json',
] as const;

/** The bytes of a schema, as the package ships them and the tree publishes them. */
export function schemaBytes(name: (typeof SCHEMA_FILES)[number]): Uint8Array {
  return packageFile(`schemas/${name}`);
}
