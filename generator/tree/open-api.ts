import { schemaBytes } from '../records/schemas.js';
import type { RegistryDescription } from './registry-description.js';

/**
 * Returns the OpenAPI description of the tree. In a registry without a description of its own, it is the file of the
 * package.
 */
export function openApiBytes({ name, description, contact, homepage }: RegistryDescription): Uint8Array {
  const bytes = schemaBytes('registry.openapi.json');
  if ((name ?? description ?? contact ?? homepage) === undefined) return bytes;
  const hasContact = (name ?? contact ?? homepage) !== undefined;
  const document = JSON.parse(new TextDecoder().decode(bytes));
  const { title, ...info } = document.info;
  // OpenAPI 3.1 shows `summary` as plain text, and `description` as CommonMark.
  document.info = {
    title: name ?? title,
    summary: description,
    ...info,
    contact: hasContact ? { name, url: homepage, email: contact } : undefined,
  };
  return new TextEncoder().encode(`${JSON.stringify(document, undefined, 2)}\n`);
}
