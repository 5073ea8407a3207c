import { RegistryError } from '../core/errors.js';
import { readHashedFile } from '../core/publication/registry-files.js';
import type { HashedFiles } from '../core/sums/proof.js';
import { askAgain } from '../http/ask-again.js';
import type { LruMap } from '../lru-map.js';
import type { Asking } from './ask-sources.js';
import type { SharedRequests } from './shared-requests.js';

/** A file that had the right hash, in parsed form. */
export interface VerifiedFile {
  readonly sha256: string;
  readonly content: unknown;
}

/** Verified files by path, the newest version of each. */
export type VerifiedFiles = LruMap<string, VerifiedFile>;

/** The inputs for reading a proof from a source. */
export interface ProofReading extends Asking {
  readonly requests: SharedRequests;
  /** The verified files, from any source: their hashes bind them. */
  readonly verified: VerifiedFiles;
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

  #fetch(path: string, sha256: string): Promise<Uint8Array> {
    const { requests, signal, onRetry } = this.#reading;
    const get = (requested: string) => {
      if (requested !== path)
        onRetry(new RegistryError('ERR_SUMS_MISMATCH', `${path} does not have the SHA-256 ${sha256}`));
      return this.#requested.get(requested) ?? requests.get(requested, signal);
    };
    return readHashedFile(askAgain({ get }), path, sha256);
  }
}
