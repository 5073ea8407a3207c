import type { RegistryStatus } from '@passport-registry/verifier';
import { dayInWords, formatAge } from '../dom/time.js';
import { verdict as text } from '../texts/en.js';

/** Whether nothing shows that the verified list is the newest: there is no checkpoint, or the last refresh failed. */
export function isDoubtful({ checkpointSignedAt, errors }: RegistryStatus): boolean {
  return checkpointSignedAt === undefined || Object.keys(errors).length > 0;
}

/** When a source last confirmed the list. */
export function ageOf({ age: ageSeconds = 0 }: RegistryStatus): string {
  return ageSeconds < 60 ? text.now : formatAge(Date.now() - ageSeconds * 1000);
}

/** When a source last confirmed the list, or why nothing shows that the list is the newest. */
export function currencyOf(status: RegistryStatus): string {
  const { checkpointSignedAt, updatedAt = '', errors } = status;
  const age = ageOf(status);
  if (Object.keys(errors).length > 0) return text.late(age);
  return checkpointSignedAt === undefined ? text.undated(dayInWords(updatedAt)) : age;
}
