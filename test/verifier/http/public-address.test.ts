import { isPublicAddress, isPublicHost } from '@passport-registry/verifier/http';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';

/**
 * IANA's registries of special-purpose addresses for IPv4 and IPv6 (October 2025), with multicast (RFC 5771, RFC 4291)
 * and what is not allocated to unicast; and whether a public host may be there.
 */
const REGISTRY: readonly [block: string, isPublic: boolean][] = [
  ['0.0.0.0/8', false],
  ['10.0.0.0/8', false],
  ['100.64.0.0/10', false],
  ['127.0.0.0/8', false],
  // Public to IANA; in Azure, the host of every virtual machine.
  ['168.63.129.16/32', false],
  ['169.254.0.0/16', false],
  ['172.16.0.0/12', false],
  // Globally reachable to IANA are 192.0.0.9 and 192.0.0.10: anycast, so that they are the nearest, one's own perhaps.
  ['192.0.0.0/24', false],
  ['192.0.2.0/24', false],
  ['192.31.196.0/24', true],
  ['192.52.193.0/24', true],
  ['192.88.99.0/24', false],
  ['192.168.0.0/16', false],
  ['192.175.48.0/24', true],
  ['198.18.0.0/15', false],
  ['198.51.100.0/24', false],
  ['203.0.113.0/24', false],
  ['224.0.0.0/4', false],
  ['240.0.0.0/4', false],
  ['255.255.255.255/32', false],
  ['::/128', false],
  ['::1/128', false],
  ['::/96', false],
  ['::ffff:0:0/96', false],
  ['64:ff9b:1::/48', false],
  ['100::/64', false],
  ['100:0:0:1::/64', false],
  // Within are Teredo, benchmarks, ORCHID, and anycast as above.
  ['2001::/23', false],
  ['2001::/32', false],
  ['2001:2::/48', false],
  ['2001:10::/28', false],
  ['2001:20::/28', false],
  ['2001:db8::/32', false],
  ['2002::/16', false],
  ['2620:4f:8000::/48', true],
  ['3fff::/20', false],
  ['5f00::/16', false],
  ['fc00::/7', false],
  ['fe80::/10', false],
  ['fec0::/10', false],
  ['ff00::/8', false],
  ['2000::/3', true],
];

/** The blocks around another: its neighbours are judged by the smallest of these that they are in. */
const toValue = (address: string) =>
  ipaddr
    .parse(address)
    .toByteArray()
    .reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

function toText(value: bigint, bits: number): string {
  const hex = value.toString(16).padStart(bits / 4, '0');
  return ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]).toString();
}

const BLOCKS = REGISTRY.map(([block, isPublic]) => {
  const [address = '', prefix] = block.split('/');
  const bits = address.includes(':') ? 128 : 32;
  const first = toValue(address);
  return {
    block,
    bits,
    prefix: Number(prefix),
    first,
    last: first + 2n ** BigInt(bits - Number(prefix)) - 1n,
    isPublic,
  };
});

/** What the registry says of an address: the smallest block around it decides. */
function expected(value: bigint, bits: number): boolean {
  const around = BLOCKS.filter((one) => one.bits === bits && value >= one.first && value <= one.last);
  const refused = around.filter(({ isPublic }) => !isPublic);
  if (bits === 32) return refused.length === 0;
  const nat64 = toValue('64:ff9b::');
  if (value >> 32n === nat64 >> 32n) return expected(value & 0xffffffffn, 32);
  return refused.length === 0 && around.length > 0;
}

/** The first and last address of each block, and their neighbours outside of it. */
const PLACES = BLOCKS.flatMap(({ bits, first, last }) =>
  [first, last, first - 1n, last + 1n]
    .filter((value) => value >= 0n && value < 2n ** BigInt(bits))
    .map((value): [string, boolean] => [toText(value, bits), expected(value, bits)]),
);

const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address);

describe('an address', () => {
  it.each(PLACES)('%s is public: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
    const { hostname } = new URL(`https://${hostOf(address)}/`);
    expect(isPublicHost(hostname)).toBe(isPublic);
  });

  it.each([
    ['64:ff9b::8.8.8.8', true],
    ['64:ff9b::808:808', true],
    ['64:ff9b::10.0.0.1', false],
    ['64:ff9b::127.0.0.1', false],
    ['64:ff9b:1::8.8.8.8', false],
    ['::ffff:8.8.8.8', false],
    ['::8.8.8.8', false],
    ['2606:4700::1111', true],
    ['2606:4700:0:0:0:0:0:1111', true],
    ['fe80::1%eth0', false],
    ['2606:4700::1111%1', false],
    ['2606:4700::1::1', false],
    ['2606:4700:1:1:1:1:1', false],
    ['2606:4700:1:1:1:1:1:1:1', false],
    ['2606:4700:1:1:1:1:1:1::', false],
    ['2606:47000::', false],
    ['2606:4700::8.8.8', false],
    ['2606:4700::8.8.8.8', true],
    ['8.8.8.8', true],
    ['08.8.8.8', false],
    ['8.8.8', false],
    ['8.8.8.256', false],
    ['8.8.8.8.8', false],
    ['', false],
    ['::', false],
    ['example.com', false],
  ])('written as %s is public: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  it('is read as ipaddr.js reads it, however it is written', () => {
    const octets = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(octets, fc.boolean(), (bytes, short) => {
        if (short) bytes.fill(0, 4, 14);
        const address = ipaddr.fromByteArray([...bytes]) as ipaddr.IPv6;
        const texts = [address.toString(), address.toNormalizedString(), address.toRFC5952String()];
        const judged = texts.map((text) => isPublicAddress(text));
        expect(judged).toEqual(texts.map(() => expected(toValue(address.toString()), 128)));
      }),
    );
  });
});

describe('a name', () => {
  const PRIVATE = [
    'localhost',
    'a.localhost',
    'localhost.localdomain',
    'localhost6.localdomain6',
    'printer.local',
    'metadata.google.internal',
    'host.docker.internal',
    'router.lan',
    'fileserver.corp',
    'nas.home',
    'home.arpa',
    'router.home.arpa',
    'ipv4only.arpa',
    'wiki.intranet',
    'localhost.localdomain4',
    'a.private',
    'vault.default.svc',
    'vault.default.svc.cluster.local',
    'kubernetes',
    'app.test',
    'a.onion',
    'a.invalid',
  ];

  it.each(PRIVATE)('%s is not public, in any spelling', (name) => {
    for (const spelling of [name, `${name}.`, name.toUpperCase(), `${name.toUpperCase()}.`]) {
      const { hostname } = new URL(`https://${spelling}/`);
      expect([spelling, isPublicHost(hostname)]).toEqual([spelling, false]);
    }
    expect(isPublicHost(`${name}..`)).toBe(false);
  });

  it.each([
    'a.example',
    'issuer.example.com',
    'localhost.example.com',
    'internal.example.com',
    'lan.example',
    'mylan.io',
    'xn--bcher-kva.example',
    '1.1.1.1.example',
  ])('%s may be public', (name) => {
    expect(isPublicHost(new URL(`https://${name}/`).hostname)).toBe(true);
    expect(isPublicHost(new URL(`https://${name}./`).hostname)).toBe(true);
  });
});
