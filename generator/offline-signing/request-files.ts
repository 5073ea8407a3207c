import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitOf } from '@passport-registry/verifier/internal';
import { IoFailed, UsageError } from '../errors.js';
import { readBytes } from '../files/read-file.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';

/**
 * The files in the folder of a signing request. Two of them are signed, byte by byte, by `sign`, by a command or by any
 * other tool. Each has its signature beside it.
 */
export const REQUEST_FILES = {
  /** The list to sign. */
  list: PATHS.list,
  signature: PATHS.signature,
  /** The publication statement to sign: header and claims of the JWT (RFC 7515, JWS Signing Input). */
  statement: 'publication.signing-input',
  statementSignature: 'publication.sig',
  /** What the request changes, in words, for people. */
  changes: 'CHANGES.txt',
} as const;

/** The folder of the publication that the request follows. */
const PREVIOUS = 'previous';

/** The publication that a request follows, as it is published. */
export interface PreviousFiles {
  readonly list: Buffer;
  readonly signature: string;
  /** The content of publication.jwt; undefined if an older version built the tree. */
  readonly statement: Buffer | undefined;
}

/** What there is to sign. */
export interface RequestedFiles {
  readonly list: Buffer;
  /** The text of `publication.signing-input`. */
  readonly statement: string;
  readonly previous: PreviousFiles | undefined;
}

/** Reads the folder of a signing request, and verifies nothing. @throws {@link UsageError} | {@link IoFailed} */
export function readRequestFiles(folder: string): RequestedFiles {
  const list = readFile(limitOf(PATHS.list), folder, REQUEST_FILES.list);
  if (list === undefined) throw new UsageError(`${folder} is not a signing request: it has no ${PATHS.list}`);
  const statement = readFile(limitOf(PATHS.publication), folder, REQUEST_FILES.statement);
  if (statement === undefined) {
    throw new UsageError(
      `${folder} has no ${REQUEST_FILES.statement}, so an older version of this program has written it: make a new request`,
    );
  }
  return { list, statement: statement.toString('latin1'), previous: readPrevious(folder) };
}

function readPrevious(folder: string): PreviousFiles | undefined {
  const read = (path: string) => readFile(limitOf(path), folder, PREVIOUS, path);
  const list = read(PATHS.list);
  if (list === undefined) return undefined;
  const signature = read(PATHS.signature)?.toString('utf8') ?? '';
  return { list, signature, statement: read(PATHS.publication) };
}

/** Returns the SHA-256, in hexadecimal, of the list that a request follows; undefined for a first list. */
export function followedList({ previous }: RequestedFiles): string | undefined {
  return previous && sha256(previous.list);
}

function readFile(maxBytes: number, ...path: string[]): Buffer | undefined {
  const file = join(...path);
  return existsSync(file) ? readBytes(file, maxBytes) : undefined;
}

/** The files of a new request. */
export interface NewRequest extends RequestedFiles {
  /** The text of issuers.sig if the list is unchanged, and so needs no signature. */
  readonly signature: string | undefined;
  /** The content of CHANGES.txt. */
  readonly changes: string;
}

/** Writes a new folder with a signing request. @throws {@link UsageError} if the folder exists; {@link IoFailed} */
export function writeRequestFiles(folder: string, request: NewRequest): void {
  if (existsSync(folder)) throw new UsageError(`${folder} exists; name a new folder for the signing request`);
  const { list, signature, statement, changes, previous } = request;
  const write = (path: string, content: Uint8Array | string | undefined) => {
    if (content !== undefined) writeFileSync(join(folder, path), content);
  };
  try {
    mkdirSync(folder, { recursive: true });
    write(REQUEST_FILES.list, list);
    write(REQUEST_FILES.signature, signature);
    write(REQUEST_FILES.statement, statement);
    write(REQUEST_FILES.changes, changes);
    if (previous === undefined) return;
    mkdirSync(join(folder, PREVIOUS));
    write(join(PREVIOUS, PATHS.list), previous.list);
    write(join(PREVIOUS, PATHS.signature), previous.signature);
    write(join(PREVIOUS, PATHS.publication), previous.statement);
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
