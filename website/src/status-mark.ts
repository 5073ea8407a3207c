import type { Issuer } from '@passport-registry/verifier';
import { element } from './element.js';

const SIGNS = { active: '✓', suspended: '‖', revoked: '✕' } as const;

/** A status, told apart by sign and word, not by its colour alone. */
export function statusMark(status: Issuer['status']): HTMLElement {
  return element(
    'span',
    { class: `status ${status}` },
    element('span', { 'aria-hidden': 'true' }, `${SIGNS[status]} `),
    status,
  );
}
