import type { Issuer } from '@passport-registry/verifier';
import { formatTime } from '@passport-registry/verifier/core';
import type { NothingSaid, SaidAt } from '../../observers/past/answer.js';
import type { DatedPublication, NotKept, PastRecord } from '../../observers/past/past-record.js';
import { type Io, say } from './io.js';

/** What was asked about the past. */
interface Asked {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Prints what a registry said of an issuer, and what proves it. */
export function saySaid(io: Io, { id, time }: Asked, { said, evidence }: SaidAt): void {
  say(io, `${id} was ${inWords(said)} at ${formatTime(time)}`);
  if (evidence === 'publisher') say(io, `    ${PUBLISHERS_WORD}`);
  sayPublication(io, said);
}

/** Says that nothing proves the times of a publication. */
export const PUBLISHERS_WORD =
  "NOT proven: without a trust anchor that names witnesses, the times are only the publisher's word";

/** Prints when a publication was in force, and the record in it without its id. */
export function sayPublication(io: Io, said: PastRecord): void {
  sayDated(io, said);
  for (const [field, value] of Object.entries(said.issuer ?? {})) {
    if (field !== 'issuer_id')
      say(io, `    ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
}

/** Prints a publication, and when it was in force. */
export function sayDated(
  io: Io,
  { from, until, witnesses, sequence, updatedAt, sha256 }: DatedPublication,
): void {
  const times =
    witnesses === null
      ? [`signed       ${from}, ${until === null ? 'not replaced yet' : `replaced ${until}`}`]
      : [
          `proven from  ${from}, by ${witnesses.from.join(', ')}`,
          `proven until ${until}, by ${witnesses.until.join(', ')}`,
        ];
  const lines = [...times, `publication  ${sequence}, list of ${updatedAt}`, `sha256       ${sha256}`];
  for (const line of lines) say(io, `    ${line}`);
}

/** Says what a list said of an issuer, in words that follow "was". */
export function inWords({ issuer }: { readonly issuer: Issuer | null }): string {
  return issuer === null ? 'NOT listed' : `listed as ${issuer.tier}, ${issuer.status}`;
}

/** Prints that nothing shows what a registry said at a time, and what is known of the time before and after. */
export function sayNothing(
  io: Io,
  { id, time }: Asked,
  { before, after, unproven, isPartial }: NothingSaid,
): void {
  say(io, `nothing proves what the registry said of ${id} at ${formatTime(time)}`);
  say(
    io,
    `    before: ${before === null ? 'nothing is known' : `until ${before.until}, ${neighbour(before)}`}`,
  );
  for (const { sequence, updatedAt, reason } of unproven) {
    say(io, `    publication ${sequence} of ${updatedAt} is not proven: ${reason}`);
  }
  say(
    io,
    `    after: ${after === null ? 'nothing is proven yet' : `from ${after.from}, ${neighbour(after)}`}`,
  );
  if (!isPartial) return;
  say(
    io,
    'note: older publications were signed by root keys before the pinned one: pass the trust anchor of that time',
  );
}

function neighbour(publication: PastRecord | NotKept): string {
  const { sequence } = publication;
  const what = 'problem' in publication ? publication.problem : inWords(publication);
  return `publication ${sequence}: ${what}`;
}
