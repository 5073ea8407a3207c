import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { shown } from './shown.js';

/** What a program does that is not an answer: it ends, hangs, or prints something else. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault';
  /** The id of the message that was answered twice, if this is the fault. */
  readonly answeredTwice: number | undefined;

  constructor(message: string, answeredTwice?: number) {
    super(message);
    this.answeredTwice = answeredTwice;
  }
}

/** The most that a program may print before it is read: more than any answer needs. */
const MAX_UNREAD_CHARACTERS = 2 ** 20;
/** How deep an answer may nest. `JSON.stringify` overflows the stack at some thousand levels. */
const MAX_DEPTH = 16;
/** How long the runner waits for the output of a program that has ended. */
const LAST_OUTPUT_MS = 200;
/** The end of what a program has printed to stderr, for the message when it ends. */
const KEPT_CHARACTERS = 2000;

/** What the runner shows cases to: a process, or verifiers in this process. */
export interface Program {
  /**
   * Sends a message, and returns the answer with its `id`.
   *
   * @throws {@link ProgramFault}
   */
  ask(message: { readonly id: number }, timeoutMs: number): Promise<Record<string, unknown>>;
  /** @throws {@link ProgramFault} if the program has printed something that nobody has asked for */
  assertSilent(): void;
  /** Ends the program, and whatever it hangs in. */
  end(): void;
}

/** A running program. It gets one line at a time, and answers each with one line. */
export class ChildProgram implements Program {
  readonly #child: ChildProcessWithoutNullStreams;
  /** The output that has not been read yet. */
  #unread = '';
  #errors = '';
  #ended: string | undefined;
  #wake: () => void = () => undefined;

  constructor([command = '', ...args]: readonly string[]) {
    this.#child = spawn(command, args, { stdio: 'pipe' });
    const end = (why: string) => {
      this.#ended ??= why;
      this.#wake();
    };
    this.#child.on('error', ({ message }) => end(`does not start: ${message}`));
    this.#child.on('close', (code, signal) => end(`has ended with ${signal ?? code}`));
    // A process that the program leaves behind can keep its output open, so that `close` never comes.
    this.#child.on('exit', (code, signal) => {
      setTimeout(end, LAST_OUTPUT_MS, `has ended with ${signal ?? code}`).unref();
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-KEPT_CHARACTERS);
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.#unread += text;
      if (this.#unread.length > MAX_UNREAD_CHARACTERS) {
        this.#child.stdout.destroy();
        end('has printed more than 1 MiB without being asked');
      }
      this.#wake();
    });
  }

  async ask(message: { readonly id: number }, timeoutMs: number): Promise<Record<string, unknown>> {
    this.assertSilent();
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    const line = await this.#nextLine(timeoutMs);
    const answer = parsed(line);
    const { id } = answer;
    if (id === message.id) return answer;
    if (typeof id === 'number' && id < message.id) throw answeredTwice(id);
    throw new ProgramFault(`answers with another id: ${shown(line)}. Each answer has the id of its message`);
  }

  assertSilent(): void {
    const line = this.#takeLine();
    if (line === undefined) return;
    const { id } = parsed(line);
    throw answeredTwice(typeof id === 'number' ? id : 0);
  }

  end(): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    this.#child.kill('SIGKILL');
  }

  /** Takes the oldest line from the output. */
  #takeLine(): string | undefined {
    const end = this.#unread.indexOf('\n');
    if (end < 0) return undefined;
    const line = this.#unread.slice(0, end);
    this.#unread = this.#unread.slice(end + 1);
    return line;
  }

  async #nextLine(timeoutMs: number): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = await new Promise<boolean>((resolve) => {
      const look = () => (this.#unread.includes('\n') || this.#ended !== undefined) && resolve(false);
      this.#wake = look;
      timer = setTimeout(() => resolve(true), timeoutMs);
      look();
    });
    clearTimeout(timer);
    this.#wake = () => undefined;
    const line = this.#takeLine();
    if (line !== undefined) return line;
    if (isLate) throw new ProgramFault(`has not answered within ${timeoutMs / 1000} seconds`);
    throw new ProgramFault([this.#ended, ...lastWords(this.#errors)].join(': '));
  }
}

/** What a program has printed when it ended: the line that names an error, or the last line. */
function lastWords(errors: string): string[] {
  const lines = errors.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((one) => /error|exception|panic/i.test(one)) ?? lines.at(-1);
  return line === undefined ? [] : [shown(line.trim())];
}

const answeredTwice = (id: number) => new ProgramFault('has answered twice: each message has one answer', id);

function parsed(line: string): Record<string, unknown> {
  let answer: unknown;
  try {
    answer = JSON.parse(line);
  } catch {
    // Told below.
  }
  if (typeof answer !== 'object' || answer === null)
    throw new ProgramFault(`prints something that is not a JSON object: ${shown(line)}. Log to stderr`);
  if (!isWithinDepth(answer, MAX_DEPTH))
    throw new ProgramFault(`answers with more than ${MAX_DEPTH} levels of JSON: ${shown(line)}`);
  return answer as Record<string, unknown>;
}

const isWithinDepth = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((one) => isWithinDepth(one, levels - 1)));
