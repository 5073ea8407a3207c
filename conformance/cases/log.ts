import { jcs, utf8 } from './encoding.js';
import type { Files } from './files.js';
import { decodeJwt, type Members } from './jwt.js';
import { type Jwk, key, thumbprintOf } from './keys.js';
import { inclusionPath, leafHash, tileFiles, treeRoot } from './merkle.js';
import { headText, logLine, type NoteSigner, proofText, verifierKey, witnessLine } from './note.js';
import { statementHash } from './statements.js';

export const ORIGIN = 'registry.example/log';

/** The log of a registry (rule public-log). */
export class Log {
  signer: NoteSigner = { key: key('log'), name: ORIGIN, purpose: 'log' };
  readonly witnesses: readonly NoteSigner[];
  readonly entries: Uint8Array[] = [];
  /** The index of the published statement. */
  index = -1;
  /** When the witnesses cosign, in seconds since 1970. Undefined: when the head is written. */
  cosignedAt: number | undefined;
  /** How many witnesses cosign. Undefined: all. */
  cosigning: number | undefined;

  constructor(witnesses: readonly NoteSigner[]) {
    this.witnesses = witnesses;
  }

  copy(): Log {
    const copy = new Log(this.witnesses);
    copy.entries.push(...this.entries);
    copy.signer = this.signer;
    copy.index = this.index;
    copy.cosignedAt = this.cosignedAt;
    copy.cosigning = this.cosigning;
    return copy;
  }

  /** The claim `log` of the publication statement. */
  get claim(): { readonly origin: string; readonly vkey: string } {
    return { origin: this.signer.name, vkey: verifierKey(this.signer) };
  }

  /** Adds any entry, and its statement. */
  add(entry: string, statement: string | undefined, files: Files): void {
    if (statement !== undefined) files.set(`log/statements/${this.entries.length}.jwt`, utf8(statement));
    this.entries.push(utf8(entry));
  }

  addPublication(statement: string, files: Files): void {
    this.add(publicationEntry(statement), statement, files);
    this.index = this.entries.length - 1;
  }

  addRotation(statement: string, files: Files): void {
    this.add(rotationEntry(statement), statement, files);
  }

  /** The newest head, or an earlier one, with its signature lines. */
  head(seconds: number, size = this.entries.length): string {
    const text = headText(this.signer.name, size, treeRoot(this.entries.slice(0, size).map(leafHash)));
    const lines = this.witnesses
      .slice(0, this.cosigning)
      .map((witness) => witnessLine(witness, text, this.cosignedAt ?? seconds));
    return `${text}\n${logLine(this.signer, text)}${lines.join('')}`;
  }

  /** The proof that a head contains an entry. By default, of the published publication, which is the last entry of its head. */
  proof(seconds: number, index = this.index, size = this.index + 1): string {
    const leaves = this.entries.slice(0, size).map(leafHash);
    return proofText(index, inclusionPath(index, leaves), this.head(seconds, size));
  }

  /** Writes the files of the log into a tree. @param seconds - the present time */
  write(files: Files, seconds: number): void {
    for (const path of [...files.keys()]) if (path.startsWith('log/tile/')) files.delete(path);
    for (const [path, bytes] of tileFiles(this.entries)) files.set(path, bytes);
    files.set('log/checkpoint', utf8(this.head(seconds)));
  }
}

/** The entry of a publication statement. @param more - members that are not the usual */
export function publicationEntry(statement: string, more: Members = {}): string {
  const { sha256: list, sequence, updated_at } = decodeJwt(statement).claims;
  return jcs({
    list,
    sequence,
    sha256: statementHash(statement),
    type: 'publication',
    updated_at,
    ...more,
  });
}

/** The entry of a rotation step. @param more - members that are not the usual */
export function rotationEntry(statement: string, more: Members = {}): string {
  const { next_root, step } = decodeJwt(statement).claims;
  const next = thumbprintOf(next_root as Jwk);
  return jcs({ next, sha256: statementHash(statement), step, type: 'rotation', ...more });
}
