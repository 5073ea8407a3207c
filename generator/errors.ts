import { type Diagnostic, isError } from './diagnostics/diagnostic.js';

/** What an error has besides its message. */
export interface ErrorDetails {
  readonly cause?: unknown;
  /** Where the documents say more: a path and an anchor below the root of the package, such as `docs/holders.md#sign`. */
  readonly see?: string | undefined;
}

/**
 * The base class of all errors that the generator throws deliberately. `code` is stable, the message is one sentence for people, and
 * `exitCode` is the exit code of the command line.
 */
export abstract class GeneratorError extends Error {
  /** The stable name of the error. */
  abstract readonly code: string;
  /** The exit code of the command line. docs/operators/status.md lists all exit codes. */
  abstract readonly exitCode: number;
  /** The problems with their positions, if they are in files. */
  readonly diagnostics?: readonly Diagnostic[];
  /** Where the documents say more. Undefined if the message says all. */
  readonly see: string | undefined;

  constructor(message: string, options: ErrorDetails = {}) {
    super(message, options);
    this.name = new.target.name;
    this.see = options.see;
  }
}

/** Makes a handler for `catch` that answers one kind of error with undefined. */
export function ignoring(kind: abstract new (...parts: never[]) => Error): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof kind)) throw error;
  };
}

/** Where the documents tell how to get the published tree. */
export const LOAD_FIRST = { see: 'docs/operators/publish.md#the-published-tree' };

/** The records have problems; nothing was built. */
export class RecordsRejected extends GeneratorError {
  readonly code = 'ERR_RECORDS_REJECTED';
  readonly exitCode = 1;
  /** The errors and warnings of all files. */
  override readonly diagnostics: readonly Diagnostic[];

  /** @param outcome - the consequence, for the end of the message */
  constructor(diagnostics: readonly Diagnostic[], outcome = 'nothing was built') {
    const errors = diagnostics.filter(isError).length;
    super(`${errors} ${errors === 1 ? 'problem' : 'problems'} in the records: ${outcome}`);
    this.diagnostics = diagnostics;
  }
}

/** A tree failed its verification. */
export class TreeRejected extends GeneratorError {
  readonly code = 'ERR_TREE_REJECTED';
  readonly exitCode = 1;
}

/**
 * The registry's URL or a witness shows a publication or a hold that the output folder lacks, or the published list has a
 * suspension that old records lack. Nothing was signed.
 */
export class AlreadyPublished extends GeneratorError {
  readonly code = 'ERR_ALREADY_PUBLISHED';
  readonly exitCode = 1;

  constructor(message: string) {
    super(message, LOAD_FIRST);
  }
}

/** The command cannot run with these arguments or inputs. */
export class UsageError extends GeneratorError {
  readonly code = 'ERR_USAGE';
  readonly exitCode = 2;
}

/** The configuration file has problems; nothing was done. */
export class ConfigurationRejected extends GeneratorError {
  readonly code = 'ERR_CONFIGURATION_REJECTED';
  readonly exitCode = 2;
  override readonly diagnostics: readonly Diagnostic[];

  constructor(file: string, diagnostics: readonly Diagnostic[]) {
    super(`${file} is not a valid configuration: nothing was done`);
    this.diagnostics = diagnostics;
  }
}

/** The signing key is missing or not acceptable. The message never contains any part of the key. */
export class KeyRejected extends GeneratorError {
  readonly code = 'ERR_KEY_REJECTED';
  readonly exitCode = 3;
  /** Whether another key than the root key was needed, such as the online key. */
  readonly isOtherKey: boolean;

  constructor(message: string, options: ErrorDetails & { readonly isOtherKey?: boolean } = {}) {
    super(message, options);
    this.isOtherKey = options.isOtherKey === true;
  }
}

/** The stable names of what can be wrong with a signing request. */
export type RequestFault =
  /** The request follows an older publication or rotation than this machine knows. */
  | 'ERR_REQUEST_OUTDATED'
  /** The request has a payload of a type that this version cannot show. */
  | 'ERR_REQUEST_UNKNOWN'
  /** A payload is not what it must be, computed from the rest of the request. */
  | 'ERR_REQUEST_PAYLOAD';

/** A signing request that must not be signed or published. */
export class RequestRejected extends GeneratorError {
  readonly code: RequestFault;
  readonly exitCode: number;

  constructor(code: RequestFault, message: string, options?: ErrorDetails) {
    super(message, { see: 'docs/operators/offline.md#what-sign-and-attach-check', ...options });
    this.code = code;
    this.exitCode = code === 'ERR_REQUEST_PAYLOAD' ? 1 : 2;
  }
}

/** Something could not be read, written or fetched. */
export class IoFailed extends GeneratorError {
  readonly code = 'ERR_IO_FAILED';
  readonly exitCode = 4;
}

/** The union of all errors of the generator. TypeScript narrows the union by `code`. */
export type AnyGeneratorError =
  | RecordsRejected
  | TreeRejected
  | AlreadyPublished
  | UsageError
  | ConfigurationRejected
  | KeyRejected
  | RequestRejected
  | IoFailed;
