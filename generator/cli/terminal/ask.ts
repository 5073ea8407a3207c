import { UsageError } from '../../errors.js';
import type { Io } from './io.js';

/**
 * Asks a question on the terminal.
 *
 * @param otherwise - the message of the error if there is no terminal
 * @throws {@link UsageError} if there is no terminal
 */
export async function ask({ stdin, stderr }: Io, question: string, otherwise: string): Promise<string> {
  if (stdin.isTTY !== true) throw new UsageError(otherwise);
  // Imported on demand, because most commands ask nothing.
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: stdin, output: stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim();
}
