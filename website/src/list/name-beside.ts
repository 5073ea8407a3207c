import { type Child, element } from '../dom/element.js';
import type { Names } from './names.js';

/** A reason in a frame of its own: its words are those of the registry, and no sentence of this page. */
export function saidReason(reason: string): HTMLElement {
  return element('q', { class: 'said' }, element('bdi', {}, reason));
}

/** The name of an issuer after its id, if it has one that is known. A name proves nothing, so the id comes first. */
export function nameBeside(names: Names, id: string): Child {
  const name = names?.get(id)?.name;
  return name === undefined ? undefined : [' ', element('bdi', { class: 'name' }, name)];
}
