import { isObject } from '../encoding/checks.js';
import { parseStrictJson } from '../encoding/strict-json.js';
import { IssuerAnswerInvalid, IssuerRefused } from '../errors.js';
import { boundedFetch } from '../http/bounded-fetch.js';
import { issuerBase } from '../http/issuer-url.js';
import { LIMITS } from '../limits.js';

/** How to send requests to an issuer. */
export interface IssuerRequestOptions {
  /** Longest time for one answer, in seconds. Default: 30. */
  readonly timeout?: number;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
}

/**
 * Sends a request of SPEC B9 to an issuer.
 *
 * @param expected - the HTTP status of success
 * @throws {@link AddressInvalid} | {@link IssuerRefused} | {@link IssuerAnswerInvalid} and the errors of a failed request
 */
export async function postToIssuer(
  issuer: string,
  path: string,
  body: object,
  expected: number,
  { fetch = globalThis.fetch.bind(globalThis), timeout = 30 }: IssuerRequestOptions,
): Promise<Record<string, unknown>> {
  const url = `${issuerBase(issuer)}${path}`;
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  };
  const limits = { fetch, timeout: timeout * 1000, maxBytes: LIMITS.issuerDocument };
  const response = await boundedFetch(url, init, limits);
  const answer = parsed(await response.body());
  if (response.status !== expected) throw refused(url, response.status, answer, response.headers);
  if (answer === undefined) throw new IssuerAnswerInvalid(`${url} did not answer with a JSON object`);
  return answer;
}

function parsed(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value = parseStrictJson(bytes);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refused(url: string, status: number, answer: Record<string, unknown> | undefined, headers: Headers) {
  const { error, message } = answer ?? {};
  const code = typeof error === 'string' ? error : 'unknown';
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new IssuerRefused(
    `${url} refused with status ${status}, ${code}: ${typeof message === 'string' ? message : 'without a message'}`,
    { status, error: code, retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined },
  );
}
