import { packageFile } from '../files/package-file.js';

/** The file names of the JSON Schemas and of the OpenAPI description that the tree publishes. */
export const SCHEMA_FILES = [
  'issuer.schema.json',
  'issuer-registry.schema.json',
  'jwk.schema.json',
  'trust-anchor.schema.json',
  'trust-policy.schema.json',
  'registry.openapi.json',
] as const;

/** Reads a schema from the package. The tree publishes the same bytes. */
export function schemaBytes(name: (typeof SCHEMA_FILES)[number]): Uint8Array {
  return packageFile(`schemas/${name}`);
}
