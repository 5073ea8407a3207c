import { parseStrictJson } from '../core/bytes/strict-json.js';
import { SourceRedirected } from '../core/errors.js';
import { type BoundedResponse, boundedFetch, type FetchLimits } from '../http/bounded-fetch.js';
import { isPublicHost } from '../http/public-address.js';
import { Rejection, reject } from '../passport/rejection.js';

/** The documents of an issuer. The codes of their rejections begin with these names. */
export type IssuerDocument = 'discovery' | 'jwks' | 'status';

/** How to send requests to issuers. */
export interface IssuerHostOptions extends FetchLimits {
  /** Whether to allow hosts in a private network. */
  readonly allowPrivateAddresses: boolean;
}

/**
 * Requests a JSON document from an issuer (rule issuer-responses). The host must be public. Redirects are refused,
 * because a redirect could lead into the verifier's own network.
 *
 * @returns undefined if the issuer has no such document (404)
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
  if (bytes === undefined) return undefined;
  try {
    return parseStrictJson(bytes);
  } catch (cause) {
    return reject(`${document}-invalid`, `${url} is not JSON: ${(cause as Error).message}`, cause);
  }
}

async function fetchDocument(
  url: string,
  document: IssuerDocument,
  limits: FetchLimits,
): Promise<Uint8Array | undefined> {
  try {
    const response = await boundedFetch(url, { headers: { Accept: 'application/json' } }, limits);
    if (response.status === 200) return await response.body();
    return await handleOtherStatus(url, document, response);
  } catch (error) {
    if (error instanceof Rejection) throw error;
    const code = error instanceof SourceRedirected ? 'redirected' : 'unreachable';
    return reject(`${document}-${code}`, (error as Error).message, error);
  }
}

async function handleOtherStatus(
  url: string,
  document: IssuerDocument,
  response: BoundedResponse,
): Promise<undefined> {
  await response.discard();
  if (response.status === 404) return undefined;
  return reject(`${document}-unreachable`, `${url} responded with status ${response.status}`);
}

/** Returns whether an error means that an issuer was unreachable, and not that its response was invalid. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Rejection && error.reasons.every(({ code }) => code.endsWith('-unreachable'));
}
