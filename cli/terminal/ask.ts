import { printable } from '../../generator/diagnostics/printers/printable.js';
import { UsageError } from '../../generator/errors.js';
import type { Io } from './io.js';

/** Asks one question. */
export type Question = (question: string) => Promise<string>;

/**
 * Asks a question on the terminal.
 *
 * @param otherwise - the message of the error if there is no terminal
 * @throws {@link UsageError} if there is no terminal, or the user presses Ctrl+C or Ctrl+D
 */
export function ask(io: Io, question: string, otherwise: string): Promise<string> {
  return interview(io, otherwise, (asked) => asked(question));
}

/**
 * Asks several questions on the terminal. Lines that the user types or pastes ahead are the answers to the next
 * questions.
 *
 * @param otherwise - the message of the error if there is no terminal
 * @param talk - asks the questions, one after the other
 * @throws {@link UsageError} if there is no terminal, or the user presses Ctrl+C or Ctrl+D
 */
export async function interview<T>(
  { stdin, stderr }: Io,
  otherwise: string,
  talk: (question: Question) => Promise<T>,
): Promise<T> {
  if (stdin.isTTY !== true) throw new UsageError(otherwise);
  // Imported on demand, because most commands ask nothing.
  const { createInterface } = await import('node:readline');
  const terminal = createInterface({ input: stdin, output: stderr });
  const lines = terminal[Symbol.asyncIterator]();
  try {
    return await talk(async (question) => {
      terminal.setPrompt(printable(question));
      terminal.prompt();
      const { done, value } = await lines.next();
      if (!done) return value.trim();
      stderr.write('\n');
      throw new UsageError('no answer was given');
    });
  } finally {
    terminal.close();
  }
}
