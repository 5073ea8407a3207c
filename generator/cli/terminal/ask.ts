import { UsageError } from '../../errors.js';
import type { Io } from './io.js';

/**
 * Asks a question on the terminal.
 *
 * @param otherwise - the message of the error if there is no terminal
 * @throws {@link UsageError} if there is no terminal, or the user presses Ctrl+C or Ctrl+D
 */
export async function ask({ stdin, stderr }: Io, question: string, otherwise: string): Promise<string> {
  if (stdin.isTTY !== true) throw new UsageError(otherwise);
  // Imported on demand, because most commands ask nothing.
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: stdin, output: stderr });
  // Without a signal, the question stays pending if the input ends, as when the terminal is closed (nodejs/node#53497).
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  try {
    return (await terminal.question(question, { signal: closed.signal })).trim();
  } catch (cause) {
    stderr.write('\n');
    throw new UsageError('no answer was given', { cause });
  } finally {
    terminal.close();
  }
}
