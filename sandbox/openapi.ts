import { readFileSync } from 'node:fs';

interface Description {
  readonly openapi: string;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The description of the interface (OpenAPI 3.1): what is served, and what requests are checked against. */
export const DESCRIPTION: Description = JSON.parse(
  readFileSync(new URL('../../schemas/issuer.openapi.json', import.meta.url), 'utf8'),
);
