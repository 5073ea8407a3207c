import type { Issuer } from '@passport-registry/verifier';
import {
  type AboutIssuer,
  type Change,
  isNotYet,
  recognitionOf,
  type ShownStatus,
  standingOf,
} from '@passport-registry/verifier/core';
import { type Child, element, rich } from '../dom/element.js';
import { wordFor } from '../dom/text.js';
import { day, dayInWords } from '../dom/time.js';
import { saidReason } from '../list/names.js';
import { issuer as issuerText, LANGUAGE, standings } from '../texts.js';

const text = issuerText.sentence;
const lists = new Intl.ListFormat(LANGUAGE, { type: 'conjunction' });

/** What a sentence on an issuer is made of. */
export interface Told {
  /** Null if the name and the reason are not known. Undefined before they have come. */
  readonly about: AboutIssuer | null | undefined;
  /** The verified changes of this issuer, newest first. Undefined if they are not known. */
  readonly changes: readonly Change[] | undefined;
  /** The name of the registry. */
  readonly registry: string;
}

/** One sentence on an issuer: what is so, by whom and since when, and why it is not active. */
export function sentenceOn(issuer: Issuer, status: ShownStatus, told: Told): Child[] {
  const slots = {
    name: element('strong', { class: 'said' }, element('bdi', {}, told.about?.name ?? issuer.issuer_id)),
    registry: element('bdi', {}, told.registry),
    since: day(issuer.certified_since),
    trusted: standings[recognitionOf(issuer)],
  };
  const standing = standingOf(issuer, status, Date.now());
  const { trusted, listed, notYet } = text;
  const { held, stopped, tests } = isNotYet(issuer, Date.now()) ? text.toCome : text;
  switch (standing) {
    case 'on hold':
      return rich(held, slots);
    case 'suspended':
    case 'revoked':
      return rich(stopped, { ...slots, steps: stepsTo(standing, told), reason: reasonIn(told) });
    default: {
      const words = wordFor({ trusted, listed, tests, notYet }, standing);
      return words === undefined ? [] : rich(words, { ...slots, before: lastSuspension(told) });
    }
  }
}

/** The changes of the status in order, such as `was suspended on 2 October 2026 and revoked on 23 November 2026`. */
function stepsTo(status: 'suspended' | 'revoked', told: Told): string {
  const changes = statusChanges(told);
  const steps = changes.flatMap(({ to, updated_at }) =>
    isStep(to) ? [text.steps[to](dayInWords(updated_at))] : [],
  );
  const [first, ...others] = steps;
  const words = first === undefined ? [] : [text.changed(first), ...others];
  return lists.format(changes.at(-1)?.to === status ? words : [...words, text.now[status]]);
}

const isStep = (status: string | null): status is keyof typeof text.steps =>
  status !== null && Object.hasOwn(text.steps, status);

/** The verified changes of the status, oldest first. The first status of an issuer is no change. */
function statusChanges({ changes = [] }: Told): Change[] {
  return changes
    .filter(({ field, from, to }) => field === 'status' && from !== null && to !== null)
    .reverse();
}

function lastSuspension(told: Told): string {
  const [began, ended] = statusChanges(told).slice(-2);
  if (began?.to !== 'suspended' || ended?.to !== 'active') return '';
  return text.before(dayInWords(began.updated_at), dayInWords(ended.updated_at));
}

/** The reason is the last sentence, with the stop that it has. */
function reasonIn({ about }: Told): Child {
  if (about === undefined) return text.end;
  if (about === null) return text.reasonUnknown;
  const { status_reason } = about;
  if (status_reason === undefined) return text.noReason;
  return rich(text.reason, { reason: saidReason(status_reason) });
}
