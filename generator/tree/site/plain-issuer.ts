import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import {
  type AboutIssuer,
  alikeIssuers,
  instantOf,
  lookOf,
  recognitionOf,
  sinceOf,
  standingOf,
} from '@passport-registry/verifier/core';
import type { ListBytes } from '../../list/list.js';
import { type Html, html } from './html.js';
import type { Words } from './website-files.js';

/** What a page without a script says of an issuer. It does not know who is on hold. */
export interface PlainIssuer {
  readonly issuer: Issuer;
  readonly about: AboutIssuer;
  /** What it is by its status and tier, in a word: the script of the page has the same words. */
  readonly standing: Html;
  /** That its name looks like that of others, if it does. */
  readonly alike: Html | undefined;
  /** What is said of its day: `Trusted since` after an examination, and `Listed since` without one. */
  readonly since: Html;
  /** Whether "since" is true of its day. */
  readonly isSince: boolean;
  /** Whether verifiers accept it before the registry trusts or lists it. */
  readonly isNotYet: boolean;
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
  // By the time of the list, because the same list always gives the same pages.
  const standings = new Map(issuers.map((one) => [one.issuer_id, standingOf(one, one.status, now)]));
  const wordFor = ({ issuer_id, status }: Issuer) =>
    words.word(`standing_${standings.get(issuer_id)}`, status);
  const named = about.size === 0 ? [] : issuers;
  const looks = named.map((issuer) => lookOf(issuer, about.get(issuer.issuer_id)?.name));
  const alikeTo = alikeIssuers(looks, now);
  return issuers.map((issuer) => {
    const { issuer_id: id } = issuer;
    const { alike, unnamed } = alikeTo.get(id) ?? { alike: [], unnamed: 0 };
    const others = alike.map((one, at) => html`${at === 0 ? '' : ', '}${one.issuer_id} (${wordFor(one)})`);
    if (unnamed > 0) others.push(html` +${unnamed}`);
    const since = sinceOf(issuer, issuer.status, now);
    return {
      issuer,
      about: about.get(id) ?? {},
      standing: wordFor(issuer),
      since: words.text(`since_${since}`),
      isSince: since === recognitionOf(issuer),
      isNotYet: standings.get(id) === 'notYet',
      alike: others.length === 0 ? undefined : words.text('plain_alike', { others: html`${others}` }),
    };
  });
}

/** The day of a time in words, in the time zone in which it is written. A text that is no time stays as it is. */
export function timeInWords(time: string, words: Words): Html {
  return html`<time datetime="${time}">${words.day(time)}</time>`;
}
