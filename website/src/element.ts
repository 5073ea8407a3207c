/** What may stand in an element. A text becomes a text node, never markup: whatever a record says stays text. */
export type Child = Node | string | undefined | readonly Child[];

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Makes an element. An attribute that is undefined or false is left out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return completed(document.createElement(tag), attributes, children);
}

/** Makes an element of a drawing. */
export function drawn<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return completed(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function completed<E extends Element>(made: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...nodesOf(children));
  return made;
}

function nodesOf(children: readonly Child[]): (Node | string)[] {
  return children.flatMap((child): (Node | string)[] => {
    if (child === undefined) return [];
    return typeof child === 'string' || child instanceof Node ? [child] : nodesOf(child);
  });
}

/** An element that the page is known to have. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** A link to the web; the text alone where an address has another scheme than http and https. */
export function webLink(address: string): Node {
  const scheme = URL.canParse(address) ? new URL(address).protocol : '';
  if (scheme !== 'https:' && scheme !== 'http:') return document.createTextNode(address);
  return element('a', { href: address, rel: 'noopener noreferrer nofollow' }, address);
}
