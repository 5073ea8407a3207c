import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { RegistryFiles } from '@passport-registry/verifier';
import { limitOf } from '@passport-registry/verifier/core';
import { IoFailed } from '../errors.js';
import { readTreeFile } from '../files/read-file.js';
import { filesBelow } from '../files/walk.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { askHost, fileUrl, type HostAnswer, type HostRequest } from './ask-host.js';

/** A file that a source returned. */
export interface FoundFile {
  readonly bytes: Uint8Array;
  /** The Content-Type that a host sent; undefined if there is none. */
  readonly contentType?: string | undefined;
}

/** A place from which a tree is read. */
export interface TreeSource {
  /** The name of the source in messages. */
  readonly name: string;
  /** Whether the source is a live host, which sends content types and may hide its configuration files. */
  readonly live: boolean;
  /**
   * Reads the file at a path; undefined if the file does not exist.
   *
   * @param hash - the SHA-256 that the file should have. A live source appends it to the URL, so that a cache which has
   *   an older file asks the host again (rule sums-caches). The caller checks the hash
   * @param maxBytes - the maximum size that a live source reads, if a signed statement says it. Default: the limit for
   *   the path
   * @throws {@link IoFailed} if the file cannot be read, or is larger than its limit
   */
  get(path: string, hash?: string, maxBytes?: number): Promise<FoundFile | undefined>;
  /** Whether files that configure hosts, and files that this version does not know, may be missing: a mirror may lack them. */
  readonly withoutHostFiles?: boolean;
  /** Lists all paths; undefined if the source has no listing. @throws {@link IoFailed} */
  readonly paths?: () => readonly string[];
  /** Whether a listed path is that of a file, not of a link or a pipe. Default: it is. */
  readonly isRegular?: (path: string) => boolean;
}

/**
 * Makes a source of a tree in memory.
 *
 * @param tree - the bytes of the files by path
 *
 * @example
 * ```ts
 * import { memorySource, verifyTree } from 'passport-registry';
 *
 * const report = await verifyTree(memorySource(new Map()));
 * console.log(report.checks[0].problems[0]); // keys/root.json is missing
 * ```
 */
export function memorySource(tree: Tree): TreeSource {
  return {
    name: 'the new tree',
    live: false,
    get: async (path) => {
      const bytes = tree.get(path);
      const limit = limitOf(path);
      if (bytes !== undefined && bytes.length > limit)
        throw new IoFailed(`${path} is larger than ${limit} bytes`);
      return bytes && { bytes };
    },
    paths: () => [...tree.keys()],
  };
}

/**
 * Makes a source of a tree in a folder.
 *
 * @example
 * ```ts
 * import { folderSource, verifyTree } from 'passport-registry';
 *
 * console.log((await verifyTree(folderSource('dist'))).issuers); // 2
 * ```
 */
export function folderSource(folder: string): TreeSource {
  return {
    name: folder,
    live: false,
    get: async (path) => {
      const bytes = readTreeFile(folder, path);
      return bytes && { bytes };
    },
    paths: () => {
      try {
        return filesBelow(folder);
      } catch (cause) {
        throw new IoFailed(`${folder} cannot be listed: ${(cause as Error).message}`, { cause });
      }
    },
    isRegular: (path) => lstatSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true,
  };
}

/**
 * Makes a source of a tree on a live host.
 *
 * @param base - the URL of the registry; its path is kept, for registries below a sub-path
 * @param signal - ends all requests. The host then counts as unreachable
 *
 * @example
 * ```ts
 * import { httpSource, verifyTree } from 'passport-registry';
 *
 * const report = await verifyTree(httpSource(process.env.REGISTRY ?? ''));
 * console.log(report.ok); // true
 * ```
 */
export function httpSource(base: string, signal?: AbortSignal): TreeSource {
  return {
    name: base,
    live: true,
    get: (path, query, maxBytes) => download(base, path, { signal, query, maxBytes }),
  };
}

/** Makes a source of a tree on a live host or in a folder. @param where - an http(s) URL, or a folder */
export function sourceOf(where: string, signal?: AbortSignal): TreeSource {
  return /^https?:\/\//i.test(where) ? httpSource(where, signal) : folderSource(where);
}

async function download(base: string, path: string, request: HostRequest): Promise<FoundFile | undefined> {
  const { signal } = request;
  // Some hosts redirect index.html to the folder, and other pages to their names without .html.
  const short = path === PATHS.page ? './' : path.replace(/\.html$/, '');
  const isShortened = (answer: HostAnswer) =>
    short !== path && leadsTo(answer, fileUrl(base, path), fileUrl(base, short));
  const read = async (answer: HostAnswer) =>
    isShortened(answer) ? 'shortened' : fileOf(answer, fileUrl(base, path));
  const found = await askHost(base, path, { ...request, read });
  if (found !== 'shortened') return found;
  return askHost(base, short, { signal, read: (answer) => fileOf(answer, fileUrl(base, short)) });
}

function leadsTo({ location }: HostAnswer, from: URL, to: URL): boolean {
  return location !== undefined && URL.canParse(location, from) && new URL(location, from).href === to.href;
}

async function fileOf(answer: HostAnswer, url: URL): Promise<FoundFile | undefined> {
  const { status, headers, location, givenUp } = answer;
  if (status === 200)
    return { bytes: await answer.body(), contentType: headers.get('content-type') ?? undefined };
  answer.discard();
  if (status === 404) return undefined;
  const where = location === undefined ? '' : `, a redirect to ${location}`;
  throw new IoFailed(`${url} responds with ${status}${where}${givenUp}`);
}

/** Lets a verifier read the files of a source. A verifier appends the hash that a file should have, as the query. */
export function registryFiles(source: TreeSource): RegistryFiles {
  return {
    get: async (asked) => {
      const [path = '', hash] = asked.split('?');
      return (await source.get(path, hash))?.bytes;
    },
  };
}
