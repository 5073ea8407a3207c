import { unwatchFile, watchFile } from 'node:fs';
import type { TrustPolicy } from '@passport-registry/verifier';
import { readPolicy } from '../options/trust-option.js';
import type { Log } from '../terminal/io.js';

/** How often to look for changes. A poll, because a file that a container mounts is replaced through links. */
const INTERVAL_MS = 1000;

/** The policies in files. */
export type PolicyFiles = ReturnType<typeof watchPolicies>;

/**
 * Reads the policies in files, and again when they change. A file that is wrong changes nothing: its last good policy stays.
 *
 * @throws {@link UsageError} | {@link IoFailed} if a file is wrong at the start
 */
export function watchPolicies(files: ReadonlySet<string>, log: Log) {
  const policies = new Map([...files].map((file) => [file, readPolicy(file)]));
  const problems = new Map<string, string>();
  const readAgain = (file: string) => {
    try {
      policies.set(file, readPolicy(file));
      problems.delete(file);
      log('info', 'policy-read', { file });
    } catch (error) {
      const { message } = error as Error;
      problems.set(file, message);
      log('error', 'policy-refused', {
        message,
        remedy: 'the policy before stays in force: fix the file',
      });
    }
  };
  for (const file of files)
    watchFile(file, { interval: INTERVAL_MS, persistent: false }, () => readAgain(file));
  return {
    /** Returns the policy of a file that is in force. */
    get: (file: string) => policies.get(file) as TrustPolicy,
    /** Returns what is wrong with the files, one sentence each. */
    problems: () => [...problems.values()],
    close: () => {
      for (const file of files) unwatchFile(file);
    },
  };
}
