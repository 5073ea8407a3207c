import { NoUsableSource, RegistryError } from '@passport-registry/verifier';
import { GeneratorError } from '../../generator/errors.js';
import type { Case, Step } from '../cases/case.js';
import type { Source } from './world.js';

/** What a program says of one step. */
export interface Verdict {
  readonly verdict: 'accept' | 'refuse' | 'crash';
  /** Why it refuses. Several codes are joined with commas. */
  readonly code: string;
  /** What else it says. */
  readonly more: unknown;
}

/** A program of a role, with what it remembers during a case. */
export interface Program {
  see(step: Step, sources: readonly Source[]): Promise<Verdict>;
  /** Ends its work after the last step. */
  end?(): void;
}

/** Starts the program of a role for one case. */
export type StartProgram = (one: Case) => Program;

export const accepted = (more: unknown): Verdict => ({ verdict: 'accept', code: '', more });
export const refused = (code: string, more: unknown): Verdict => ({ verdict: 'refuse', code, more });

/** Makes a verdict of what a program has thrown. An error that is not one of the documented ones is a crash. */
export function verdictOf(error: unknown, more: unknown = null): Verdict {
  if (error instanceof RegistryError || error instanceof GeneratorError) return refused(codeOf(error), more);
  const { name, message, code } = error as NodeJS.ErrnoException;
  return { verdict: 'crash', code: code ?? name, more: message };
}

/** The code of an error: of a client, those of its sources; of a command, also that of the cause. */
export function codeOf(error: unknown): string {
  if (error instanceof NoUsableSource) return Object.values(error.errors).map(codeOf).join(',');
  const { code, cause } = error as { code: string; cause?: unknown };
  return cause instanceof RegistryError ? `${code}:${codeOf(cause)}` : code;
}

/** The first characters of a hash or a thumbprint, which are enough to tell one from another. */
export const short = (text: string | undefined): string => (text ?? '').slice(0, 8);
