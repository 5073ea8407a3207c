import { isPrivateAddress } from '../addresses.js';
import { type BoundedResponse, boundedFetch, type FetchLimits } from '../bounded-fetch.js';
import { SourceRedirected } from '../errors.js';
import { Rejection, reject } from './verdict.js';

/** What is asked of an issuer; the reasons of a rejection begin with it. */
export type IssuerDocument = 'discovery' | 'jwks' | 'status';

/** How issuers are asked. */
export interface IssuerHostOptions extends FetchLimits {
  /** Whether hosts within a private network may be asked. */
  readonly allowPrivateAddresses: boolean;
}

/**
 * Asks an issuer for a JSON document. What an issuer names is asked for only if it is a public host and answers by
 * itself: a redirect could lead into the verifier's own network.
 *
 * @returns undefined when the issuer has no such document (404)
 */
export async function askIssuer(
  url: string,
  document: IssuerDocument,
  { allowPrivateAddresses, ...limits }: IssuerHostOptions,
): Promise<unknown> {
  if (!allowPrivateAddresses && isPrivateAddress(new URL(url))) {
    reject('address-private', `${url} is not a public host, and is not asked`);
  }
  const bytes = await answer(url, document, limits);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    return reject(`${document}-invalid`, `${url} is not JSON`, cause);
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

/** Whether an error says that an issuer could not be reached, rather than what was wrong with its answer. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Rejection && error.reasons.every(({ code }) => code.endsWith('-unreachable'));
}
