import { parseStrictJson } from '../encoding/strict-json.js';
import { SourceRedirected } from '../errors.js';
import { type BoundedResponse, boundedFetch, type FetchLimits } from '../http/bounded-fetch.js';
import { isPublicHost } from '../http/public-address.js';
import { Rejection, reject } from '../passport/rejection.js';

/** The documents of an issuer. The codes of rejections begin with these names. */
export type IssuerDocument = 'discovery' | 'jwks' | 'status';

/** How to send requests to issuers. */
export interface IssuerHostOptions extends FetchLimits {
  /** Whether to allow hosts within a private network. */
  readonly allowPrivateAddresses: boolean;
}

/**
 * Requests a JSON document from an issuer. The host must be public, and redirects are refused: a redirect could lead into
 * the verifier's own network.
 *
 * @returns undefined when the issuer has no such document (404)
 */
export async function askIssuer(
  url: string,
  document: IssuerDocument,
  { allowPrivateAddresses, ...limits }: IssuerHostOptions,
): Promise<unknown> {
  // The schema's pattern for addresses allows more than URL parsers do: a port of 99999, the host 256.1.1.1.
  if (!URL.canParse(url)) reject(`${document}-unreachable`, `${url} is not a URL`);
  if (!allowPrivateAddresses && !isPublicHost(new URL(url).hostname)) {
    reject('address-private', `${url} is not a public host and is not contacted`);
  }
  const bytes = await answer(url, document, limits);
  if (bytes === undefined) return undefined;
  try {
    return parseStrictJson(bytes);
  } catch (cause) {
    return reject(`${document}-invalid`, `${url} is not JSON: ${(cause as Error).message}`, cause);
  }
}

async function answer(
  url: string,
  document: IssuerDocument,
  limits: FetchLimits,
): Promise<Uint8Array | undefined> {
  try {
    const response = await boundedFetch(url, { headers: { Accept: 'application/json' } }, limits);
    if (response.status === 200) return await response.body();
    return await withoutBody(url, document, response);
  } catch (error) {
    if (error instanceof Rejection) throw error;
    const code = error instanceof SourceRedirected ? 'redirected' : 'unreachable';
    return reject(`${document}-${code}`, (error as Error).message, error);
  }
}

async function withoutBody(
  url: string,
  document: IssuerDocument,
  response: BoundedResponse,
): Promise<undefined> {
  await response.discard();
  if (response.status === 404) return undefined;
  return reject(`${document}-unreachable`, `${url} answers with status ${response.status}`);
}

/** Whether an error means that an issuer was unreachable, and not that its answer was wrong. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Rejection && error.reasons.every(({ code }) => code.endsWith('-unreachable'));
}
