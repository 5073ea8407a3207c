import { printable } from '../../generator/diagnostics/printable.js';
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

const ENTER = ['\r', '\n'];
const INTERRUPT = '\u0003';
/** Ctrl+D: the end of the input. */
const END = '\u0004';
const ERASE = ['\u0008', '\u007f'];

/**
 * Asks for the passphrase of a key on the terminal, without echo.
 *
 * @param asked - the question, and the option that names a file with the passphrase instead
 * @throws {@link UsageError} if there is no terminal, or the user presses Ctrl+C or Ctrl+D
 */
export function askPassphrase(
  { stdin, stderr }: Io,
  source: string,
  { question, option = '--passphrase-file' }: { readonly question: string; readonly option?: string },
): Promise<string> {
  if (stdin.isTTY !== true) {
    throw new UsageError(`${source} is encrypted, and there is no terminal to ask: give ${option}`);
  }
  // Before the question, so that nothing that is typed is shown.
  stdin.setRawMode?.(true);
  stderr.write(printable(`${question}: `));
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (settle: () => void) => {
      stdin.off('data', read).off('end', giveUp).pause();
      stdin.setRawMode?.(false);
      stderr.write('\n');
      settle();
    };
    const giveUp = () => end(() => reject(new UsageError('no passphrase was given')));
    const read = (text: string) => {
      const characters = [...text];
      for (const [index, character] of characters.entries()) {
        if (character === INTERRUPT || (character === END && typed === '')) return giveUp();
        if (character === END || ENTER.includes(character)) {
          // What is typed or pasted ahead is the answer to the next question.
          const ahead = characters.slice(index + 1).join('');
          return end(() => {
            if (ahead !== '') stdin.unshift(ahead);
            resolve(typed);
          });
        }
        typed = ERASE.includes(character) ? typed.slice(0, -1) : typed + character;
      }
    };
    stdin.setEncoding('utf8').on('data', read).once('end', giveUp).resume();
  });
}
