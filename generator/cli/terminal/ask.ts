import { UsageError } from '../../errors.js';
import type { Io } from './io.js';

/**
 * Asks a question on the terminal.
 *
 * @param otherwise - what is said where there is no terminal
 * @throws {@link UsageError} there
 */
export async function ask({ stdin, stderr }: Io, question: string, otherwise: string): Promise<string> {
  if (stdin.isTTY !== true) throw new UsageError(otherwise);
  // Not at the start: most commands ask nothing.
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: stdin, output: stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim();
}
