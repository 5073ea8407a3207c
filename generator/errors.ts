import { type Diagnostic, isError } from './diagnostics/diagnostic.js';

/**
 * Everything that the generator throws on purpose. `code` is stable; the message is for people; `exitCode` is what
 * the command line ends with.
 */
export abstract class GeneratorError extends Error {
  /** Stable name of what went wrong. */
  abstract readonly code: string;
  /** Exit code of the command line, as docs/operators.md lists them. */
  abstract readonly exitCode: number;
  /** Where the problems are, if they are in files. */
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
  /** All problems of all files, and the warnings. */
  override readonly diagnostics: readonly Diagnostic[];

  /** @param outcome - what did not happen for that reason */
  constructor(diagnostics: readonly Diagnostic[], outcome = 'nothing was built') {
    const errors = diagnostics.filter(isError).length;
    super(`${errors} ${errors === 1 ? 'problem' : 'problems'} in the records: ${outcome}`);
    this.diagnostics = diagnostics;
  }
}

/** A tree did not stand its own verification. */
export class TreeRejected extends GeneratorError {
  readonly code = 'ERR_TREE_REJECTED';
  readonly exitCode = 1;
}

/** The command was given something that cannot be meant. */
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
    super(`${file} is no configuration: nothing was done`);
    this.diagnostics = diagnostics;
  }
}

/** There is no key to sign with, or not the right one. The message never holds a part of it. */
export class KeyRejected extends GeneratorError {
  readonly code = 'ERR_KEY_REJECTED';
  readonly exitCode = 3;
}

/** Something could not be read, written or fetched. */
export class IoFailed extends GeneratorError {
  readonly code = 'ERR_IO_FAILED';
  readonly exitCode = 4;
}

/** The union of all errors of the generator; its `code` narrows it. */
export type AnyGeneratorError =
  | RecordsRejected
  | TreeRejected
  | UsageError
  | ConfigurationRejected
  | KeyRejected
  | IoFailed;
