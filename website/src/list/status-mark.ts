import type { Issuer } from '@passport-registry/verifier';
import { element } from '../dom/element.js';
import { icon } from '../dom/icons.js';
import { wordFor } from '../dom/word.js';
import { status as names } from '../texts/en.js';

/** A status that the page shows: that of the record, or that the checkpoint holds an active issuer. */
export type ShownStatus = Issuer['status'] | 'on hold';

const ICONS = { active: 'check', suspended: 'pause', revoked: 'cross', 'on hold': 'pause' } as const;

/** Returns the status to show. A hold changes nothing for an issuer that the list has suspended or revoked. */
export function shownStatus({ issuer_id, status }: Issuer, hold: readonly string[]): ShownStatus {
  return status === 'active' && hold.includes(issuer_id) ? 'on hold' : status;
}

/** The class of a status. Verifiers treat a held issuer as suspended. */
export function statusClass(status: ShownStatus): Issuer['status'] {
  return status === 'on hold' ? 'suspended' : status;
}

/** The icon of a status. */
export function statusIcon(status: ShownStatus): SVGElement {
  return icon(Object.hasOwn(ICONS, status) ? ICONS[status] : 'question');
}

/** A status as an icon and words, so that readers do not have to rely on the colour. */
export function statusMark(status: ShownStatus): HTMLElement {
  return element(
    'span',
    { class: `status ${statusClass(status)}` },
    statusIcon(status),
    wordFor(names, status) ?? status,
  );
}
