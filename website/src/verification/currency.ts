import type { RegistryStatus } from '@passport-registry/verifier';
import { dayInWords, formatAge } from '../dom/time.js';
import { verdict as text } from '../texts/en.js';

/** Whether nothing shows that the verified list is the newest: there is no checkpoint, or the last refresh failed. */
export function isDoubtful({ checkpointSignedAt, errors }: RegistryStatus): boolean {
  return checkpointSignedAt === undefined || Object.keys(errors).length > 0;
}

/** Until when it is proven that the list was the newest, in milliseconds since 1970. Undefined before the first list. */
export function provenUntil({ checkpointSignedAt, updatedAt }: RegistryStatus): number | undefined {
  if (updatedAt === undefined) return undefined;
  return Math.max(checkpointSignedAt?.getTime() ?? 0, Date.parse(updatedAt));
}

/** As of when the list is proven to be the newest, or why nothing proves that. */
export function currencyOf(status: RegistryStatus): string {
  const { checkpointSignedAt, updatedAt = '', errors } = status;
  const asOf = text.asOf(formatAge(provenUntil(status) ?? 0));
  if (Object.keys(errors).length > 0) return text.late(asOf);
  return checkpointSignedAt === undefined ? text.undated(dayInWords(updatedAt)) : asOf;
}
