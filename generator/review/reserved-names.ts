/** Names that nobody can own: RFC 2606, sections 2 and 3, and RFC 6761, section 6. */
const RESERVED = ['test', 'example', 'invalid', 'localhost', 'example.com', 'example.net', 'example.org'];

/** Whether a host is a name reserved for tests and documentation, or is under such a name. */
export function isReservedName(host: string): boolean {
  const name = `.${host.toLowerCase().replace(/\.$/, '')}`;
  return RESERVED.some((reserved) => name.endsWith(`.${reserved}`));
}
