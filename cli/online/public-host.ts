import { lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, isPublicHost } from '@passport-registry/verifier/http';

/** A host is not public, because of its name or of an IP address to which the name resolves. */
export class PrivateAddress extends Error {
  constructor(host: string, address: string | undefined) {
    super(
      address === undefined
        ? `${host} is not a public host`
        : `${host} is ${address}, which is not a public IP address`,
    );
  }
}

/** Whether a host is under `.alt`, which nothing on the Internet resolves (RFC 9476). Documents use such names for examples. */
export const isMadeUpName = (hostname: string): boolean => /(^|\.)alt\.?$/i.test(hostname);

/**
 * Refuses a host name or an IP address that is not public. {@link publicLookup} checks the IP addresses to which a name
 * resolves.
 *
 * @param hostname - the host name of a URL
 * @throws {@link PrivateAddress}
 */
export function assertPublicHost(hostname: string): void {
  if (!isPublicHost(hostname)) throw new PrivateAddress(hostname, undefined);
}

/**
 * Resolves a name for a connection, and refuses a name that resolves to an IP address that is not public. The
 * connection uses the checked IP addresses, so that a name cannot resolve to a different IP address after the check.
 */
export const publicLookup: LookupFunction = (host, options, callback) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const privateAddress = addresses.find(({ address }) => !isPublicAddress(address));
    if (privateAddress !== undefined) return callback(new PrivateAddress(host, privateAddress.address), []);
    const [first] = addresses;
    if (options.all === true) return callback(null, addresses);
    return callback(null, first?.address ?? '', first?.family);
  });
};

/** Resolves names like {@link publicLookup}, but that of a proxy to any IP address. A proxy resolves the other names itself. */
export function lookupBut(proxy: string | undefined): LookupFunction {
  return (host, options, callback) =>
    host === proxy ? resolve(host, options, callback) : publicLookup(host, options, callback);
}
