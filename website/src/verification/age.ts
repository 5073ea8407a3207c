import type { RegistryStatus } from '@passport-registry/verifier';
import { formatAge } from '../dom/time.js';
import { verdict as text } from '../texts/en.js';

/** When a source last confirmed the list. */
export function ageOf({ age: ageSeconds = 0 }: RegistryStatus): string {
  return ageSeconds < 60 ? text.now : formatAge(Date.now() - ageSeconds * 1000);
}
