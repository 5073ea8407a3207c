import { type Diagnostic, isError } from './diagnostics/diagnostic.js';

/**
 * The base class of all errors that the generator throws deliberately. `code` is stable, the message is for people, and
 * `exitCode` is the exit code of the command line.
 */
export abstract class GeneratorError extends Error {
  /** The stable name of the error. */
  abstract readonly code: string;
  /** The exit code of the command line. docs/operators.md lists all exit codes. */
  abstract readonly exitCode: number;
  /** The problems with their positions, if they are in files. */
  readonly diagnostics?: readonly Diagnostic[];

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

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
  | UsageError
  | ConfigurationRejected
  | KeyRejected
  | IoFailed;
