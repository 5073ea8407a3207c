import { lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, isPublicHost } from '@passport-registry/verifier/internal';

/** A host that is not public, by its name or by an address that it leads to. */
export class PrivateAddress extends Error {
  constructor(host: string, address: string | undefined) {
    super(
      address === undefined
        ? `${host} is not a public host`
        : `${host} is ${address}, which is not a public address`,
    );
  }
}

/**
 * Refuses a host that is not public by its own name or address. What a name leads to is judged when it is resolved.
 *
 * @param hostname - of a URL
 * @throws {@link PrivateAddress}
 */
export function assertPublicHost(hostname: string): void {
  if (!isPublicHost(hostname)) throw new PrivateAddress(hostname, undefined);
}

/**
 * Resolves names for a connection, and refuses those that lead to an address that is not public: what was judged is what
 * is connected to, so that a name cannot change its mind in between.
 */
export const publicLookup: LookupFunction = (host, options, callback) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const bad = addresses.find(({ address }) => !isPublicAddress(address));
    if (bad !== undefined) return callback(new PrivateAddress(host, bad.address), []);
    const [first] = addresses;
    if (options.all === true) return callback(null, addresses);
    return callback(null, first?.address ?? '', first?.family);
  });
};
