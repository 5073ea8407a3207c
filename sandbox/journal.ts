import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { canonicalBytes, type Passport, type PublicJwk } from '@passport-registry/verifier';
import type { PrivateJwk } from './signing-key.js';

/** Something that the issuer has done. */
export type IssuerEvent =
  | { readonly event: 'key-created'; readonly kid: string; readonly public_key: PublicJwk }
  | { readonly event: 'key-retired'; readonly kid: string }
  | { readonly event: 'passport-issued'; readonly passport: Passport }
  | {
      readonly event: 'passport-suspended' | 'passport-reinstated' | 'passport-revoked';
      readonly passport_did: string;
    };

/** An event in its place. Each entry names the hash of the one before it. */
export type AuditEntry = IssuerEvent & {
  /** From 1. */
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string;
  /** SHA-256 of the canonical bytes of the entry before, hexadecimal. */
  readonly previous: string;
};

/** A line of the file. Only here does a private key stand beside its event; the audit log has the entry alone. */
interface Line {
  readonly entry: AuditEntry;
  readonly secret?: PrivateJwk;
}

/** What happened, with the private key that it brought. */
export interface Recorded {
  readonly entry: AuditEntry;
  readonly secret: PrivateJwk | undefined;
}

/** The journal is damaged, in use, or cannot be written. */
export class JournalError extends Error {}

const CLOSED = 'is closed';
const NOTHING = '0'.repeat(64);

/**
 * What the issuer has done, in order: its whole state, and its audit log. With a file, an event counts once it is on
 * the disk, so that a process that is killed loses nothing that it has answered for.
 */
export class Journal {
  readonly #entries: AuditEntry[] = [];
  readonly #file: JournalFile | undefined;
  #last = NOTHING;

  /**
   * @param path - undefined for a journal in memory
   * @param replay - is given everything that is there already
   * @throws {@link JournalError}
   */
  constructor(path: string | undefined, replay: (recorded: Recorded) => void) {
    if (path === undefined) return;
    this.#file = new JournalFile(path);
    try {
      for (const { entry, secret } of this.#file.lines) {
        this.#check(entry, path);
        this.#append(entry);
        replay({ entry, secret });
      }
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Records an event, and gives it back in its place. */
  record(event: IssuerEvent, at: Date, secret?: PrivateJwk): AuditEntry {
    const seq = this.#entries.length + 1;
    const entry: AuditEntry = { seq, at: at.toISOString(), ...event, previous: this.#last };
    this.#file?.append({ entry, ...(secret !== undefined && { secret }) });
    this.#append(entry);
    return entry;
  }

  /** Entries after one, oldest first. */
  after(seq: number, limit: number): readonly AuditEntry[] {
    return this.#entries.slice(seq, seq + limit);
  }

  close(): void {
    this.#file?.close();
  }

  #append(entry: AuditEntry): void {
    this.#entries.push(entry);
    this.#last = createHash('sha256').update(canonicalBytes(entry)).digest('hex');
  }

  #check(entry: AuditEntry, path: string): void {
    const seq = this.#entries.length + 1;
    if (entry?.seq !== seq || entry.previous !== this.#last) {
      throw new JournalError(`${path}: entry ${seq} does not follow the one before: the journal was altered`);
    }
  }
}

/** The file: one line of JSON an event, appended and never changed. Only its owner may read it. */
class JournalFile {
  readonly lines: readonly Line[];
  readonly #path: string;
  readonly #fd: number;
  #size: number;
  #broken: string | undefined;

  constructor(path: string) {
    this.#path = path;
    lock(path);
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile() === false) throw new JournalError(`${path} is no file`);
      const text = found === undefined ? '' : readFileSync(path, 'utf8');
      // A last line without its end was never answered for.
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      this.lines = whole
        .split('\n')
        .slice(0, -1)
        .map((line, index) => parseLine(line, index, path));
      this.#fd = openSync(path, 'a', 0o600);
      this.#size = Buffer.byteLength(whole);
      ftruncateSync(this.#fd, this.#size);
    } catch (cause) {
      unlock(path);
      if (cause instanceof JournalError) throw cause;
      throw new JournalError(`${path} cannot be opened: ${(cause as Error).message}`, { cause });
    }
  }

  append(line: Line): void {
    if (this.#broken !== undefined) throw new JournalError(`${this.#path} ${this.#broken}`);
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
      fdatasyncSync(this.#fd);
      this.#size += bytes.length;
    } catch (cause) {
      this.#undo();
      throw new JournalError(`${this.#path} cannot be written: ${(cause as Error).message}`, { cause });
    }
  }

  /** Half a line in the middle of the file would make all that follows unreadable. */
  #undo(): void {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      this.#broken = 'could not be written before';
    }
  }

  /** From here on every write is refused: the number of the file may soon be that of another one. */
  close(): void {
    if (this.#broken === CLOSED) return;
    this.#broken = CLOSED;
    closeSync(this.#fd);
    unlock(this.#path);
  }
}

function parseLine(line: string, index: number, path: string): Line {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new JournalError(`${path}:${index + 1}: this line is not JSON: the journal is damaged`, { cause });
  }
}

const lockFile = (path: string) => `${path}.lock`;

/** Two processes that append to one journal would break its chain. A lock that a killed process left is taken over. */
function lock(path: string): void {
  const file = lockFile(path);
  if (existsSync(file) && isRunning(Number(readFileSync(file, 'utf8')))) {
    throw new JournalError(`${path} is in use by another process (${file})`);
  }
  try {
    if (existsSync(file)) unlinkSync(file);
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (cause) {
    throw new JournalError(`${path} cannot be locked: ${(cause as Error).message}`, { cause });
  }
}

function unlock(path: string): void {
  if (existsSync(lockFile(path))) unlinkSync(lockFile(path));
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
