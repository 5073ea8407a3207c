import type { BuildOptions } from './build.js';
import type { BuildCache } from './build-cache.js';
import { buildNotes } from './build-notes.js';
import { PATHS } from './paths.js';
import type { BuildReport } from './publish.js';
import { readIfThere } from './read-file.js';

/**
 * What a build reports that finds everything as its cache remembers it.
 *
 * @param place - where the tree really is
 */
export function unchangedReport(
  { published, sources }: BuildCache,
  place: string,
  options: BuildOptions,
): BuildReport {
  const { updatedAt, issuers, sha256, rootKey, development, bytes, files } = published;
  const { out, updatedAt: requested } = options;
  const checkpoint = readIfThere(place, PATHS.checkpoint);
  return {
    ...{ out, updatedAt, issuers, sha256, rootKey, development, bytes, kept: true },
    ...{ written: 0, unchanged: files, removed: 0, verified: 'nothing', warnings: sources.warnings },
    notes: buildNotes({ out, updatedAt, requested, kept: true, sha256, checkpoint, before: undefined }),
  };
}
