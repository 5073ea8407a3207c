import type { Issuer } from '@passport-registry/verifier';
import { type AboutIssuer, type AboutIssuers, canonicalBytes } from '@passport-registry/verifier/core';

/** A published list, with what about.json says of its issuers. Undefined if about.json is missing or damaged. */
interface PublishedIssuers {
  readonly issuers: ReadonlyMap<string, Issuer>;
  readonly about: AboutIssuers | undefined;
}

/**
 * Adds since when issuers are not active (rule status-since): for a status that stays, what is published; otherwise, and if that
 * is not known, the time of the new list. So a time that nobody knows any more becomes later, never earlier.
 *
 * @param updatedAt - of the new list
 * @param before - the published list; undefined for a first list
 */
export function withStatusSince(
  about: AboutIssuers,
  { issuers, updatedAt }: { readonly issuers: Iterable<Issuer>; readonly updatedAt: string },
  before: PublishedIssuers | undefined,
): AboutIssuers {
  const all = new Map<string, AboutIssuer>(about);
  for (const { issuer_id, status } of issuers) {
    if (status === 'active') continue;
    const stays = before?.issuers.get(issuer_id)?.status === status;
    const published = stays ? before.about?.get(issuer_id)?.status_since : undefined;
    all.set(issuer_id, { ...about.get(issuer_id), status_since: published ?? updatedAt });
  }
  return all;
}

/**
 * The bytes of about.json: what is said of issuers beside the list, which never delays a list (rule about-file).
 *
 * @returns undefined if there is nothing to say. The registry then has no such file
 */
export function aboutBytes(about: AboutIssuers): Uint8Array | undefined {
  return about.size === 0 ? undefined : canonicalBytes({ issuers: Object.fromEntries(about) });
}

/** Finds what about.json must say of the issuers of a list and does not, or must not say (rule about-file). Each message is a predicate. */
export function findAboutFaults(about: AboutIssuers, issuers: readonly Issuer[]): string[] {
  const listed = new Set(issuers.map(({ issuer_id }) => issuer_id));
  const strangers = [...about.keys()].filter((id) => !listed.has(id));
  return [
    ...strangers.map((id) => `names ${id}, which is not in the list`),
    ...issuers.flatMap((issuer) => faultsOf(issuer, about.get(issuer.issuer_id) ?? {})),
  ];
}

function faultsOf({ issuer_id, status }: Issuer, { status_reason, status_since }: AboutIssuer): string[] {
  if (status !== 'active') {
    return status_since === undefined ? [`does not say since when ${issuer_id} is ${status}`] : [];
  }
  return [
    ...(status_reason === undefined ? [] : [`has a reason for the status of ${issuer_id}, which is active`]),
    ...(status_since === undefined ? [] : [`says since when ${issuer_id} is not active, which is active`]),
  ];
}
