import { page as text } from '../texts.js';
import { element, rich } from './element.js';

/** A host replaces the files of the page together with the page. An open page may then name parts that are gone. */
export function notLoadedNote(): HTMLElement {
  const reload = element('button', { type: 'button' }, text.reload);
  reload.addEventListener('click', () => location.reload());
  return element('p', { role: 'alert' }, rich(text.notLoaded, { reload }));
}
