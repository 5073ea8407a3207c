import {
  Agent as HttpAgent,
  get as httpGet,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, get as httpsGet } from 'node:https';
import { Readable } from 'node:stream';
import { LIMITS } from '@passport-registry/verifier/core';
import { LimitExceeded, Repeats, readLimited } from '@passport-registry/verifier/http';
import type { RuleName } from '../../generator/diagnostics/rules.js';
import { networkReason } from '../../generator/verification/network-failure.js';
import { hasUnusedProxy, proxyHost } from '../../generator/verification/proxy.js';
import { decoded } from './decode-body.js';
import { assertPublicHost, isMadeUpName, lookupBut, PrivateAddress } from './public-host.js';

/** The limits of a request. */
export interface GetOptions {
  /** The time limit for each complete response, in seconds. */
  readonly timeout: number;
  /** Whether requests to IP addresses that are not public are permitted. */
  readonly allowPrivate: boolean;
}

/** A URL gave no usable response. `rule` names the violated rule. */
export class GetFailed extends Error {
  readonly rule: RuleName;
  /** What to do, if it is not what the rule says. */
  readonly remedy: string | undefined;

  constructor(
    rule: RuleName,
    message: string,
    { remedy, ...options }: { readonly cause?: unknown; readonly remedy?: string | undefined } = {},
  ) {
    super(message, options);
    this.rule = rule;
    this.remedy = remedy;
  }
}

/** A response with status 200. */
export interface HttpResponse {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/**
 * The headers that verifiers send: the library sends Accept, and the `fetch` of Node.js the others. Some hosts refuse requests
 * without one of them.
 */
const VERIFIER_HEADERS = {
  Accept: 'application/json',
  'Accept-Language': '*',
  'Sec-Fetch-Mode': 'cors',
  'User-Agent': 'node',
  'Accept-Encoding': 'gzip, deflate',
};

/** The options of an agent that uses the proxies of the environment. Types of Node.js 20 do not know the last one. */
const PROXIES = { keepAlive: false, proxyEnv: process.env };

/** The Origin header that a browser would send. The response shows whether the browser may read the document. */
const ORIGIN = 'https://verifier.example';

/**
 * Fetches a document from a public host as a verifier does, with limits for time and size. A request that failed on the way is
 * sent again (rule deadlines).
 *
 * @param redirects - the maximum number of redirects to follow
 * @throws {@link GetFailed}
 */
export async function get(url: string, options: GetOptions, redirects = 0): Promise<HttpResponse> {
  let target = url;
  for (let left = redirects; ; left--) {
    const response = await patientRequest(target, options, {});
    if (response.location === undefined) return response;
    if (left === 0) throw new GetFailed('redirected', `${target} redirects to ${response.location}`);
    target = response.location;
  }
}

/** Whether a page of another origin may read a document. @param response - of {@link get} */
export async function isReadableCrossOrigin(
  url: string,
  options: GetOptions,
  { headers }: HttpResponse,
): Promise<boolean> {
  if (allowsOrigin(headers)) return true;
  try {
    // Many hosts answer the question only if the request asks it.
    return allowsOrigin((await patientRequest(url, options, { Origin: ORIGIN })).headers);
  } catch (error) {
    if (error instanceof GetFailed) return false;
    throw error;
  }
}

function allowsOrigin(headers: IncomingHttpHeaders): boolean {
  const allowed = headers['access-control-allow-origin'];
  return allowed === '*' || allowed === ORIGIN;
}

type Outcome = HttpResponse & { readonly location: string | undefined };

async function patientRequest(
  url: string,
  options: GetOptions,
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const repeats = new Repeats();
  for (;;) {
    try {
      return await request(url, options, headers);
    } catch (error) {
      if (!(error instanceof WrongStatus)) {
        if (!(await repeats.afterError(error))) throw error;
      } else if (!(await repeats.afterAnswer(error))) {
        const givenUp = repeats.describe(error);
        const remedy = givenUp === '' ? undefined : 'run the check again later';
        throw new GetFailed('http-status', error.message + givenUp, { remedy });
      }
    }
  }
}

function request(
  url: string,
  { allowPrivate, timeout }: GetOptions,
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
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
      const isSecure = protocol === 'https:';
      const send = isSecure ? httpsGet : httpGet;
      const proxy = proxyHost(url);
      const call = send(url, {
        // No socket is kept open or shared.
        agent: proxy !== undefined && new (isSecure ? HttpsAgent : HttpAgent)(PROXIES),
        headers: { ...VERIFIER_HEADERS, ...headers },
        ...(!allowPrivate && { lookup: lookupBut(proxy) }),
      });
      const abort = () => {
        const late = new TimedOut(`${url} did not respond within ${timeout} s`);
        call.destroy(late);
        // A request whose proxy has not answered has no socket yet, and tells nothing of its end.
        fail(late);
      };
      const timer = setTimeout(abort, timeout * 1000);
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

/** A response did not arrive within the time limit. */
class TimedOut extends GetFailed {
  readonly code = 'ETIMEDOUT';

  constructor(message: string) {
    super('timed-out', message);
  }
}

/** A response has another status than 200. */
class WrongStatus extends GetFailed {
  readonly status: number;
  readonly headers: { get(name: string): string | null };

  constructor(url: string, status: number, received: IncomingHttpHeaders) {
    super('http-status', `${url} responded with status ${status}`);
    this.status = status;
    this.headers = { get: (name: string) => received[name]?.toString() ?? null };
  }
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
  if (statusCode !== 200) throw new WrongStatus(url, statusCode, headers);
  const stream = Readable.toWeb(decoded(response)) as ReadableStream<Uint8Array>;
  return { headers, body: await readLimited(stream, LIMITS.issuerDocument), location: undefined };
}

/** Matches the error codes of Node.js and OpenSSL for certificates and handshakes. */
const TLS = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME/;

/** Matches the error codes of Node.js for bodies that are not compressed as their header says. */
const DAMAGED = /^Z_|BROTLI|^ERR_PADDING|^ERR__ERROR/;

const PROXY_REMEDY =
  'let Node.js use the proxy (docs/issuers.md#behind-a-proxy), or run the check where no proxy is needed';

function toGetFailed(url: string, cause: Error): GetFailed {
  if (cause instanceof GetFailed) return cause;
  if (cause instanceof LimitExceeded)
    return new GetFailed('answer-too-large', `${url} is ${cause.message}`, { cause });
  if (cause instanceof PrivateAddress) return new GetFailed('private-address', cause.message, { cause });
  const code = (cause as NodeJS.ErrnoException).code ?? cause.message;
  if (DAMAGED.test(code)) {
    const problem = `${url} cannot be decompressed: its Content-Encoding is not that of its body`;
    return new GetFailed('not-json', problem, {
      cause,
      remedy: 'correct the header Content-Encoding, or the compression',
    });
  }
  const rule = TLS.test(code) ? 'tls-failed' : 'host-unreachable';
  const remedy = rule === 'host-unreachable' && hasUnusedProxy(url) ? PROXY_REMEDY : undefined;
  return new GetFailed(rule, `${url} cannot be fetched: ${networkReason(url, cause)}`, { cause, remedy });
}
