import { SourceRedirected } from '@passport-registry/verifier';
import { type BoundedResponse, boundedFetch, limitOf } from '@passport-registry/verifier/internal';
import { networkFailure } from './network-failure.js';

/** Longest wait for one whole answer, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A host's answer. A redirect is an answer of its own, and is not followed. */
export interface HostAnswer extends BoundedResponse {
  /** Where a redirect leads. */
  readonly location: string | undefined;
}

/** A request for a file of a tree. */
export interface HostRequest {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
}

/** The address of a file below the URL of a registry, whether or not that ends in a slash. */
export function fileUrl(base: string, path: string): URL {
  return new URL(path, base.endsWith('/') ? base : `${base}/`);
}

/**
 * Asks a host for a file of a tree: within the limit of the file's path and a deadline, without credentials, and without
 * following a redirect. Every command of the generator that reads a registry by HTTP asks here.
 *
 * @param base - the URL of the registry
 * @param path - the file, from the root of the tree
 * @throws {@link IoFailed} that names the failure; the body, too, when it is read
 */
export async function askHost(base: string, path: string, request: HostRequest = {}): Promise<HostAnswer> {
  const url = fileUrl(base, path).href;
  const limits = { fetch: globalThis.fetch, timeout: TIMEOUT_MS, maxBytes: limitOf(path) };
  try {
    const answer = await boundedFetch(url, request, limits);
    return { ...answer, location: undefined, body: () => inWords(url, answer.body()) };
  } catch (error) {
    if (error instanceof SourceRedirected) return redirect(error);
    throw networkFailure(url, error);
  }
}

async function inWords<T>(url: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw networkFailure(url, error);
  }
}

function redirect({ status, location }: SourceRedirected): HostAnswer {
  const nothing = async () => undefined;
  return { status, location, headers: new Headers(), body: async () => new Uint8Array(), discard: nothing };
}
