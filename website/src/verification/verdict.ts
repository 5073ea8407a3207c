import type { RegistryStatus } from '@passport-registry/verifier';
import { byId, element } from '../dom/element.js';
import { icon } from '../dom/icons.js';
import { formatAge } from '../dom/time.js';
import type { NotVerified } from '../registry/verified-registry.js';
import { verdict as text } from '../texts.js';

/** Whether a newer list may exist, because the last refresh failed. */
export function isDoubtful({ errors }: RegistryStatus): boolean {
  return Object.keys(errors).length > 0;
}

/** Until when it is proven that the list was the newest, in milliseconds since 1970. NaN before the first list. */
function provenUntil({ checkpointSignedAt, updatedAt = '' }: RegistryStatus): number {
  return Math.max(checkpointSignedAt?.getTime() ?? 0, Date.parse(updatedAt));
}

/**
 * Whether a list is older than another one, or the same with an older checkpoint. Two checkpoints can be of the same second,
 * two lists never (rule list-later).
 */
export function isOlder(one: RegistryStatus, other: RegistryStatus): boolean {
  const isOlderList = (one.updatedAt ?? '') < (other.updatedAt ?? '');
  return isOlderList || provenUntil(one) < provenUntil(other);
}

/** As of when the list is proven to be the newest. */
export function currencyOf(status: RegistryStatus): string {
  const asOf = text.asOf(formatAge(provenUntil(status)));
  return isDoubtful(status) ? text.late(asOf) : asOf;
}

/** Why a registry could not be verified. Each cause has its words and its colour. */
type FailureCause = keyof typeof text.failures;

/** The ends of codes. Any other code means that the host sends something else than what the root key has signed. */
const CAUSES: readonly (readonly [RegExp, FailureCause])[] = [
  [/_EXPIRED$/, 'expired'],
  [/_(?:STALE|UNREACHABLE|TIMEOUT)$/, 'unreachable'],
  [/_(?:YET_VALID|CLOCK)$/, 'clock'],
  [/^ERR_(?:SOURCE|PAGE)/, 'host'],
];

/** Returns why a registry could not be verified. */
export function causeOf({ code }: NotVerified): FailureCause {
  return CAUSES.find(([codes]) => codes.test(code))?.[1] ?? 'forged';
}

/** Shows the state of the verification. The state is also the CSS class. */
function show(state: string, ...children: Node[]): void {
  const section = byId('verification');
  section.hidden = false;
  section.className = `page verification ${state}`;
  section.replaceChildren(...children);
}

export function showChecking(): void {
  show(
    'checking',
    element('div', { class: 'badge' }, icon('shield'), element('h2', {}, text.checking)),
    element('p', { role: 'status', class: 'unseen' }, text.nothingYet),
  );
}

/**
 * Shows that the verification failed, and the cause. The caller removes all unverified data from the page. `explainFailure`
 * adds what the cause means, which need not be there if a host does not answer.
 */
export function showFailure(failure: NotVerified): void {
  const { code, message } = failure;
  const cause = causeOf(failure);
  const again = element('button', { type: 'button' }, text.again);
  again.addEventListener('click', () => location.reload());
  show(
    `bad ${cause}`,
    element('h2', {}, icon('alert'), text.failures[cause]),
    element(
      'div',
      { role: 'alert' },
      element('p', { id: 'cause' }),
      element('p', {}, element('code', {}, code), `: ${message}.`),
      element('p', {}, text.wait),
    ),
    element('p', {}, again),
  );
}

/**
 * Shows one calm line, which opens into what is proven and what is not. A second call updates the age, and keeps what the
 * reader has opened or typed.
 *
 * @param state - `proven` while only one issuer is verified
 * @param age - when a source last confirmed the list
 */
export function showBadge(state: 'proven' | 'good', title: string, age: string): HTMLElement {
  const section = byId('verification');
  const shown = section.querySelector<HTMLElement>('.panel');
  const shownAge = section.querySelector('.age');
  if (section.classList.contains(state) && shown !== null && shownAge !== null) {
    shownAge.textContent = age;
    return shown;
  }
  const panel = element('div', { class: 'panel' });
  show(
    state,
    element(
      'details',
      {},
      element(
        'summary',
        { class: 'badge' },
        icon('shield'),
        element('h2', {}, title),
        element('span', { class: 'age' }, age),
      ),
      panel,
    ),
  );
  return panel;
}
