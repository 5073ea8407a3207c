import type { AnySchemaObject } from 'ajv';
import { packageFile } from '../files/package-file.js';

/** The JSON Schemas that the tree publishes, and the description of its interface, by file name. */
export const SCHEMA_FILES = [
  'issuer.schema.json',
  'issuer-registry.schema.json',
  'jwk.schema.json',
  'trust-policy.schema.json',
  'registry.openapi.json',
] as const;

/** Those, and the schema of registry.yaml, which is nobody's business but the operator's. */
type SchemaFile = (typeof SCHEMA_FILES)[number] | 'registry.schema.json';

/** The bytes of a schema, as the package ships them and the tree publishes them. */
export function schemaBytes(name: SchemaFile): Uint8Array {
  return packageFile(`schemas/${name}`);
}

/** A schema, parsed. */
export function schema(name: SchemaFile): AnySchemaObject {
  return JSON.parse(new TextDecoder().decode(schemaBytes(name)));
}
