import { existsSync, realpathSync } from 'node:fs';
import { withStaging } from './staging.js';

/** The folder of a tree, while one build has it to itself. */
export interface OutputFolder {
  readonly out: string;
  /** A folder beside it, on the same file system, that is gone afterwards. */
  readonly staging: string;
}

/** Runs some work on an output folder while no other build touches it. @throws {@link IoFailed} when one is at work */
export function onOutput<T>(out: string, work: (place: OutputFolder) => Promise<T>): Promise<T> {
  // Behind a link the tree itself is what is switched, from beside where it really is.
  const real = existsSync(out) ? realpathSync(out) : out;
  return withStaging(real, (staging) => work({ out: real, staging }));
}
