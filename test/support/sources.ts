import type { RegistryFiles } from '@passport-registry/verifier';
import { memorySource, type TreeSource } from 'passport-registry';
import { together } from './statements.js';

/** Files in memory whose statements may be taken apart. */
type Files = ReadonlyMap<string, Buffer>;

/** Returns what `openRegistry` reads. */
export function copyIn(files: Files): RegistryFiles {
  const whole = together(files);
  return { get: async (path) => whole.get(path) };
}

/** Returns what `verifyTree` reads. */
export const treeIn = (files: Files): TreeSource => memorySource(together(files));
