import { NoUsableSource, type RegistryError } from '@passport-registry/verifier';
import { clockNote, hasCode } from '@passport-registry/verifier/core';
import { IoFailed } from '../errors.js';
import { proxyHint } from './proxy.js';

/** The error codes of Node.js, undici and OpenSSL, each with words that can follow a URL and a colon. */
const WORDS: readonly (readonly [codes: RegExp, words: string])[] = [
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EAI_NONAME|EAI_NODATA)$/,
    'the host was not found: check its name and the network',
  ],
  [/^ECONNREFUSED$/, 'the host refused the connection: nothing listens on that port'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'there is no route to the host'],
  [
    /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|TimeoutError|ERR_SOURCE_TIMEOUT)$/,
    'the host did not respond in time',
  ],
  [/^CERT_HAS_EXPIRED$/, 'the certificate of the host has expired'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate of the host is not valid yet'],
  [
    /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'the certificate of the host is for another host name',
  ],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|INVALID_CA|INVALID_PURPOSE)$/,
    'this machine does not trust the certificate of the host (NODE_EXTRA_CA_CERTS adds authorities)',
  ],
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_\w+|UNEXPECTED_MESSAGE)$/,
    'the host does not speak TLS (is it http://?)',
  ],
  [/^(?:ERR_SSL_\w+|ERR_TLS_\w+|EPROTO)$/, 'the TLS handshake failed'],
  [/^ERR_PROXY_TUNNEL$/, 'the proxy refused to connect to the host'],
  [/^HPE_/, 'the host does not speak HTTP (is it https://?)'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/, 'the host closed the connection'],
  [/^(?:Z_\w+|ERR_\w*BROTLI\w*|ERR__ERROR_\w+|ERR_PADDING_\w+)$/, 'the compressed response is damaged'],
];

/** The codes of certificates that were compared with the clock of this machine. */
const OF_TIME = /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/;

/**
 * Makes an error that gives the reason of a network failure. The errors of `fetch` and of the verifier only say that a
 * request failed; the reason is a code somewhere in their causes.
 *
 * @param url - the requested URL
 */
export function networkFailure(url: string | URL, cause: unknown): IoFailed {
  return new IoFailed(`${url} cannot be fetched: ${networkReason(String(url), cause)}`, { cause });
}

/** Whether an error means that a host did not respond, and so says nothing about the files that it serves. */
export function isUnreachable(error: unknown): boolean {
  const cause = error instanceof IoFailed ? error.cause : error;
  return hasCode(cause, 'ERR_SOURCE_UNREACHABLE', 'ERR_SOURCE_TIMEOUT');
}

/** Makes the error of a client if none of its sources sends its files. Undefined if one did, and was refused for them. */
export function unreachableSources(error: RegistryError): IoFailed | undefined {
  const failures = error instanceof NoUsableSource ? Object.entries(error.errors) : [];
  if (failures.length === 0 || !failures.every(([, cause]) => isUnread(cause))) return undefined;
  const each = failures.map(([source, cause]) => `${source}: ${networkReason(source, cause)}`);
  return new IoFailed(`no source can be read (${each.join('; ')})`, { cause: error });
}

/** Whether an error means that no whole file arrived, because a host was away, busy or cut off. */
function isUnread(cause: RegistryError): boolean {
  return isUnreachable(cause) || hasCode(cause, 'ERR_SOURCE_STATUS', 'ERR_SOURCE_TRUNCATED');
}

/** Returns why a request failed, in words that can follow its URL and a colon. */
export function networkReason(url: string, error: unknown): string {
  return wordsFor(error) + proxyHint(url);
}

function wordsFor(error: unknown): string {
  const causes = causesOf(error);
  for (const one of causes) {
    const { code, name } = one as NodeJS.ErrnoException;
    for (const [codes, words] of WORDS)
      if (codes.test(String(code)) || codes.test(name))
        return OF_TIME.test(String(code)) ? `${words} ${clockNote(Date.now())}` : words;
  }
  return causes.at(-1)?.message ?? String(error);
}

/** Returns an error and its causes, outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < 10; one = innerOf(one)) causes.push(one);
  return causes;
}

/** For a host with several IP addresses, there is one error for each. The first is representative. */
function innerOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
}
