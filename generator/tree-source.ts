import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed } from './errors.js';
import { PATHS } from './paths.js';
import type { Tree } from './tree.js';
import { filesBelow } from './walk.js';

/** A file of a tree as it was found. */
export interface FoundFile {
  readonly bytes: Uint8Array;
  /** The Content-Type of a host; undefined where there is none to speak of. */
  readonly contentType?: string | undefined;
}

/** A tree to verify, wherever it is. */
export interface TreeSource {
  /** What to call it in messages. */
  readonly name: string;
  /** Whether it is a live host, which has content types and hides its own configuration. */
  readonly live: boolean;
  /** The file at a path; undefined when there is none. */
  get(path: string): Promise<FoundFile | undefined>;
  /** Whether files that configure hosts may be missing: a host need not serve them, so a mirror may not have them. */
  readonly withoutHostFiles?: boolean;
  /** All paths; undefined where nobody can list them. */
  readonly paths?: () => readonly string[];
}

/**
 * A tree in memory: the bytes of its files by their paths.
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
      return bytes && { bytes };
    },
    paths: () => [...tree.keys()],
  };
}

/**
 * A tree in a folder.
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
      try {
        return { bytes: readFileSync(join(folder, path)) };
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
        throw new IoFailed(`${path} cannot be read: ${code}`, { cause });
      }
    },
    paths: () => filesBelow(folder),
  };
}

/** Longest wait for one answer, in milliseconds. */
const TIMEOUT = 30_000;
/** Largest file that is read from a host, in bytes: several times a list of 100,000 issuers. */
const MAX_DOWNLOAD = 512 * 1024 * 1024;

/**
 * A tree on a live host.
 *
 * @param base - its address; a path in it is kept, for registries below a sub-path
 *
 * @example
 * ```ts
 * import { httpSource, verifyTree } from 'passport-registry';
 *
 * const report = await verifyTree(httpSource(process.env.REGISTRY));
 * console.log(report.ok); // true
 * ```
 */
export function httpSource(base: string): TreeSource {
  const root = base.endsWith('/') ? base : `${base}/`;
  return {
    name: base,
    live: true,
    get: (path) => download(new URL(path, root), path === PATHS.page ? new URL(root) : undefined),
  };
}

/** @param folder - where the file is as well, for hosts that redirect there */
async function download(url: URL, folder: URL | undefined): Promise<FoundFile | undefined> {
  let response: Response;
  try {
    // A redirect is an answer of its own here: the tree is to be served as it stands.
    response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) });
    if (response.status === 404) return undefined;
    if (response.status === 200) {
      return {
        bytes: await readBody(response),
        contentType: response.headers.get('content-type') ?? undefined,
      };
    }
  } catch (cause) {
    if (cause instanceof IoFailed) throw cause;
    throw fetchFailed(url, cause as Error);
  }
  const location = response.headers.get('location');
  if (folder !== undefined && location !== null && new URL(location, url).href === folder.href) {
    return download(folder, undefined);
  }
  throw new IoFailed(
    `${url} answers ${response.status}${location === null ? '' : `, a redirect to ${location}`}`,
  );
}

/** What `fetch` says is that it failed; why stands in its cause. */
export function fetchFailed(url: URL, cause: Error): IoFailed {
  const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
  return new IoFailed(`${url} cannot be fetched: ${reason}`, { cause });
}

async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_DOWNLOAD) throw new IoFailed(`${response.url} sends more than ${MAX_DOWNLOAD} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The list of a tree and its signature, not verified; undefined where one of them is missing. @throws {@link IoFailed} */
export async function signedPair(
  source: TreeSource,
): Promise<{ readonly list: Uint8Array; readonly signature: string } | undefined> {
  const [list, signature] = await Promise.all([source.get(PATHS.list), source.get(PATHS.signature)]);
  if (list === undefined || signature === undefined) return undefined;
  return { list: list.bytes, signature: new TextDecoder().decode(signature.bytes) };
}
