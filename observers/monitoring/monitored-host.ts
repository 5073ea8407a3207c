import { RegistryError, type RegistryFiles } from '@passport-registry/verifier';
import { hasCode, readHashedFile } from '@passport-registry/verifier/core';
import { askAgain } from '@passport-registry/verifier/http';
import { IoFailed } from '../../generator/errors.js';
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

  /** The files of the host, for functions that read files with a known hash. */
  files(maxBytes?: number): RegistryFiles {
    return {
      get: (asked) => {
        const [path = '', query] = asked.split('?');
        return this.read(path, { query, maxBytes });
      },
    };
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
  /** Where the file can be, the likely place first. */
  readonly paths: readonly string[];
  readonly sha256: string;
  readonly maxBytes?: number;
}

/**
 * Reads a file with a known hash from the first host that has it. Undefined if the hosts that respond do not have it.
 *
 * @throws {@link IoFailed} if no host responds
 */
export async function readFromAny(
  hosts: readonly MonitoredHost[],
  { paths, sha256, maxBytes }: HashedFile,
): Promise<Uint8Array | undefined> {
  let failure: IoFailed | undefined;
  let responses = 0;
  for (const host of hosts) {
    for (const path of paths) {
      try {
        return await readHashedFile(askAgain(host.files(maxBytes)), path, sha256);
      } catch (error) {
        if (error instanceof RegistryError || isTooLarge(error)) responses++;
        else if (error instanceof IoFailed) failure ??= error;
        else throw error;
      }
    }
  }
  if (responses === 0 && failure !== undefined) throw failure;
  return undefined;
}

/** Whether an error means that a file is larger than its limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof IoFailed && hasCode(error.cause, 'ERR_SOURCE_TOO_LARGE');
}
