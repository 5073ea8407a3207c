import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import { type AboutIssuer, instantOf } from '@passport-registry/verifier/core';
import type { ListBytes } from '../../list/list.js';
import { type Html, html } from './html.js';
import type { Words } from './website-files.js';

/** What a page without a script says of an issuer. It does not know who is on hold. */
export interface PlainIssuer {
  readonly issuer: Issuer;
  readonly about: AboutIssuer;
  /** What it is by its status and tier, in a word: the script of the page has the same words. */
  readonly standing: Html;
}

/** Reads the issuers of a list with their names and reasons. @param names - about.json, if the registry has it */
export function plainIssuers(
  { list, updatedAt }: ListBytes,
  names: Uint8Array | undefined,
  words: Words,
): PlainIssuer[] {
  const decoder = new TextDecoder();
  // This build has made both files.
  const known = names === undefined ? {} : JSON.parse(decoder.decode(names)).issuers;
  const about = new Map<string, AboutIssuer>(Object.entries(known));
  const { issuers }: IssuerRegistry = JSON.parse(decoder.decode(list));
  const now = instantOf(updatedAt);
  return issuers.map((issuer) => ({
    issuer,
    about: about.get(issuer.issuer_id) ?? {},
    standing: words.word(`standing_${standingOf(issuer, now)}`, issuer.status),
  }));
}

/** By the time of the list, because the same list always gives the same pages. */
function standingOf({ status, tier, certified_since }: Issuer, now: number): string {
  if (status !== 'active') return status;
  if (tier === 'sandbox') return 'tests';
  if (instantOf(certified_since) > now) return 'notYet';
  return tier === 'founding' || tier === 'certified' ? 'trusted' : 'listed';
}

/** The day of a time in words, in the time zone in which it is written. A text that is no time stays as it is. */
export function timeInWords(time: string, words: Words): Html {
  return html`<time datetime="${time}">${words.day(time)}</time>`;
}
