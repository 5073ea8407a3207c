import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

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

const SHOWN_CHARACTERS = 200;
/** The end of what a program has printed to stderr, for the message when it ends. */
const KEPT_CHARACTERS = 2000;
const shortened = (text: string) =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

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
  /** Lines that nobody has read yet. */
  readonly #lines: string[] = [];
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
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-KEPT_CHARACTERS);
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#lines.push(line);
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
    throw new ProgramFault(
      `answers with another id: ${shortened(line)}. Each answer has the id of its message`,
    );
  }

  assertSilent(): void {
    const [line] = this.#lines;
    if (line === undefined) return;
    const { id } = parsed(line);
    throw answeredTwice(typeof id === 'number' ? id : 0);
  }

  end(): void {
    this.#child.stdin.end();
    this.#child.kill('SIGKILL');
  }

  async #nextLine(timeoutMs: number): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = await new Promise<boolean>((resolve) => {
      const look = () => (this.#lines.length > 0 || this.#ended !== undefined) && resolve(false);
      this.#wake = look;
      timer = setTimeout(() => resolve(true), timeoutMs);
      look();
    });
    clearTimeout(timer);
    this.#wake = () => undefined;
    const line = this.#lines.shift();
    if (line !== undefined) return line;
    if (isLate) throw new ProgramFault(`has not answered within ${timeoutMs / 1000} seconds`);
    throw new ProgramFault([this.#ended, ...lastWords(this.#errors)].join(': '));
  }
}

/** What a program has printed when it ended: the line that names an error, or the last line. */
function lastWords(errors: string): string[] {
  const lines = errors.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((one) => /error|exception|panic/i.test(one)) ?? lines.at(-1);
  return line === undefined ? [] : [shortened(line.trim())];
}

const answeredTwice = (id: number) => new ProgramFault('has answered twice: each message has one answer', id);

function parsed(line: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(line);
    if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new ProgramFault(`prints something that is not a JSON object: ${shortened(line)}. Log to stderr`);
}
