import { readFileSync } from 'node:fs';

/** The OpenAPI 3.1 description of the HTTP interface. The request validators are generated from the same file. */
export const DESCRIPTION: { readonly openapi: string } = JSON.parse(
  readFileSync(new URL('../../schemas/issuer.openapi.json', import.meta.url), 'utf8'),
);
