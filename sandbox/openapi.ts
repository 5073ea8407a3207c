import { readFileSync } from 'node:fs';

/** The description of the interface (OpenAPI 3.1). The checks of requests are generated from the same file. */
export const DESCRIPTION: { readonly openapi: string } = JSON.parse(
  readFileSync(new URL('../../schemas/issuer.openapi.json', import.meta.url), 'utf8'),
);
