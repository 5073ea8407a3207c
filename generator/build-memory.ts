import { join, resolve } from 'node:path';
import {
  type BuildCache,
  cacheFile,
  openCache,
  type PublishedFacts,
  type RememberedSources,
  saveCache,
} from './build-cache.js';
import type { KnownRecords } from './build-records.js';
import { type FoundFiles, findRecordFiles } from './collect.js';
import { type TouchedPaths, touchedPaths } from './inspect-tree.js';
import { KnownPublication } from './known-publication.js';
import { programDigest } from './program-digest.js';
import { type Recalled, recall } from './recall.js';
import type { TreeStamps } from './tree-stamps.js';

/** The record files of a build, and what is known of them and of the published tree from the build before. */
export class BuildMemory {
  readonly found: FoundFiles;
  /** What was published and from what, where neither a record file nor the tree has been touched since. */
  readonly same: BuildCache | undefined;
  readonly #out: string;
  /** Undefined for a build without a cache. */
  readonly #about: string | undefined;
  readonly #cache: Recollection | undefined;

  private constructor(
    out: string,
    about: string | undefined,
    found: FoundFiles,
    cache: Recollection | undefined,
  ) {
    this.found = found;
    this.#out = out;
    this.#about = about;
    this.#cache = cache;
    if (cache?.recalled.same && cache.touched.size === 0) this.same = cache;
  }

  /**
   * Finds the record files, and looks at them and at the tree.
   *
   * @throws {@link UsageError} when the folder does not exist
   */
  static async open(issuers: string, out: string, useCache: boolean): Promise<BuildMemory> {
    if (!useCache) return new BuildMemory(out, undefined, findRecordFiles([issuers]), undefined);
    const about = [programDigest(), process.cwd(), issuers, resolve(out)].join('\n');
    const inspecting = touchedPaths(out, about);
    const found = findRecordFiles([issuers]);
    const cache = openCache(cacheFile(out), about);
    const recalled = cache && recall(found, cache.sources);
    const touched = await inspecting;
    const known = cache && recalled && touched && { ...cache, recalled, touched };
    return new BuildMemory(out, about, found, known);
  }

  /** What is known of the published tree; undefined where its list is another by now. */
  published(): KnownPublication | undefined {
    return this.#cache && KnownPublication.open(this.#out, this.#cache, this.#cache.touched);
  }

  /** What is known of the record files, where the published list is known. */
  records(published: KnownPublication | undefined): KnownRecords | undefined {
    if (published === undefined || this.#cache === undefined) return undefined;
    return { ...this.#cache, records: published.records };
  }

  /**
   * Saves what is known now, for the next build.
   *
   * @param staging - a folder on the same file system as the tree
   * @throws as the file system does
   */
  save(staging: string, published: PublishedFacts, sources: RememberedSources, stamps: TreeStamps): void {
    if (this.#about === undefined) return;
    const cache = { about: this.#about, published, sources, tree: stamps.remembered() };
    saveCache(cacheFile(this.#out), join(staging, 'cache'), cache);
  }
}

interface Recollection extends BuildCache {
  readonly recalled: Recalled;
  readonly touched: TouchedPaths;
}
