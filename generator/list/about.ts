import type { Issuer } from '@passport-registry/verifier';
import { type AboutIssuers, canonicalBytes } from '@passport-registry/verifier/core';

/**
 * The bytes of about.json: the names and reasons of issuers, which never enter the list (rule about-file).
 *
 * @returns undefined if no issuer has a name or a reason. The registry then has no such file
 */
export function aboutBytes(about: AboutIssuers): Uint8Array | undefined {
  return about.size === 0 ? undefined : canonicalBytes({ issuers: Object.fromEntries(about) });
}

/** Finds what about.json must not say of the issuers of a list (rule about-file). Each message is a predicate. */
export function findAboutFaults(about: AboutIssuers, issuers: readonly Issuer[]): string[] {
  const listed = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  return [...about].flatMap(([id, { status_reason }]) => {
    const issuer = listed.get(id);
    if (issuer === undefined) return [`names ${id}, which is not in the list`];
    if (status_reason === undefined || issuer.status !== 'active') return [];
    return [`has a reason for the status of ${id}, which is active`];
  });
}
