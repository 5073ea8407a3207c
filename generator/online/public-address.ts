import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A host that leads to an address which is not public: loopback, private, link-local, reserved, multicast. */
export class PrivateAddress extends Error {
  constructor(host: string, address: string) {
    super(host === address ? `${address} is no public address` : `${host} is ${address}, no public address`);
  }
}

/** @throws {@link PrivateAddress} when a host is such an address itself; a name is judged when it is resolved */
export function assertPublicLiteral(host: string): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isPublic(address)) throw new PrivateAddress(address, address);
}

/**
 * Resolves names for a connection, and refuses those that lead to a private address: what was judged is what is connected
 * to, so that a name cannot change its mind in between.
 */
export const publicLookup: LookupFunction = (host, options, callback) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const bad = addresses.find(({ address }) => !isPublic(address));
    if (bad !== undefined) return callback(new PrivateAddress(host, bad.address), []);
    const [first] = addresses;
    if (options.all === true) return callback(null, addresses);
    return callback(null, first?.address ?? '', first?.family);
  });
};

function isPublic(address: string): boolean {
  // An IPv4 address within an IPv6 one counts as what it is.
  return ipaddr.process(address).range() === 'unicast';
}
