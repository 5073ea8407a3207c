import { type Child, element } from '../dom/element.js';
import type { Names } from './names.js';

/** The name of an issuer after its id, if it has one that is known. A name proves nothing, so the id comes first. */
export function nameBeside(names: Names, id: string): Child {
  const name = names?.get(id)?.name;
  return name === undefined ? undefined : [' ', element('bdi', { class: 'name' }, name)];
}
