import type { Issuer } from '@passport-registry/verifier';
import { element } from './element.js';

const SYMBOLS = { active: '✓', suspended: '‖', revoked: '✕' } as const;

/** A status as a symbol and a word, so that readers do not have to rely on the colour. */
export function statusMark(status: Issuer['status']): HTMLElement {
  return element(
    'span',
    { class: `status ${status}` },
    element('span', { 'aria-hidden': 'true' }, `${SYMBOLS[status]} `),
    status,
  );
}
