import type { FetchLimits } from './bounded-fetch.js';
import { type FetchedFile, fetchFile } from './fetch-file.js';
import type { RegistryFiles } from './publication.js';

/** What stands here is named by a hash: it is asked for once, and what it leads to is held elsewhere. */
const FETCHED_ONCE = ['snapshots/', 'deltas/'];

/** The files of a registry on a host. It remembers versions, so that what has not changed is not sent again. */
export class HttpFiles implements RegistryFiles {
  /** The base address, as the caller wrote it. */
  readonly base: string;
  readonly #root: URL;
  readonly #limits: FetchLimits;
  readonly #known = new Map<string, FetchedFile>();

  constructor(base: string, limits: FetchLimits) {
    this.base = base;
    this.#root = new URL(base.endsWith('/') ? base : `${base}/`);
    this.#limits = limits;
  }

  async get(path: string): Promise<Uint8Array | undefined> {
    const file = await fetchFile(new URL(path, this.#root).href, this.#limits, this.#known.get(path));
    const once = FETCHED_ONCE.some((folder) => path.startsWith(folder));
    if (file === undefined || file.etag === undefined || once) this.#known.delete(path);
    else this.#known.set(path, file);
    return file?.bytes;
  }

  /** Forgets all versions: the next answers come whole. */
  forget(): void {
    this.#known.clear();
  }
}
