import { unwatchFile, watchFile } from 'node:fs';
import type { TrustPolicy } from '@passport-registry/verifier';
import { readPolicy } from '../options/trust-option.js';
import type { Log } from './log.js';

/** How often to look for changes. A poll, because a file that a container mounts is replaced through links. */
const INTERVAL_MS = 1000;

/** The policies in files, read again when they change. A file that is wrong changes nothing: its last good policy stays. */
export class PolicyFiles {
  readonly #policies = new Map<string, TrustPolicy>();
  readonly #problems = new Map<string, string>();
  readonly #log: Log;

  /** @throws {@link UsageError} | {@link IoFailed} if a file is wrong at the start */
  constructor(files: ReadonlySet<string>, log: Log) {
    this.#log = log;
    for (const file of files) this.#policies.set(file, readPolicy(file));
    for (const file of files)
      watchFile(file, { interval: INTERVAL_MS, persistent: false }, () => this.#readAgain(file));
  }

  /** Returns the policy of a file that is in force. */
  get(file: string): TrustPolicy {
    return this.#policies.get(file) as TrustPolicy;
  }

  /** What is wrong with the files, one sentence each. */
  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  close(): void {
    for (const file of this.#policies.keys()) unwatchFile(file);
  }

  #readAgain(file: string): void {
    try {
      this.#policies.set(file, readPolicy(file));
      this.#problems.delete(file);
      this.#log('info', 'policy-read', { file });
    } catch (error) {
      const { message } = error as Error;
      this.#problems.set(file, message);
      this.#log('error', 'policy-refused', {
        message,
        remedy: 'the policy before stays in force: fix the file',
      });
    }
  }
}
