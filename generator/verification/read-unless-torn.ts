import { RegistryError } from '@passport-registry/verifier';
import { Problems, SeenFiles } from './seen-files.js';
import type { TreeSource } from './tree-source.js';

/** How often to read a live host again, if a publication may have happened between two files (rule retries). */
const RETRIES = 2;

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
