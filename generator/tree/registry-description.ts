import { UsageError } from '../errors.js';
import { packageFile } from '../files/package-file.js';
import { validateConfiguration } from '../generated/configuration-validator.js';
import { PATHS } from './paths.js';

/** What a registry says about itself: four settings of registry.yaml. The published documents show them to people. */
export interface RegistryDescription {
  /** The name of the registry, in one line. Default: Registry of agent passport issuers. */
  readonly name?: string | undefined;
  /** What the registry is, in one line. */
  readonly description?: string | undefined;
  /** The e-mail address of the operator. */
  readonly contact?: string | undefined;
  /** The https URL of a page about the operator. */
  readonly homepage?: string | undefined;
}

/**
 * Checks a description by the rules for registry.yaml, because a program may have made the description.
 *
 * @throws {@link UsageError}
 */
export function assertDescription(about: RegistryDescription): void {
  if (validateConfiguration(about)) return;
  const [{ instancePath, parentSchema, message } = { instancePath: '', message: 'is invalid' }] =
    validateConfiguration.errors ?? [];
  if (instancePath === '') throw new UsageError(`the description of the registry ${message}`);
  throw new UsageError(
    `${instancePath.slice(1)} of the registry is not ${parentSchema?.['description'] ?? message}`,
  );
}

/**
 * Returns the OpenAPI description of the tree. In a registry without a description of its own, it is the file of the
 * package.
 */
export function openApiBytes({ name, description, contact, homepage }: RegistryDescription): Uint8Array {
  const bytes = packageFile(PATHS.openApi);
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
