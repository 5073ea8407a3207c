import { sha256Hex } from '../encoding/sha256.js';
import { type RegistryError, SourceStatus, SumsMismatch } from '../errors.js';
import type { LruMap } from '../lru-map.js';
import type { HashedFiles } from '../sums/proof.js';
import { pauseBeforeRetry, RETRIES } from './retry.js';
import type { SharedRequests } from './shared-requests.js';

/** A file that had the right hash, in parsed form. */
export interface VerifiedFile {
  readonly sha256: string;
  readonly content: unknown;
}

/** Verified files by path, the newest version of each. */
export type VerifiedFiles = LruMap<string, VerifiedFile>;

/** The inputs for reading a proof from a source. */
export interface ProofReading {
  readonly requests: SharedRequests;
  /** The verified files, from any source: their hashes bind them. */
  readonly verified: VerifiedFiles;
  /** Ends all requests. */
  readonly signal: AbortSignal;
  /** Called before each retry. */
  readonly onRetry: (failure: RegistryError) => void;
}

/** The files of a proof, from one source. */
export class ProofFiles implements HashedFiles {
  readonly #reading: ProofReading;
  readonly #requested = new Map<string, Promise<Uint8Array | undefined>>();

  constructor(reading: ProofReading) {
    this.#reading = reading;
  }

  /** Requests files of which no version is known. Of the other files, only changed ones are requested, by `read`. */
  request(paths: readonly string[]): void {
    const { requests, verified, signal } = this.#reading;
    for (const path of paths) {
      if (verified.get(path) !== undefined) continue;
      const bytes = requests.get(path, signal);
      // If the file is needed, `read` throws the error.
      bytes.catch(() => undefined);
      this.#requested.set(path, bytes);
    }
  }

  async read<T>(path: string, sha256: string, parse: (bytes: Uint8Array) => T): Promise<T> {
    const { verified } = this.#reading;
    const known = verified.get(path);
    if (known?.sha256 === sha256) return known.content as T;
    const content = parse(await this.#fetch(path, sha256));
    verified.set(path, { sha256, content });
    return content;
  }

  /**
   * Requests a file until its hash is right. A publication replaces files one by one, and caches mix. The expected hash
   * as the query makes caches ask the host, which ignores it (SPEC C2).
   */
  async #fetch(path: string, sha256: string): Promise<Uint8Array> {
    const { requests, signal, onRetry } = this.#reading;
    let bytes = await (this.#requested.get(path) ?? requests.get(path, signal));
    let failure: RegistryError | undefined;
    for (let attempt = 0; ; attempt++) {
      const found = bytes && (await sha256Hex(bytes));
      if (bytes !== undefined && found === sha256) return bytes;
      // The first failure is the most informative: some hosts do not know a path with a query.
      failure ??=
        found === undefined
          ? new SourceStatus(`the source has no ${path}, which its publication needs`)
          : new SumsMismatch(`${path} must have the SHA-256 ${sha256}, but has ${found}`);
      if (attempt === RETRIES) throw failure;
      onRetry(failure);
      if (attempt > 0) await pauseBeforeRetry(attempt, signal, failure);
      bytes = await requests.get(`${path}?${sha256}`, signal);
    }
  }
}
