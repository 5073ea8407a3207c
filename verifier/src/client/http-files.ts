import { RegistryError } from '../core/errors.js';
import { limitOf } from '../core/limits.js';
import type { RegistryFiles } from '../core/publication/registry-files.js';
import { TREE_FILES } from '../core/tree-files.js';
import { untilAborted } from '../http/bounded-fetch.js';
import { type FetchedFile, type OpenedFile, openFile } from '../http/fetch-file.js';

/** A host of a registry. The class keeps `statements.json` with its ETag, so that the host need not send it again. */
export class HttpSource {
  /** The base URL, as the caller wrote it. */
  readonly base: string;
  readonly #root: URL;
  readonly #fetch: typeof fetch;
  #statements: FetchedFile | undefined;
  /** Whether a cache between this client and the host may hold an old version of `statements.json`. */
  #mayBeOld = false;
  /** The request for `statements.json` of the latest round. */
  #asked: { readonly round: number; readonly statements: Promise<Uint8Array | undefined> } | undefined;

  constructor(base: string, fetch: typeof globalThis.fetch) {
    this.base = base;
    this.#root = new URL(base.endsWith('/') ? base : `${base}/`);
    this.#fetch = fetch;
  }

  /**
   * Requests `statements.json`, once in each round: to follow the rotation, and to read the rest.
   *
   * @param signal - ends the request, unless an earlier call of the same round has sent it
   */
  statements(round: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.#asked?.round !== round) {
      const statements = this.files(signal).get(TREE_FILES.statements);
      // The code that needs the file handles the error.
      statements.catch(() => undefined);
      this.#asked = { round, statements };
    }
    return this.#asked.statements;
  }

  /**
   * Returns the files of this host.
   *
   * @param signal - ends all requests for files
   * @param statements - from {@link statements}. Default: the file is requested again
   */
  files(signal: AbortSignal, statements?: Promise<Uint8Array | undefined>): HttpFiles {
    return new HttpFiles(this, signal, statements);
  }

  /**
   * Has the host send `statements.json` in full the next time. A cache on the way may hold an older version than of the other
   * files. The next request therefore has a new query, which caches do not ignore.
   */
  forget(): void {
    this.#statements = undefined;
    this.#mayBeOld = true;
  }

  /** Sends the request for a file. */
  async open(path: string, signal: AbortSignal): Promise<OpenedFile | undefined> {
    const request = { fetch: this.#fetch, signal };
    const { href } = new URL(path, this.#root);
    if (path !== TREE_FILES.statements) return openFile(href, request, undefined);
    if (this.#mayBeOld) {
      this.#mayBeOld = false;
      const opened = await openFile(`${href}?${Date.now().toString(36)}`, request, undefined);
      // Some hosts do not know a path with a query, against the protocol (rule query-ignored).
      if (opened !== undefined) return opened;
    }
    return openFile(href, request, this.#statements);
  }

  /** Keeps `statements.json` with its ETag. */
  keep(path: string, file: FetchedFile | undefined): void {
    if (path === TREE_FILES.statements) this.#statements = file?.etag === undefined ? undefined : file;
  }
}

/** The files of a host, for reading one publication. */
export class HttpFiles implements RegistryFiles {
  readonly #source: HttpSource;
  readonly #signal: AbortSignal;
  #statements: Promise<Uint8Array | undefined> | undefined;
  readonly #requested = new Map<string, Promise<OpenedFile | undefined>>();

  constructor(source: HttpSource, signal: AbortSignal, statements?: Promise<Uint8Array | undefined>) {
    this.#source = source;
    this.#signal = signal;
    this.#statements = statements;
  }

  /**
   * Requests files before they are needed. The body of each file is read later, by `get` under a size limit, or
   * discarded by `discard`. The caller can therefore request a large file before it knows whether it needs the file.
   */
  request(paths: readonly string[]): void {
    for (const path of paths) {
      const opened = this.#source.open(path, this.#signal);
      // If the file is needed, `get` throws the error.
      opened.catch(() => undefined);
      this.#requested.set(path, opened);
    }
  }

  get(path: string, maxBytes = limitOf(path)): Promise<Uint8Array | undefined> {
    if (path !== TREE_FILES.statements) return this.#read(path, maxBytes);
    // All readers of one attempt get the same bytes: a rotation belongs to the statements beside it.
    this.#statements ??= this.#read(path, maxBytes);
    return untilAborted(this.#statements, this.#signal);
  }

  async #read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const requested = this.#requested.get(path);
    this.#requested.delete(path);
    const opened = await (requested ?? this.#source.open(path, this.#signal));
    const file = await opened?.read(maxBytes);
    this.#source.keep(path, file);
    return file?.bytes;
  }

  /** Discards the requested files that have not been read. */
  discard(): void {
    for (const requested of this.#requested.values()) {
      requested.then((opened) => opened?.discard()).catch(() => undefined);
    }
    this.#requested.clear();
  }
}

/** Returns the error of a source. Any other error comes from the function that sends requests. */
export function asRegistryError(thrown: unknown): RegistryError {
  if (thrown instanceof RegistryError) return thrown;
  return new RegistryError('ERR_SOURCE_UNREACHABLE', `the source failed: ${(thrown as Error).message}`, {
    cause: thrown,
  });
}
