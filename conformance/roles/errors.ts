import { NoUsableSource, RegistryError } from '@passport-registry/verifier';
import { GeneratorError } from '../../generator/errors.js';

/** The codes of an error: of a client, those of its sources; of a command, also that of the cause. None: it is a fault of the program. */
export function codesOf(error: unknown): readonly string[] {
  if (error instanceof NoUsableSource) return Object.values(error.errors).flatMap(codesOf);
  if (!(error instanceof RegistryError || error instanceof GeneratorError)) return [];
  return [error.code, ...codesOf(error.cause)];
}
