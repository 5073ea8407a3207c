/** The content of an element. A string becomes a text node, never markup, so that no record can inject HTML. */
export type Child = Node | string | undefined | readonly Child[];

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Creates an HTML element. Attributes with the value undefined or false are omitted. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fillElement(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fillElement(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fillElement<E extends Element>(made: E, attributes: Attributes, children: readonly Child[]): E {
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

/** Returns an element that every page has. @throws Error if the element is missing */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element with the id ${id}`);
  return found;
}

/**
 * Inserts values and elements into a text of the page, at the places `{name}`.
 *
 * @param text - a text of this program, never data
 */
export function rich(text: string, slots: Readonly<Record<string, Child>>): Child[] {
  return text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : slots[part]));
}

/** What the build has written into the page under a name. Undefined if it has written nothing. */
export function meta(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
}
