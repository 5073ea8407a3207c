import type { Issuer } from '@passport-registry/verifier';
import type { ShownStatus, Standing } from '@passport-registry/verifier/core';
import { element } from '../dom/element.js';
import { icon } from '../dom/icons.js';
import { wordFor } from '../dom/text.js';
import { standings } from '../texts.js';
import { standingOf } from '../verifier.js';

const ICONS = { trusted: 'check', suspended: 'pause', revoked: 'cross', 'on hold': 'pause' } as const;

/**
 * The colours of the standings, as classes. Green is only for an issuer that the operator has examined, and trusts now. An
 * empty class has the colour of the text.
 */
export const TONES: Readonly<Record<Standing, string>> = {
  trusted: 'active',
  listed: '',
  tests: '',
  notYet: '',
  'on hold': 'suspended',
  suspended: 'suspended',
  revoked: 'revoked',
};

/** Returns the status to show. A hold changes nothing for an issuer that the list has suspended or revoked. */
export function shownStatus({ issuer_id, status }: Issuer, hold: readonly string[]): ShownStatus {
  return status === 'active' && hold.includes(issuer_id) ? 'on hold' : status;
}

/** Counts issuers by something of them. */
export function countsOf<T>(issuers: readonly Issuer[], of: (issuer: Issuer) => T): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const issuer of issuers) {
    const one = of(issuer);
    counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return counts;
}

/** The icon of a standing. The check mark is only for what the operator has examined. */
export function standingIcon(standing: Standing): SVGElement {
  return icon(wordFor(ICONS, standing) ?? 'ring');
}

/** The standing of an issuer as an icon and words, so that readers do not have to rely on the colour. */
export function statusMark(issuer: Issuer, status: ShownStatus): HTMLElement {
  const standing = standingOf(issuer, status, Date.now());
  return element(
    'span',
    { class: `status ${TONES[standing]}` },
    standingIcon(standing),
    wordFor(standings, standing) ?? status,
  );
}
