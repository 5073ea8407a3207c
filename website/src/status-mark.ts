import type { Issuer } from '@passport-registry/verifier';
import { element } from './element.js';

/** A status that the page shows: that of the record, or that the checkpoint holds an active issuer. */
export type ShownStatus = Issuer['status'] | 'on hold';

const SYMBOLS = { active: '✓', suspended: '‖', revoked: '✕', 'on hold': '‖' } as const;

/** Returns the status to show. A hold changes nothing for an issuer that the list has suspended or revoked. */
export function shownStatus({ issuer_id, status }: Issuer, hold: readonly string[]): ShownStatus {
  return status === 'active' && hold.includes(issuer_id) ? 'on hold' : status;
}

/** The class of a status. Verifiers treat a held issuer as suspended. */
export function statusClass(status: ShownStatus): Issuer['status'] {
  return status === 'on hold' ? 'suspended' : status;
}

/** A status as a symbol and words, so that readers do not have to rely on the colour. */
export function statusMark(status: ShownStatus): HTMLElement {
  return element(
    'span',
    { class: `status ${statusClass(status)}` },
    element('span', { 'aria-hidden': 'true' }, `${SYMBOLS[status]} `),
    status,
  );
}
