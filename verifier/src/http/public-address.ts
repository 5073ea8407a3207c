/**
 * The IP address blocks without public hosts, one per line: blocks that IANA's registries of special-purpose addresses
 * (RFC 6890) do not mark as globally reachable, multicast blocks and unallocated blocks. Two blocks are listed
 * completely, although the registries mark some services in them as reachable. These services are not hosts, or are
 * anycast services that may be inside the verifier's own network.
 */
const BLOCKS = `
  0.0.0.0/8         this network
  10.0.0.0/8        private use
  100.64.0.0/10     shared by customers of a provider
  127.0.0.0/8       this machine
  168.63.129.16/32  the host of a virtual machine (Azure)
  169.254.0.0/16    link-local
  172.16.0.0/12     private use
  192.0.0.0/24      assignments of the IETF, whole
  192.0.2.0/24      documentation
  192.88.99.0/24    relays of 6to4, deprecated
  192.168.0.0/16    private use
  198.18.0.0/15     benchmarks
  198.51.100.0/24   documentation
  203.0.113.0/24    documentation
  224.0.0.0/4       multicast
  240.0.0.0/4       reserved, and broadcast

  ::/3              all below 2000::/3: unspecified, this machine, IPv4 within IPv6, 64:ff9b:1::/48, 100::/64
  2001::/23         assignments of the IETF, whole: Teredo, benchmarks, ORCHID
  2001:db8::/32     documentation
  2002::/16         6to4
  3fff::/20         documentation
  4000::/2          all above 2000::/3 as well: 5f00::/16,
  8000::/1          unique local, link-local, multicast
`;

/** This machine and the local link (RFC 6761, RFC 6762). */
const LOCAL_NAMES = ['localhost', 'localdomain', 'localdomain4', 'localdomain6', 'local'];
/** Private networks (RFC 6762, appendix G; `internal` of ICANN; home.arpa of RFC 8375 and all other names under arpa). */
const PRIVATE_NAMES = ['internal', 'intranet', 'private', 'corp', 'home', 'lan', 'arpa', 'svc'];
/** Names outside the DNS and reserved names (RFC 6761, RFC 7686, RFC 9476). `example` is allowed for demonstrations. */
const RESERVED_NAMES = ['test', 'invalid', 'onion', 'alt'];

/** The last labels of names that have no public host. */
const NAMES: readonly string[] = [...LOCAL_NAMES, ...PRIVATE_NAMES, ...RESERVED_NAMES];

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

interface Block extends Address {
  readonly prefix: number;
}

const NOT_PUBLIC: readonly Block[] = [...BLOCKS.matchAll(/^ +(\S+\/\d+)/gm)].map(([, text]) =>
  parseBlock(text),
);

/** The prefix of IPv4 addresses embedded in IPv6 (RFC 6052). The embedded address decides. */
const NAT64 = parseBlock('64:ff9b::/96');

/**
 * Returns whether a string is the IP address of a public host. Returns false if the string is not an IPv4 or IPv6
 * address in its usual form.
 *
 * The same table applies to every host that untrusted data names. {@link isPublicHost} checks the host before a
 * request. On a platform with DNS, the caller also checks each IP address to which the name resolves.
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  return address !== undefined && isPublic(address);
}

/**
 * Returns whether a host may be public: its IP address is public, or its name is not reserved for a machine or a
 * private network. Web APIs do not show to which IP addresses a name resolves.
 *
 * @param hostname - the `hostname` of a URL object, which has normalized it
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.+$/, '');
  if (host.startsWith('[')) return isPublicAddress(host.slice(1, -1));
  // URL objects write each IPv4 address as four decimal numbers, and reject names that end in a number.
  if (/^[0-9.]+$/.test(host)) return isPublicAddress(host);
  return host.includes('.') && !NAMES.includes(host.slice(host.lastIndexOf('.') + 1));
}

/** Returns whether a URL points to this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.[0-9.]+$/.test(hostname);
}

function isPublic(address: Address): boolean {
  if (isWithin(address, NAT64)) return isPublic({ bits: 32, value: address.value & 0xffffffffn });
  return !NOT_PUBLIC.some((one) => isWithin(address, one));
}

function isWithin({ bits, value }: Address, block: Block): boolean {
  const rest = BigInt(bits - block.prefix);
  return bits === block.bits && value >> rest === block.value >> rest;
}

function parseBlock(text = ''): Block {
  const [address = '', prefix] = text.split('/');
  return { ...(parse(address) as Address), prefix: Number(prefix) };
}

function parse(text: string): Address | undefined {
  const isIpv6 = text.includes(':');
  const value = isIpv6 ? parseIpv6(text) : parseIpv4(text);
  if (value === undefined) return undefined;
  return { bits: isIpv6 ? 128 : 32, value };
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  // Leading zeros are refused, because some parsers read such numbers as octal.
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const url = `http://[${text}]`;
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(url)) return undefined;
  // The URL has eight hexadecimal groups. `::` replaces groups that are zeros.
  const [front = [], back = []] = new URL(url).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
