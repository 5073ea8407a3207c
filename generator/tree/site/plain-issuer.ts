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
  /** What is said of its day: `Recognised since` after an examination, and `Listed since` without one. */
  readonly since: Html;
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
    since: words.text(`since_${recognitionOf(issuer)}${isNotYet(issuer, now) ? 'ToCome' : ''}`),
  }));
}

function recognitionOf({ tier }: Issuer): 'recognised' | 'listed' {
  return tier === 'founding' || tier === 'certified' ? 'recognised' : 'listed';
}

function isNotYet({ certified_since }: Issuer, now: number): boolean {
  return instantOf(certified_since) > now;
}

/** By the time of the list, because the same list always gives the same pages. */
function standingOf(issuer: Issuer, now: number): string {
  if (issuer.status !== 'active') return issuer.status;
  if (issuer.tier === 'sandbox') return 'tests';
  if (isNotYet(issuer, now)) return 'notYet';
  return recognitionOf(issuer) === 'recognised' ? 'trusted' : 'listed';
}

/** The day of a time in words, in the time zone in which it is written. A text that is no time stays as it is. */
export function timeInWords(time: string, words: Words): Html {
  return html`<time datetime="${time}">${words.day(time)}</time>`;
}
