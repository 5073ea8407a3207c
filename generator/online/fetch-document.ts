import { get as httpGet, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { Readable } from 'node:stream';
import { LIMITS, LimitExceeded, readLimited } from '@passport-registry/verifier/internal';
import type { RuleName } from '../diagnostics/rules.js';
import { assertPublicHost, PrivateAddress, publicLookup } from './public-lookup.js';

/** The bounds of a request. */
export interface GetOptions {
  /** For the whole answer, in seconds. */
  readonly timeout: number;
  /** Whether addresses that are not public are asked, too. */
  readonly allowPrivate: boolean;
}

/** Why an address gave no answer that could be used, by the rule that it breaks. */
export class GetFailed extends Error {
  readonly rule: RuleName;

  constructor(rule: RuleName, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.rule = rule;
  }
}

/** An answer of status 200. */
export interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** What a browser would send; whether it may read the answer is seen from what comes back. */
export const ORIGIN = 'https://verifier.example';

/**
 * Gets a document, bounded in time and size, from a public address, following a number of redirects.
 *
 * @throws {@link GetFailed}
 */
export async function get(url: string, options: GetOptions, redirects = 0): Promise<Answer> {
  const deadline = performance.now() + options.timeout * 1000;
  let target = url;
  for (let left = redirects; ; left--) {
    const answer = await request(target, options, deadline);
    if (answer.location === undefined) return answer;
    if (left === 0) throw new GetFailed('redirected', `${target} redirects to ${answer.location}`);
    target = answer.location;
  }
}

type Outcome = Answer & { readonly location: string | undefined };

function request(url: string, { allowPrivate, timeout }: GetOptions, deadline: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(asFailure(url, cause));
    try {
      const { protocol, hostname } = new URL(url);
      if (!allowPrivate) assertPublicHost(hostname);
      const send = protocol === 'https:' ? httpsGet : httpGet;
      const call = send(url, {
        // No socket stays open, and none is shared.
        agent: false,
        headers: { Accept: 'application/json, */*;q=0.1', 'Accept-Encoding': 'identity', Origin: ORIGIN },
        ...(!allowPrivate && { lookup: publicLookup }),
      });
      const late = () =>
        call.destroy(new GetFailed('timed-out', `${url} did not answer within ${timeout} s`));
      const timer = setTimeout(late, Math.max(0, deadline - performance.now()));
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
      throw new GetFailed('redirected', `${url} redirects to something that is not a web address`);
    }
    return { headers, body: new Uint8Array(), location: location?.href };
  }
  if (statusCode !== 200) throw new GetFailed('http-status', `${url} answers with status ${statusCode}`);
  const stream = Readable.toWeb(response) as ReadableStream<Uint8Array>;
  return { headers, body: await readLimited(stream, LIMITS.issuerDocument), location: undefined };
}

/** Codes of Node and OpenSSL that speak of a certificate or of a handshake. */
const TLS = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME/;

function asFailure(url: string, cause: Error): GetFailed {
  if (cause instanceof GetFailed) return cause;
  if (cause instanceof LimitExceeded)
    return new GetFailed('answer-too-large', `${url} is ${cause.message}`, { cause });
  if (cause instanceof PrivateAddress) return new GetFailed('private-address', cause.message, { cause });
  const code = (cause as NodeJS.ErrnoException).code ?? cause.message;
  if (TLS.test(code))
    return new GetFailed('tls-failed', `${url} has no TLS certificate that can be trusted: ${code}`, {
      cause,
    });
  return new GetFailed('host-unreachable', `${url} cannot be reached: ${code}`, { cause });
}
