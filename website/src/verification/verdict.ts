import { byId, type Child, element } from '../dom/element.js';
import { icon } from '../dom/icons.js';
import type { NotVerified } from '../registry/verified-registry.js';
import { verdict as text } from '../texts/en.js';

/** Shows the state of the verification. The state is also the CSS class. */
function show(state: 'checking' | 'proven' | 'good' | 'bad', ...children: Node[]): void {
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

/** Shows why the verification failed. The caller removes all unverified data from the page. */
export function showFailure({ code, message }: NotVerified): void {
  const again = element('button', { type: 'button' }, text.again);
  again.addEventListener('click', () => location.reload());
  show(
    'bad',
    element('h2', {}, icon('alert'), text.bad),
    element(
      'div',
      { role: 'alert' },
      element('p', {}, text.failed),
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

/** A row of a list of facts. */
export function fact(name: string, ...value: Child[]): HTMLElement {
  return element('div', {}, element('dt', {}, name), element('dd', {}, value));
}
