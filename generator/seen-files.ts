import { expectedType } from './host-files.js';
import type { FoundFile, TreeSource } from './tree-source.js';

/** Problems of a check, all at once. */
export class Problems extends Error {
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super(texts.join('; '));
    this.texts = texts;
  }
}

/** Fails a check that has found problems. */
export function failIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new Problems(problems);
}

/** The files of the source, each asked for once, so that all checks judge the same bytes. */
export class SeenFiles {
  readonly source: TreeSource;
  readonly #found = new Map<string, Promise<FoundFile | undefined>>();
  readonly #types = new Map<string, string | undefined>();

  constructor(source: TreeSource) {
    this.source = source;
  }

  async get(path: string): Promise<Uint8Array | undefined> {
    let found = this.#found.get(path);
    if (found === undefined) {
      found = this.source.get(path);
      this.#found.set(path, found);
    }
    const file = await found;
    if (file !== undefined) this.#types.set(path, file.contentType);
    return file?.bytes;
  }

  async require(path: string): Promise<Uint8Array> {
    const bytes = await this.get(path);
    if (bytes === undefined) throw new Problems([`${path} is missing`]);
    return bytes;
  }

  assertTypes(): void {
    const problems: string[] = [];
    for (const [path, type] of this.#types) {
      const expected = expectedType(path);
      const served = type?.split(';')[0]?.trim().toLowerCase();
      if (expected !== undefined && served !== expected) {
        problems.push(`${path} is served as ${type ?? 'no type at all'}, expected ${expected}`);
      }
    }
    failIfAny(problems);
  }
}
