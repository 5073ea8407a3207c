import { RegistryError } from '../core/errors.js';
import { limitOf } from '../core/limits.js';
import type { RegistryFiles } from '../core/publication/registry-files.js';
import {
  isInStatementsFile,
  readStatementsFile,
  STATEMENT_FILES,
} from '../core/publication/statements-file.js';
import { TREE_FILES } from '../core/tree-files.js';
import { untilAborted } from '../http/bounded-fetch.js';
import { type FetchedFile, type OpenedFile, openFile } from '../http/fetch-file.js';
import { STAGGER_SHARE } from './round.js';

/** The files that are cached with their ETags. The client requests each other file only once. */
const REVALIDATED = [TREE_FILES.statements, ...STATEMENT_FILES];

/** The files that a publication replaces first. A cache on the way may hold an old version of one of them. */
const REPLACED_FIRST = [TREE_FILES.publication, TREE_FILES.logProof];

/** The statements of a host by path. A path that is missing is a file that the tree does not have. */
type StatementFiles = ReadonlyMap<string, Uint8Array>;

/** A host of a registry. The class caches small files with their ETags, so that the host need not send them again. */
export class HttpSource {
  /** The base URL, as the caller wrote it. */
  readonly base: string;
  readonly #root: URL;
  readonly #fetch: typeof fetch;
  /** How long to wait for `statements.json`, in milliseconds. */
  readonly #statementsFileTimeout: number;
  readonly #cached = new Map<string, FetchedFile>();
  /** The files of which a cache between this client and the host may hold an old version. */
  #mayBeOld = new Set<string>();
  /** The last request for `statements.json`. */
  #statementsRequest:
    | { readonly round: number; readonly files: Promise<StatementFiles | undefined> | undefined }
    | undefined;
  /** Whether the host has such a file. Undefined before the first answer. */
  #hasStatementsFile: boolean | undefined;
  /** Whether the next round requests each file by itself: what `statements.json` had did not fit, or did not come. */
  #skipsStatementsFile = false;

  /** @param deadline - of a round, in milliseconds */
  constructor(base: string, fetch: typeof globalThis.fetch, deadline: number) {
    this.base = base;
    this.#statementsFileTimeout = Math.ceil(deadline * STAGGER_SHARE);
    this.#root = new URL(base.endsWith('/') ? base : `${base}/`);
    this.#fetch = fetch;
  }

  /**
   * Returns the files of this host.
   *
   * @param signal - ends all requests for files
   * @param statements - from {@link statementsFile}. Default: each file is requested by itself
   */
  files(signal: AbortSignal, statements?: Promise<StatementFiles | undefined>): HttpFiles {
    return new HttpFiles(this, signal, statements);
  }

  /**
   * Requests all statements in one file (rule statements-file), once in each round.
   *
   * @param signal - ends the request, unless an earlier call of the same round has sent it
   * @returns undefined if the host has no such file, or one that cannot be read, and in the round after such a failure
   */
  statementsFile(round: number, signal: AbortSignal): Promise<StatementFiles | undefined> | undefined {
    if (this.#hasStatementsFile === false) return undefined;
    if (this.#statementsRequest?.round !== round) {
      const files = this.#skipsStatementsFile ? undefined : this.#awaitStatementsFile(signal);
      this.#skipsStatementsFile = false;
      this.#statementsRequest = { round, files };
    }
    return this.#statementsRequest.files;
  }

  /** Waits for the file for a part of the deadline, so that the single files still have the rest. */
  async #awaitStatementsFile(signal: AbortSignal): Promise<StatementFiles | undefined> {
    try {
      return await untilAborted(
        this.#requestStatementsFile(signal),
        AbortSignal.timeout(this.#statementsFileTimeout),
      );
    } catch {
      this.#skipsStatementsFile = true;
      return undefined;
    }
  }

  async #requestStatementsFile(signal: AbortSignal): Promise<StatementFiles | undefined> {
    const bytes = await this.files(signal).get(TREE_FILES.statements);
    // A publication removes the file for a moment. A host that never had it is not asked again before a restart.
    this.#hasStatementsFile ||= bytes !== undefined;
    return bytes && readStatementsFile(bytes);
  }

  /**
   * Clears the cache, so that the host sends all files in full again. A cache on the way may hold an older publication
   * statement, or an older proof that it is logged, than the other files. The next request for each of the two therefore
   * has a new query, which caches do not ignore.
   */
  forget(): void {
    this.#cached.clear();
    this.#skipsStatementsFile = true;
    this.#mayBeOld = new Set(REPLACED_FIRST);
  }

  /** Sends the request for a file. */
  async open(path: string, signal: AbortSignal): Promise<OpenedFile | undefined> {
    const request = { fetch: this.#fetch, signal };
    const { href } = new URL(path, this.#root);
    if (this.#mayBeOld.delete(path)) {
      const opened = await openFile(`${href}?${Date.now().toString(36)}`, request, undefined);
      // Some hosts do not know a path with a query.
      if (opened !== undefined) return opened;
    }
    return openFile(href, request, this.#cached.get(path));
  }

  /** Caches a file with its ETag, or forgets the one that was cached. */
  cache(path: string, file: FetchedFile | undefined): void {
    if (file?.etag !== undefined && REVALIDATED.includes(path)) this.#cached.set(path, file);
    else this.#cached.delete(path);
  }
}

/** The files of a host, for reading one publication. */
export class HttpFiles implements RegistryFiles {
  readonly #source: HttpSource;
  readonly #signal: AbortSignal;
  readonly #statements: Promise<StatementFiles | undefined> | undefined;
  readonly #requested = new Map<string, Promise<OpenedFile | undefined>>();
  /** The files that have been read by themselves, of a reading that uses `statements.json`. */
  readonly #read = new Map<string, Uint8Array>();
  /** The size of the largest file that has been read, in bytes. */
  largest = 0;
  #hasUsedStatementsFile = false;

  constructor(source: HttpSource, signal: AbortSignal, statements?: Promise<StatementFiles | undefined>) {
    this.#source = source;
    this.#signal = signal;
    this.#statements = statements;
  }

  /**
   * Returns the same files, each requested by itself, but none again that has been read by itself, such as the list.
   * Undefined if the file with all statements was not used.
   */
  withoutStatementsFile(): HttpFiles | undefined {
    if (!this.#hasUsedStatementsFile) return undefined;
    const single = new HttpFiles(this.#source, this.#signal);
    for (const [path, bytes] of this.#read) single.#read.set(path, bytes);
    return single;
  }

  /**
   * Requests files before they are needed. The body of each file is read later, by `get` under a size limit, or
   * discarded by `discard`. The caller can therefore request a large file before it knows whether it needs the file.
   */
  request(paths: readonly string[]): void {
    for (const path of paths) {
      const opened = this.#openOne(path);
      // If the file is needed, `get` throws the error.
      opened.catch(() => undefined);
      this.#requested.set(path, opened);
    }
  }

  async get(path: string, maxBytes = limitOf(path)): Promise<Uint8Array | undefined> {
    const read = this.#read.get(path);
    if (read !== undefined) return read;
    const requested = this.#requested.get(path);
    this.#requested.delete(path);
    const opened = await (requested ?? this.#openOne(path));
    const file = await opened?.read(maxBytes);
    this.#source.cache(path, file);
    this.largest = Math.max(this.largest, file?.bytes.length ?? 0);
    if (file !== undefined && this.#statements !== undefined && !isInStatementsFile(path))
      this.#read.set(path, file.bytes);
    return file?.bytes;
  }

  async #openOne(path: string): Promise<OpenedFile | undefined> {
    const statements = isInStatementsFile(path) ? await this.#statements : undefined;
    if (statements === undefined) return this.#source.open(path, this.#signal);
    this.#hasUsedStatementsFile = true;
    const bytes = statements.get(path);
    return bytes && { read: async () => ({ bytes, etag: undefined }), discard: () => undefined };
  }

  /** Discards the requested files that have not been read, and forgets the others. */
  discard(): void {
    this.#read.clear();
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
