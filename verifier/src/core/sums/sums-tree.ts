import { finish, type Steps } from '../bytes/steps.js';
import { recordPath, sumsLine, sumsPath } from './sums-file.js';

/** A record in a tree of sums. */
export interface SummedRecord {
  readonly id: string;
  /** The place of the record: SHA-256 of the id, in lower-case hexadecimal. */
  readonly place: string;
  /** SHA-256 of the record, in lower-case hexadecimal. */
  readonly sha256: string;
}

/** A tree of sums (rule tree-of-sums): the sums files by path, the root first. */
export interface SumsTree {
  readonly levels: number;
  /** SHA-256 of `sums/root`, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Returns SHA-256 in lower-case hexadecimal. Platforms have functions of different speed. */
type Hash = (bytes: Uint8Array) => string;

/**
 * Returns the tree of sums of some records.
 *
 * @param records - sorted by id
 */
export function sumsTree(records: Iterable<SummedRecord>, levels: number, hash: Hash): SumsTree {
  return finish(sumsTreeSteps(records, levels, hash));
}

/** Returns the tree of sums of some records, like {@link sumsTree}, in small steps: one for each record and each file. */
export function* sumsTreeSteps(records: Iterable<SummedRecord>, levels: number, hash: Hash): Steps<SumsTree> {
  let texts = new Map<string, string>();
  for (const { id, place, sha256 } of records) {
    append(texts, place.slice(0, levels), sumsLine(recordPath(id), sha256));
    yield;
  }
  const files: [path: string, bytes: Uint8Array][] = [];
  const encode = new TextEncoder();
  for (let length = levels; length > 0; length--) {
    const above = new Map<string, string>();
    for (const prefix of [...texts.keys()].sort()) {
      const bytes = encode.encode(texts.get(prefix));
      files.push([sumsPath(prefix), bytes]);
      append(above, prefix.slice(0, -1), sumsLine(sumsPath(prefix), hash(bytes)));
      yield;
    }
    texts = above;
  }
  const root = encode.encode(texts.get('') ?? '');
  files.push([sumsPath(''), root]);
  return { levels, sha256: hash(root), files: new Map(files.reverse()) };
}

function append(texts: Map<string, string>, prefix: string, line: string): void {
  texts.set(prefix, (texts.get(prefix) ?? '') + line);
}
