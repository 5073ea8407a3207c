import type { Issuer } from '@passport-registry/verifier';
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
  { records, updatedAt }: ListBytes,
  names: Uint8Array | undefined,
  words: Words,
): PlainIssuer[] {
  const decoder = new TextDecoder();
  // This build has made the file.
  const known = names === undefined ? {} : JSON.parse(decoder.decode(names)).issuers;
  const about = new Map<string, AboutIssuer>(Object.entries(known));
  return [...records].map(([id, bytes]) => {
    const issuer: Issuer = JSON.parse(decoder.decode(bytes));
    return {
      issuer,
      about: about.get(id) ?? {},
      standing: words.word(`standing_${standingOf(issuer, updatedAt)}`, issuer.status),
    };
  });
}

/** By the time of the list, because the same list always gives the same pages. */
function standingOf({ status, tier, certified_since }: Issuer, updatedAt: string): string {
  if (status !== 'active') return status;
  if (tier === 'sandbox') return 'tests';
  if (instantOf(certified_since) > instantOf(updatedAt)) return 'notYet';
  return tier === 'founding' || tier === 'certified' ? 'trusted' : 'listed';
}

/** The day of a time in words, in the time zone in which it is written. A text that is no time stays as it is. */
export function timeInWords(time: string, words: Words): Html {
  return html`<time datetime="${time}">${words.day(time)}</time>`;
}
