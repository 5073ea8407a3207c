import { setImmediate } from 'node:timers/promises';
import { SourceRedirected } from '@passport-registry/verifier';
import { limitOf } from '@passport-registry/verifier/core';
import { type BoundedResponse, boundedFetch } from '@passport-registry/verifier/http';
import { networkFailure } from './network-failure.js';

/** The time limit for one whole response. */
const TIMEOUT_MS = 30_000;

/** How many files to request from a host at a time. */
export const CONCURRENCY = 16;

/** The response of a host. A redirect is a response, too, and is not followed. */
export interface HostAnswer extends BoundedResponse {
  /** The target of a redirect. */
  readonly location: string | undefined;
}

/** A request for a file of a tree. */
export interface HostRequest {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  /** The query of the URL. Hosts of static files ignore it, and caches do not. */
  readonly query?: string | undefined;
  /** Ends the request before its time limit. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum size of the body in bytes. Default: the limit of the path. */
  readonly maxBytes?: number | undefined;
}

/** Returns the URL of a file below the URL of a registry, whether or not the latter ends in a slash. */
export function fileUrl(base: string, path: string): URL {
  return new URL(path, base.endsWith('/') ? base : `${base}/`);
}

/**
 * Requests a file of a tree from a host, with a time limit, the size limit of the path, and no credentials. Redirects
 * are not followed. Every command of the generator that reads a registry over HTTP uses this function.
 *
 * @param base - the URL of the registry
 * @param path - the path of the file in the tree
 * @throws {@link IoFailed} with the reason; reading the body can throw the same error
 */
export async function askHost(base: string, path: string, request: HostRequest = {}): Promise<HostAnswer> {
  const { signal, query, maxBytes = limitOf(path), ...init } = request;
  const url = fileUrl(base, path).href + (query === undefined ? '' : `?${query}`);
  const timeout =
    signal === undefined ? TIMEOUT_MS : AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const limits = { fetch: globalThis.fetch, timeout, maxBytes };
  const fail = (cause: unknown) => {
    throw networkFailure(url, cause);
  };
  await closedConnections();
  try {
    const answer = await boundedFetch(url, init, limits);
    return { ...answer, location: undefined, body: () => answer.body().catch(fail) };
  } catch (error) {
    if (error instanceof SourceRedirected) return redirect(error);
    return fail(error);
  }
}

/**
 * Waits until `fetch` knows which idle connections the host has closed. After long work, such as the check of a large log, it
 * would otherwise send the request over one of them. One turn of the event loop may have passed the network already.
 */
async function closedConnections(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Whether a host serves a file, whose content is not requested. A host that does not know HEAD counts as one without it. */
export async function isServed(base: string, path: string): Promise<boolean> {
  const { status, discard } = await askHost(base, path, { method: 'HEAD' });
  discard();
  return status === 200;
}

function redirect({ status, location }: SourceRedirected): HostAnswer {
  const nothing = async () => undefined;
  return { status, location, headers: new Headers(), body: async () => new Uint8Array(), discard: nothing };
}
