import {
  assertOptions,
  isObject,
  LIMITS,
  milliseconds,
  parseStrictJson,
  TIMEOUT,
} from '@passport-registry/verifier/core';
import { type BoundedResponse, boundedFetch } from '@passport-registry/verifier/http';
import { escapeUnprintable } from '@passport-registry/verifier/printable';
import { issuerBase } from '../documents/issuer-url.js';
import { IssuerRefused, PassportError } from '../errors.js';

/** How to send requests to an issuer. */
export interface IssuerRequestOptions {
  /** The maximum time for one response, in seconds. Default: 30. */
  readonly timeout?: number;
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A request to an issuer's API (rule issuer-errors). */
interface IssuerPost {
  /** The name of the function that takes the options. */
  readonly caller: string;
  readonly path: string;
  readonly body: object;
  /** The HTTP status of success. */
  readonly expectedStatus: number;
}

/**
 * Sends a POST request to an issuer's API.
 *
 * @throws {@link OptionsInvalid} | `ERR_ADDRESS_INVALID` | {@link IssuerRefused} | `ERR_ISSUER_ANSWER_INVALID` and the
 *   errors of a failed request
 */
export async function postToIssuer(
  issuer: string,
  { caller, path, body, expectedStatus }: IssuerPost,
  { fetch = globalThis.fetch.bind(globalThis), timeout }: IssuerRequestOptions,
): Promise<Record<string, unknown>> {
  assertOptions<Pick<IssuerRequestOptions, 'timeout'>>({ timeout }, { timeout: TIMEOUT }, caller);
  const url = `${issuerBase(issuer)}${path}`;
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  };
  const limits = { fetch, timeout: milliseconds(timeout, 30_000), maxBytes: LIMITS.issuerDocument };
  const response = await boundedFetch(url, init, limits);
  const content = parseObject(await response.body());
  if (response.status !== expectedStatus) throw refusal(url, response, content);
  if (content === undefined)
    throw new PassportError('ERR_ISSUER_ANSWER_INVALID', `${url} did not return a JSON object`);
  return content;
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value = parseStrictJson(bytes);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(
  url: string,
  { status, headers }: BoundedResponse,
  content: Record<string, unknown> | undefined,
): IssuerRefused {
  const { error, message } = content ?? {};
  const code = typeof error === 'string' ? error : 'unknown';
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const said = escapeUnprintable(`${code}: ${typeof message === 'string' ? message : 'no message'}`);
  return new IssuerRefused(`${url} refused the request with status ${status}, ${said}`, {
    status,
    error: code,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}
