import { createInterface } from 'node:readline/promises';
import { UsageError } from '../../errors.js';

/**
 * Asks a question on the terminal.
 *
 * @param otherwise - what is said where there is no terminal
 * @throws {@link UsageError} there
 */
export async function ask(question: string, otherwise: string): Promise<string> {
  if (process.stdin.isTTY !== true) throw new UsageError(otherwise);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim();
}
