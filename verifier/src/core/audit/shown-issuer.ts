import type { Issuer } from '../generated/schemas.js';
import { instantOf } from '../list/date-time.js';

// What people are told of an issuer: by the page, and by the list for readers without a script.

/** The status that people see: the status in the record, or `on hold` if the checkpoint holds an active issuer. */
export type ShownStatus = Issuer['status'] | 'on hold';

/** What an issuer is, by its status and its tier, in the order of a sort: the one vocabulary of the page. */
export const STANDINGS = ['trusted', 'listed', 'tests', 'notYet', 'on hold', 'suspended', 'revoked'] as const;
export type Standing = (typeof STANDINGS)[number];

/** The tiers of the issuers that the operator has examined. */
const TRUSTED_TIERS: readonly Issuer['tier'][] = ['founding', 'certified'];

/** What the operator has done with an issuer. A tier that is not known stands for no examination. */
export function recognitionOf({ tier }: Issuer): 'trusted' | 'listed' {
  return TRUSTED_TIERS.includes(tier) ? 'trusted' : 'listed';
}

/** Whether an issuer is trusted or listed only from a later time on. @param now - milliseconds since 1970 */
export function isNotYet({ certified_since }: Issuer, now: number): boolean {
  return instantOf(certified_since) > now;
}

/** Returns the standing of an issuer. @param now - milliseconds since 1970 */
export function standingOf(issuer: Issuer, status: ShownStatus, now: number): Standing {
  if (status !== 'active') return status;
  if (issuer.tier === 'sandbox') return 'tests';
  return isNotYet(issuer, now) ? 'notYet' : recognitionOf(issuer);
}

/** Names what is said of the day of an issuer: to come, or in the past of one that was stopped. */
export function sinceOf(issuer: Issuer, status: ShownStatus, now: number) {
  const recognition = recognitionOf(issuer);
  if (isNotYet(issuer, now)) return `${recognition}ToCome` as const;
  return status === 'active' ? recognition : (`${recognition}Before` as const);
}

/** The words for places. */
interface PlaceWords {
  /** The word for `global`. */
  readonly everywhere: string;
  /** The names of countries. */
  readonly regions: Intl.DisplayNames;
}

/** Returns the name of a place of a record: a country in words, or a subdivision by its code and the name of its country. */
export function placeName(code: string, { everywhere, regions }: PlaceWords): string {
  if (code === 'global') return everywhere;
  const [country = '', part] = code.split('-');
  const name = /^[A-Z]{2}$/.test(country) ? (regions.of(country) ?? country) : country;
  return part === undefined ? name : `${code} (${name})`;
}
