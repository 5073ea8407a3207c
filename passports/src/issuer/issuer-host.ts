import { SourceRedirected } from '@passport-registry/verifier';
import { boundedFetch, type FetchLimits, isPublicHost } from '@passport-registry/verifier/http';
import { parseDocument } from '../documents/issuer-documents.js';
import { Rejection, reject } from '../passport/rejection.js';

/** The documents of an issuer. The codes of their rejections begin with these names. */
type IssuerDocument = 'discovery' | 'jwks' | 'status';

/** How to send requests to issuers. */
export interface IssuerHostOptions extends FetchLimits {
  /** Whether to allow hosts in a private network. */
  readonly allowPrivateAddresses: boolean;
  /** In milliseconds. Each request has its own. */
  readonly timeout: number;
}

/**
 * Requests a JSON document from an issuer (rule issuer-responses). The host must be public. Redirects are refused,
 * because a redirect could lead into the verifier's own network.
 */
export async function askIssuer(
  url: string,
  document: IssuerDocument,
  { allowPrivateAddresses, ...limits }: IssuerHostOptions,
): Promise<unknown> {
  // The pattern for URLs in the schema allows more than URL parsers do, such as port 99999 or host 256.1.1.1.
  if (!URL.canParse(url)) reject(`${document}-unreachable`, `${url} is not a URL`);
  if (!allowPrivateAddresses && !isPublicHost(new URL(url).hostname)) {
    reject('address-private', `${url} is not on a public host, and was not requested`);
  }
  const bytes = await fetchDocument(url, document, limits);
  try {
    return parseDocument(bytes);
  } catch (cause) {
    return reject(`${document}-invalid`, `${url} is not JSON: ${(cause as Error).message}`, cause);
  }
}

async function fetchDocument(
  url: string,
  document: IssuerDocument,
  limits: FetchLimits,
): Promise<Uint8Array> {
  try {
    const response = await boundedFetch(url, { headers: { Accept: 'application/json' } }, limits);
    const { status } = response;
    if (status === 200) return await response.body();
    response.discard();
    if (status !== 404) return reject(`${document}-unreachable`, `${url} responded with status ${status}`);
    if (document === 'status') return reject('passport-unknown', `the issuer has no passport at ${url}`);
    return reject(`${document}-unreachable`, `${url} does not exist`);
  } catch (error) {
    if (error instanceof Rejection) throw error;
    const code = error instanceof SourceRedirected ? 'redirected' : 'unreachable';
    return reject(`${document}-${code}`, (error as Error).message, error);
  }
}

/** Returns whether an error means that an issuer was unreachable, and not that its response was invalid. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Rejection && error.reasons.every(({ code }) => code.endsWith('-unreachable'));
}
