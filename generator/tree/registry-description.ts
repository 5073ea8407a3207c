import { UsageError } from '../errors.js';
import { validateConfiguration } from '../generated/configuration-validator.js';

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

/** The name of a registry without a name. */
export const DEFAULT_NAME = 'Registry of agent passport issuers';

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
