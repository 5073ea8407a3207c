import { setImmediate } from 'node:timers/promises';
import { RegistryError, SourceRedirected } from '@passport-registry/verifier';
import { limitOf } from '@passport-registry/verifier/core';
import {
  type BoundedResponse,
  boundedFetch,
  type FetchLimits,
  Repeats,
} from '@passport-registry/verifier/http';
import { networkFailure } from './network-failure.js';

/** The time limit for one whole response. */
const TIMEOUT_MS = 30_000;

/** How many files to request from a host at a time. */
export const CONCURRENCY = 16;

/** The response of a host. A redirect is a response, too, and is not followed. */
export interface HostAnswer extends BoundedResponse {
  /** The target of a redirect. */
  readonly location: string | undefined;
  /** Why a busy host was given up, in words that can follow its status. */
  readonly givenUp: string;
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
 * are not followed. A request that failed on the way is sent again (rule deadlines). Every command of the generator that
 * reads a registry over HTTP uses this function.
 *
 * @param base - the URL of the registry
 * @param path - the path of the file in the tree
 * @param request - `read` reads or discards the answer
 * @throws {@link IoFailed} with the reason
 */
export async function askHost<T>(
  base: string,
  path: string,
  { read, ...request }: HostRequest & { readonly read: (answer: HostAnswer) => Promise<T> },
): Promise<T> {
  const { signal, query, maxBytes = limitOf(path), ...init } = request;
  const url = fileUrl(base, path).href + (query === undefined ? '' : `?${query}`);
  const repeats = new Repeats(signal);
  for (;;) {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const timeout = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    await closedConnections();
    try {
      const answer = await send(url, init, { fetch: globalThis.fetch, timeout, maxBytes });
      if (!(await repeats.afterAnswer(answer)))
        return await read({ ...answer, givenUp: repeats.describe(answer) });
      answer.discard();
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      if (!(await repeats.afterError(error))) throw networkFailure(url, error);
    }
  }
}

async function send(
  url: string,
  init: RequestInit,
  limits: FetchLimits,
): Promise<Omit<HostAnswer, 'givenUp'>> {
  try {
    return { ...(await boundedFetch(url, init, limits)), location: undefined };
  } catch (error) {
    if (error instanceof SourceRedirected) return redirect(error);
    throw error;
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

/** Discards the content of an answer. */
export async function statusOf({ status, discard }: HostAnswer): Promise<number> {
  discard();
  return status;
}

/** Whether a host serves a file, whose content is not requested. A host that does not know HEAD counts as one without it. */
export async function isServed(base: string, path: string): Promise<boolean> {
  return (await askHost(base, path, { method: 'HEAD', read: statusOf })) === 200;
}

function redirect({ status, location }: SourceRedirected): Omit<HostAnswer, 'givenUp'> {
  return {
    status,
    location,
    headers: new Headers(),
    body: async () => new Uint8Array(),
    discard: () => undefined,
  };
}
