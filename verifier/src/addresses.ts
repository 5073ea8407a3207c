import { AddressInvalid } from './errors.js';

/** IPv4 blocks that are no public hosts (RFC 6890 and its registry), as prefix and length in bits. */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/**
 * Whether a URL by its very name leads to no public host: `localhost`, a name for use within a network, or an address
 * that is private, loopback, link-local, reserved or multicast. What a name resolves to cannot be seen with Web APIs.
 */
export function isPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
  if (/^[0-9.]+$/.test(host)) return isPrivateIpv4(host);
  return !host.includes('.') || /\.(?:localhost|local|internal|home\.arpa)$/.test(host);
}

/** Whether a URL leads to this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.[0-9.]+$/.test(hostname);
}

function isPrivateIpv4(address: string): boolean {
  const number = ipv4Number(address);
  return PRIVATE_IPV4.some(([prefix, bits]) => number >>> (32 - bits) === ipv4Number(prefix) >>> (32 - bits));
}

function ipv4Number(address: string): number {
  return address.split('.').reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0);
}

/** Public IPv6 is 2000::/3 alone; of that, what carries an IPv4 address or is set apart is not public, either. */
function isPrivateIpv6(address: string): boolean {
  const [first = 0, second = 0] = firstGroups(address);
  if (first < 0x2000 || first > 0x3fff) return true;
  const teredoOrDocumentation = first === 0x2001 && (second < 0x0200 || second === 0x0db8);
  return teredoOrDocumentation || first === 0x2002;
}

/** The first two groups of an address as a URL writes it: `::` stands for as many zeros as are missing. */
function firstGroups(address: string): number[] {
  const [head = ''] = address.split('::');
  return [...head.split(':'), '0', '0'].slice(0, 2).map((group) => Number.parseInt(group || '0', 16));
}

/**
 * The base address of an issuer that the caller names: https, or http on this machine.
 *
 * @throws {@link AddressInvalid}
 */
export function issuerBase(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (url === undefined || !secure || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new AddressInvalid(`${address} is no https address of an issuer, nor http on this machine`);
  }
  return address.replace(/\/$/, '');
}
