import { type FetchedFile, type OpenedFile, openFile } from '../http/fetch-file.js';
import { limitOf } from '../limits.js';
import type { RegistryFiles } from '../publication/registry-files.js';

/** Files whose ETags are cached. All other files are requested once, so an ETag would not help. */
const REVALIDATED = ['checkpoint.jwt', 'keys/delegation.jwt', 'keys/rotation.json', 'issuers.sig'];

/** A host of a registry. It caches ETags, so that hosts do not send unchanged files again. */
export class HttpSource {
  /** The base address, as the caller wrote it. */
  readonly base: string;
  readonly #root: URL;
  readonly #fetch: typeof fetch;
  readonly #held = new Map<string, FetchedFile>();

  constructor(base: string, fetch: typeof globalThis.fetch) {
    this.base = base;
    this.#root = new URL(base.endsWith('/') ? base : `${base}/`);
    this.#fetch = fetch;
  }

  /** The files of this host. @param signal - ends all requests for them */
  files(signal: AbortSignal): HttpFiles {
    return new HttpFiles(
      (path) =>
        openFile(new URL(path, this.#root).href, { fetch: this.#fetch, signal }, this.#held.get(path)),
      (path, file) => {
        if (file?.etag !== undefined && REVALIDATED.includes(path)) this.#held.set(path, file);
        else this.#held.delete(path);
      },
    );
  }

  /** Clears the cache: the host sends the next files in full. */
  forget(): void {
    this.#held.clear();
  }
}

/** The files of a host, for reading one publication. */
export class HttpFiles implements RegistryFiles {
  readonly #open: (path: string) => Promise<OpenedFile | undefined>;
  readonly #hold: (path: string, file: FetchedFile | undefined) => void;
  readonly #requested = new Map<string, Promise<OpenedFile | undefined>>();
  #largest = 0;

  constructor(
    open: (path: string) => Promise<OpenedFile | undefined>,
    hold: (path: string, file: FetchedFile | undefined) => void,
  ) {
    this.#open = open;
    this.#hold = hold;
  }

  /**
   * Requests files ahead of reading them. The body of a file stays at the host until `get` reads it, under the size limit
   * known by then, or `discard` drops it. So a large file can be requested before the caller knows whether to read it.
   */
  request(paths: readonly string[]): void {
    for (const path of paths) {
      const opened = this.#open(path);
      // `get` throws the error, if the file is read at all.
      opened.catch(() => undefined);
      this.#requested.set(path, opened);
    }
  }

  async get(path: string, maxBytes = limitOf(path)): Promise<Uint8Array | undefined> {
    const requested = this.#requested.get(path);
    this.#requested.delete(path);
    const opened = await (requested ?? this.#open(path));
    const file = await opened?.read(maxBytes);
    this.#hold(path, file);
    this.#largest = Math.max(this.#largest, file?.bytes.length ?? 0);
    return file?.bytes;
  }

  /** The size of the largest file that has been read, in bytes. */
  get largest(): number {
    return this.#largest;
  }

  /** Drops the requested files that have not been read. */
  discard(): void {
    for (const requested of this.#requested.values()) {
      requested.then((opened) => opened?.discard()).catch(() => undefined);
    }
    this.#requested.clear();
  }
}
