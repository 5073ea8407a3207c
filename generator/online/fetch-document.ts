import { lookup as resolve } from 'node:dns';
import { get as httpGet, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { LIMITS } from '@passport-registry/verifier/core';
import { isPublicAddress, isPublicHost, LimitExceeded, readLimited } from '@passport-registry/verifier/http';
import type { RuleName } from '../diagnostics/rules.js';

/** The limits of a request. */
export interface GetOptions {
  /** The time limit for the complete response, in seconds. */
  readonly timeout: number;
  /** Whether requests to IP addresses that are not public are permitted. */
  readonly allowPrivate: boolean;
}

/** A URL gave no usable response. `rule` names the violated rule. */
export class GetFailed extends Error {
  readonly rule: RuleName;

  constructor(rule: RuleName, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.rule = rule;
  }
}

/** A response with status 200. */
export interface HttpResponse {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** The Origin header that a browser would send. The response shows whether the browser may read the document. */
export const ORIGIN = 'https://verifier.example';

/**
 * Fetches a document from a public host, with limits for time and size, and with a maximum number of redirects.
 *
 * @throws {@link GetFailed}
 */
export async function get(url: string, options: GetOptions, redirects = 0): Promise<HttpResponse> {
  const deadline = performance.now() + options.timeout * 1000;
  let target = url;
  for (let left = redirects; ; left--) {
    const response = await request(target, options, deadline);
    if (response.location === undefined) return response;
    if (left === 0) throw new GetFailed('redirected', `${target} redirects to ${response.location}`);
    target = response.location;
  }
}

type Outcome = HttpResponse & { readonly location: string | undefined };

function request(url: string, { allowPrivate, timeout }: GetOptions, deadline: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(toGetFailed(url, cause));
    try {
      const { protocol, hostname } = new URL(url);
      if (isMadeUpName(hostname) && !allowPrivate) {
        throw new GetFailed(
          'host-unreachable',
          `${hostname} is a made-up name: names under .alt never answer`,
        );
      }
      if (!allowPrivate) assertPublicHost(hostname);
      const send = protocol === 'https:' ? httpsGet : httpGet;
      const call = send(url, {
        // No socket is kept open or shared.
        agent: false,
        headers: { Accept: 'application/json, */*;q=0.1', 'Accept-Encoding': 'identity', Origin: ORIGIN },
        ...(!allowPrivate && { lookup: publicLookup }),
      });
      const abort = () =>
        call.destroy(new GetFailed('timed-out', `${url} did not respond within ${timeout} s`));
      const timer = setTimeout(abort, Math.max(0, deadline - performance.now()));
      call.once('error', fail);
      call.once('close', () => clearTimeout(timer));
      call.once('response', (response) => {
        read(url, response)
          .then(resolve, fail)
          .finally(() => call.destroy());
      });
    } catch (cause) {
      fail(cause as Error);
    }
  });
}

async function read(url: string, response: IncomingMessage): Promise<Outcome> {
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    const location = URL.canParse(headers.location, url) ? new URL(headers.location, url) : undefined;
    if (!/^https?:$/.test(location?.protocol ?? '')) {
      throw new GetFailed('redirected', `${url} redirects to something that is not an http or https URL`);
    }
    return { headers, body: new Uint8Array(), location: location?.href };
  }
  if (statusCode !== 200) throw new GetFailed('http-status', `${url} responded with status ${statusCode}`);
  const stream = Readable.toWeb(response) as ReadableStream<Uint8Array>;
  return { headers, body: await readLimited(stream, LIMITS.issuerDocument), location: undefined };
}

/** Matches the error codes of Node.js and OpenSSL for certificates and handshakes. */
const TLS = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME/;

function toGetFailed(url: string, cause: Error): GetFailed {
  if (cause instanceof GetFailed) return cause;
  if (cause instanceof LimitExceeded)
    return new GetFailed('answer-too-large', `${url} is ${cause.message}`, { cause });
  if (cause instanceof PrivateAddress) return new GetFailed('private-address', cause.message, { cause });
  const code = (cause as NodeJS.ErrnoException).code ?? cause.message;
  if (TLS.test(code))
    return new GetFailed('tls-failed', `${url} has no trusted TLS certificate: ${code}`, {
      cause,
    });
  return new GetFailed('host-unreachable', `${url} cannot be reached: ${code}`, { cause });
}

/** A host is not public, because of its name or of an IP address to which the name resolves. */
class PrivateAddress extends Error {
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
 * Refuses a host name or an IP address that is not public. `publicLookup` checks the IP addresses to which a name
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
