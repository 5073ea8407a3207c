import { hasCode, statementHash } from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import { isUnreachable } from '../../generator/verification/network-failure.js';
import { httpSource, type TreeSource } from '../../generator/verification/tree-source.js';

/** A host that a monitor reads: the registry or a mirror. */
export class MonitoredHost {
  readonly url: string;
  readonly isMirror: boolean;
  /** What is wrong with the log that a head of this host describes, by the text of the head. */
  readonly malformedLogs = new Map<string, string>();
  /** How many bytes of logs the host has sent. */
  logBytes = 0;
  readonly #source: TreeSource;
  #unreachable: IoFailed | undefined;

  /** @param signal - ends all requests. The host then counts as unreachable */
  constructor(url: string, isMirror: boolean, signal: AbortSignal) {
    this.url = url;
    this.isMirror = isMirror;
    this.#source = httpSource(url, signal);
  }

  /**
   * Reads a file. Undefined if there is no such file. Once the host has not responded in time, it is not asked again.
   *
   * @param query - makes caches ask the host again
   * @throws {@link IoFailed}
   */
  async read(path: string, { query, maxBytes }: Reading = {}): Promise<Uint8Array | undefined> {
    if (this.#unreachable !== undefined) throw this.#unreachable;
    try {
      return (await this.#source.get(path, query, maxBytes))?.bytes;
    } catch (error) {
      if (error instanceof IoFailed && isUnreachable(error)) this.#unreachable = error;
      throw error;
    }
  }
}

/** How a file is read. */
interface Reading {
  readonly query?: string | undefined;
  /** The maximum size in bytes. Default: the limit of the path. */
  readonly maxBytes?: number | undefined;
}

/** A file whose hash is known. */
interface HashedFile {
  readonly path: string;
  readonly hash: string;
  /** Computes the hash of the file, or of the statement in the file. */
  readonly hashOf: (bytes: Uint8Array) => string;
  readonly maxBytes?: number;
}

/**
 * Reads a file with a known hash from the first host that has it. Undefined if the hosts that respond do not have it.
 *
 * @throws {@link IoFailed} if no host responds
 */
export async function readFromAny(
  hosts: readonly MonitoredHost[],
  { path, hash, hashOf, maxBytes }: HashedFile,
): Promise<Uint8Array | undefined> {
  let failure: IoFailed | undefined;
  let responses = 0;
  for (const host of hosts) {
    try {
      // A cache can have an older file, or remember that there was none. The second request passes by it.
      for (const query of [undefined, hash]) {
        const bytes = await host.read(path, { query, maxBytes });
        if (bytes !== undefined && hashOf(bytes) === hash) return bytes;
      }
      responses++;
    } catch (error) {
      if (!(error instanceof IoFailed)) throw error;
      if (isTooLarge(error)) responses++;
      else failure ??= error;
    }
  }
  if (responses === 0 && failure !== undefined) throw failure;
  return undefined;
}

/** Reads the statement of an entry of a log from the first host that has it. Undefined and @throws as {@link readFromAny} */
export function readLoggedStatement(
  hosts: readonly MonitoredHost[],
  index: number,
  hash: string,
): Promise<Uint8Array | undefined> {
  const hashOf = (bytes: Uint8Array) => statementHash(Buffer.from(bytes).toString('latin1'));
  return readFromAny(hosts, { path: PATHS.loggedStatement(index), hash, hashOf });
}

/** Whether an error means that a file is larger than its limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof IoFailed && hasCode(error.cause, 'ERR_SOURCE_TOO_LARGE');
}
