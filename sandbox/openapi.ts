import { readFileSync } from 'node:fs';

interface Description {
  readonly openapi: string;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The OpenAPI description of the interface. Requests are checked against it. */
export const DESCRIPTION: Description = JSON.parse(
  readFileSync(new URL('../../schemas/issuer.openapi.json', import.meta.url), 'utf8'),
);
