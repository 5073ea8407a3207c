import { RegistryError } from '@passport-registry/verifier';
import { IoFailed } from '../errors.js';
import { isUnreachable } from './network-failure.js';
import { Problems, type SeenFiles } from './seen-files.js';

/** The checks of a verification, in order. */
export const CHECKS = [
  'root key',
  'rotation',
  'signature',
  'schema',
  'order',
  'canonical form',
  'records',
  'publication',
  'sums',
  'about',
  'log',
  'checksums',
  'lists',
  'changes',
  'delegation',
  'checkpoint',
  'statements',
  'freshness',
  'unknown id',
  'content types',
  'client',
] as const;

type CheckName = (typeof CHECKS)[number];

/** The outcome of one check. A skipped check never counts as passed. */
export interface Check {
  readonly name: CheckName;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** Why the check failed, as a stable code. docs/protocol/publishers.md#auditor-codes lists the codes. Undefined unless it failed. */
  readonly code?: string;
  /** The problems found, or why the check was skipped. */
  readonly problems: readonly string[];
}

/** Returns the code of a failed check: that of the verifier or of the disk, or else that of the check itself. */
function codeOf(name: CheckName, error: RegistryError | IoFailed | Problems): string {
  return error instanceof Problems ? `ERR_AUDIT_${name.toUpperCase().replaceAll(' ', '_')}` : error.code;
}

/** The checks of one verification: those that were run, and why others were not. */
export class CheckList {
  readonly #files: SeenFiles;
  readonly #run: Check[] = [];
  readonly #skipped = new Map<CheckName, string>();
  /** Whether every failed check failed because the source did not respond. */
  #onlyUnreachable = true;

  constructor(files: SeenFiles) {
    this.#files = files;
  }

  /** Runs a check. An expected error is a failed check, for which the result is undefined. */
  async run<T>(name: CheckName, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      this.#run.push({ name, result: 'passed', problems: [] });
      return value;
    } catch (error) {
      const expected =
        error instanceof RegistryError || error instanceof IoFailed || error instanceof Problems;
      if (!expected) throw error;
      if (!isUnreachable(error)) this.#onlyUnreachable = false;
      const problems = error instanceof Problems ? error.texts : [error.message];
      this.#run.push({ name, result: 'failed', code: codeOf(name, error), problems });
      return undefined;
    }
  }

  /** Runs a check of a file that is optional, if the tree has the file. */
  async runIfThere<T>(name: CheckName, path: string, work: () => Promise<T>): Promise<T | undefined> {
    if (await fileExists(this.#files, path)) return this.run(name, work);
    this.skip(name, `the tree has no ${path}`);
    return undefined;
  }

  /** Gives the reason to report if a check does not run. */
  skip(name: CheckName, why: string): void {
    this.#skipped.set(name, why);
  }

  get failed(): readonly Check[] {
    return this.#run.filter(({ result }) => result === 'failed');
  }

  /** Whether checks failed, and all of them because the source did not respond. */
  get unreachable(): boolean {
    return this.failed.length > 0 && this.#onlyUnreachable;
  }

  /** Returns the result of a check. Undefined if it was not run. */
  resultOf(name: CheckName): Check['result'] | undefined {
    return this.#run.find((check) => check.name === name)?.result;
  }

  /** Returns all checks in order. Checks that did not run are skipped. */
  complete(): Check[] {
    const why = (name: CheckName) =>
      this.#skipped.get(name) ??
      (this.unreachable ? 'the source cannot be reached' : 'an earlier check failed');
    return CHECKS.map(
      (name): Check =>
        this.#run.find((check) => check.name === name) ?? { name, result: 'skipped', problems: [why(name)] },
    );
  }
}

/** Whether a file exists. An unreadable file counts as existing. */
export async function fileExists(files: SeenFiles, path: string): Promise<boolean> {
  try {
    return (await files.get(path)) !== undefined;
  } catch (error) {
    if (error instanceof IoFailed) return true;
    throw error;
  }
}
