import { RegistryError } from '@passport-registry/verifier';
import { IoFailed, TreeRejected } from '../errors.js';
import { sha256 } from '../tree/checksums.js';
import { expectedType } from '../tree/files.js';
import { isUnreachable } from './network-failure.js';
import type { FoundFile, TreeSource } from './tree-source.js';

/** All problems of one check. */
export class Problems extends Error {
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super(texts.join('; '));
    this.texts = texts;
  }
}

/** Fails a check if it has found problems. */
export function failIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new Problems(problems);
}

/**
 * Turns what verifiers and checks refuse into a rejection in words.
 *
 * @param prefix - what the rejection begins with
 */
export async function rejecting<T>(work: () => Promise<T>, prefix = ''): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Problems) throw new TreeRejected(prefix + cause.message, { cause });
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`${prefix}${cause.code}, ${cause.message}`, { cause });
  }
}

/**
 * Reads a file. A missing or unreadable file becomes a problem, but if the host does not respond, this function throws.
 */
export async function readOrReport<T>(
  path: string,
  read: (path: string) => Promise<T | undefined>,
  problems: string[],
): Promise<T | undefined> {
  try {
    const found = await read(path);
    if (found === undefined) problems.push(`${path} is missing`);
    return found;
  } catch (error) {
    if (!(error instanceof IoFailed) || isUnreachable(error)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

/**
 * The files of a source. Each file is requested once, so that all checks see the same bytes. Files that several checks
 * read stay in memory. Of other files only the hash is kept, so that no tree can fill the memory.
 */
export class SeenFiles {
  readonly source: TreeSource;
  readonly #kept = new Map<string, Promise<Uint8Array | undefined>>();
  readonly #hashes = new Map<string, Promise<string | undefined>>();
  readonly #types = new Map<string, string | undefined>();
  #paths: readonly string[] | undefined;

  constructor(source: TreeSource) {
    this.source = source;
  }

  /** Returns the bytes of a file, and keeps them; undefined if the file does not exist. */
  get(path: string): Promise<Uint8Array | undefined> {
    return cached(this.#kept, path, async () => (await this.#ask(path))?.bytes);
  }

  /** Returns the SHA-256 of a file in hexadecimal; undefined if the file does not exist. */
  hash(path: string): Promise<string | undefined> {
    return cached(this.#hashes, path, async () => {
      const bytes = this.#kept.has(path) ? await this.get(path) : (await this.#ask(path))?.bytes;
      return bytes && sha256(bytes);
    });
  }

  /** Returns the bytes of a file that no other check reads, and keeps only the hash. */
  async read(path: string): Promise<Uint8Array | undefined> {
    const bytes = (await this.#ask(path))?.bytes;
    this.#hashes.set(path, Promise.resolve(bytes && sha256(bytes)));
    return bytes;
  }

  /** Lists all paths, once; undefined if the source has no listing. @throws {@link IoFailed} */
  paths(): readonly string[] | undefined {
    this.#paths ??= this.source.paths?.();
    return this.#paths;
  }

  /** Whether a path that the source lists is that of a file, not of a link or a pipe. */
  isRegular(path: string): boolean {
    return this.source.isRegular?.(path) ?? true;
  }

  async require(path: string): Promise<Uint8Array> {
    const bytes = await this.get(path);
    if (bytes === undefined) throw new Problems([`${path} is missing`]);
    return bytes;
  }

  async #ask(path: string): Promise<FoundFile | undefined> {
    const file = await this.source.get(path);
    if (file !== undefined) this.#types.set(path, file.contentType);
    return file;
  }

  /** Whether any file has been found, so that there are content types to check. */
  get any(): boolean {
    return this.#types.size > 0;
  }

  assertTypes(): void {
    const problems: string[] = [];
    for (const [path, type] of this.#types) {
      const expected = expectedType(path);
      const served = type?.split(';')[0]?.trim().toLowerCase();
      if (expected !== undefined && served !== expected) {
        problems.push(`${path} is served with ${type ?? 'no content type'}, expected ${expected}`);
      }
    }
    // Reports can leave out all but the first problems.
    failIfAny(problems.map((problem, at) => (at === 0 ? problem + REMEDY : problem)));
  }
}

const REMEDY = '; if the host cannot set content types, which verifiers ignore, pass --any-content-type';

function cached<T>(cache: Map<string, Promise<T>>, path: string, work: () => Promise<T>): Promise<T> {
  const promise = cache.get(path) ?? work();
  cache.set(path, promise);
  return promise;
}

/** How often to read a live host again, if a publication may have happened between two files (rule retries). */
export const RETRIES = 2;

/**
 * Reads the files of a source. If a live host is refused, a publication may have happened meanwhile: then reads anew, and
 * the last answer counts.
 *
 * @throws the error of the last attempt
 */
export async function readUnlessTorn<T>(
  source: TreeSource,
  read: (files: SeenFiles) => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await read(new SeenFiles(source));
    } catch (error) {
      const isRefused = error instanceof RegistryError || error instanceof Problems;
      if (!isRefused || !source.live || retry === RETRIES) throw error;
    }
  }
}
