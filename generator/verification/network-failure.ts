import { SourceTimeout, SourceUnreachable } from '@passport-registry/verifier';
import { IoFailed } from '../errors.js';

/** What the codes of Node.js, undici and OpenSSL mean, in words that follow the address and a colon. */
const WORDS: readonly (readonly [codes: RegExp, words: string])[] = [
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EAI_NONAME|EAI_NODATA)$/,
    'the host is not found: check its name and the network',
  ],
  [/^ECONNREFUSED$/, 'the host refuses the connection: nothing listens on that port'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'there is no route to the host'],
  [
    /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|TimeoutError|ERR_SOURCE_TIMEOUT)$/,
    'it does not answer in time',
  ],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet: compare the clocks'],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'its certificate is for another host name'],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|INVALID_CA|INVALID_PURPOSE)$/,
    'its certificate is not one that this machine trusts (NODE_EXTRA_CA_CERTS names further authorities)',
  ],
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_\w+|UNEXPECTED_MESSAGE)$/,
    'it does not speak TLS (is it http://?)',
  ],
  [/^(?:ERR_SSL_\w+|ERR_TLS_\w+|EPROTO)$/, 'the TLS handshake failed'],
  [/^HPE_/, 'it does not speak HTTP (is it https://?)'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/, 'it closed the connection'],
  [/^(?:Z_\w+|ERR_\w*BROTLI\w*|ERR__ERROR_\w+|ERR_PADDING_\w+)$/, 'its compressed answer is damaged'],
];

/**
 * Names a network failure in words for people: what `fetch` and the verifier throw says only that it failed, and why
 * stands in a code somewhere among its causes.
 *
 * @param url - the address that was asked
 */
export function networkFailure(url: string | URL, cause: unknown): IoFailed {
  return new IoFailed(`${url} cannot be fetched: ${networkReason(cause)}`, { cause });
}

/** Whether an error says that a host did not answer at all, and nothing of what it serves. */
export function isUnreachable(error: unknown): boolean {
  const cause = error instanceof IoFailed ? error.cause : error;
  return cause instanceof SourceUnreachable || cause instanceof SourceTimeout;
}

/** Why a request failed, in words that follow the address and a colon. */
export function networkReason(error: unknown): string {
  const causes = causesOf(error);
  for (const one of causes) {
    const { code, name } = one as NodeJS.ErrnoException;
    for (const [codes, words] of WORDS) if (codes.test(String(code)) || codes.test(name)) return words;
  }
  return causes.at(-1)?.message ?? String(error);
}

/** An error and its causes, the outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < 10; one = innerOf(one)) causes.push(one);
  return causes;
}

/** Where a host has several addresses, each of them failed: the first says why as well as any. */
function innerOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
}
