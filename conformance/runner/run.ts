import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case, Right, Role, ShownTree, Step } from '../cases/case.js';
import type { Files } from '../cases/files.js';
import { filesOf } from '../cases/make-case.js';
import { LoopbackHost } from './host.js';
import { type Program, ProgramFault } from './program.js';
import { shown } from './shown.js';
import { write } from './write-case.js';

/** The version of what runner and program say to each other. */
const PROTOCOL = 1;

/** The outcome of a case. `expected` is a failure that the program is known for, `surprise` a case that passes although it is listed. */
export type Outcome = 'passed' | 'failed' | 'skipped' | 'expected' | 'surprise';

export interface CaseResult {
  readonly id: string;
  readonly rule: string;
  readonly outcome: Outcome;
  /** What is wrong, in words. */
  readonly message?: string;
  /** The second grade: how many refusals had the code of the protocol, and how many had to. */
  readonly codes: readonly [right: number, all: number];
  /** What the program said in place of such a code. */
  readonly otherCodes?: string;
  readonly seconds: number;
}

/** What a program says of itself. */
interface Handshake {
  readonly name: string;
  readonly roles: readonly string[];
  readonly algorithms: readonly string[];
}

export interface RunOptions {
  readonly role: Role;
  /** Starts the program, also anew after a fault. */
  readonly start: () => Program;
  /** Ids of cases that the program is known to fail. */
  readonly xfails: ReadonlySet<string>;
  /** How long a program may take for an answer. */
  readonly timeoutMs: number;
  /** Gets what the program has said of each step. */
  readonly onAnswer?: (answer: Recorded) => void;
}

/** A line of a recording. Other members are those of the answer. */
export interface Recorded {
  readonly case: string;
  readonly step: number;
  readonly [member: string]: unknown;
}

export interface RunResult {
  readonly program: Handshake;
  readonly results: readonly CaseResult[];
}

/** The codes of the refusals of a case. */
interface Codes {
  readonly counted: [right: number, all: number];
  readonly others: string[];
}

/** The program cannot be run at all. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

/** The least time that a program has to start. */
const START_MS = 30_000;
/** The deadline of a client, where a host never answers. */
const SHORT_DEADLINE_SECONDS = 2;
const DEADLINE_SECONDS = 15;
const LAST_WORDS_MS = 50;

/** Shows cases to a program. A case without what is right passes with any verdict. @throws {@link CannotRun} */
export async function run(cases: readonly Case[], options: RunOptions): Promise<RunResult> {
  const runner = new Runner(options, await LoopbackHost.start());
  try {
    const program = await runner.begin();
    for (const one of cases) await runner.judge(one);
    await runner.finish();
    return { program, results: runner.results };
  } finally {
    runner.close();
  }
}

class Runner {
  readonly results: CaseResult[] = [];
  readonly #options: RunOptions;
  readonly #host: LoopbackHost;
  readonly #folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  #handshake: Handshake = { name: '', roles: [], algorithms: [] };
  #program: Program | undefined;
  #id = 0;
  /** The place of the case in the results, by the id of the message. */
  readonly #asked = new Map<number, number>();

  constructor(options: RunOptions, host: LoopbackHost) {
    this.#options = options;
    this.#host = host;
  }

  /** Starts the program for the first time. */
  async begin(): Promise<Handshake> {
    try {
      await this.#running();
    } catch (error) {
      if (error instanceof ProgramFault) throw new CannotRun(`the program ${error.message}`);
      throw error;
    }
    return this.#handshake;
  }

  async judge(one: Case): Promise<void> {
    const { id, rule } = one;
    const started = performance.now();
    const codes: Codes = { counted: [0, 0], others: [] };
    let message: string | undefined;
    if (one.needs !== undefined && !this.#handshake.algorithms.includes(one.needs)) {
      const message = `needs ${one.needs}`;
      this.results.push({ id, rule, outcome: 'skipped', message, codes: [0, 0], seconds: 0 });
      return;
    }
    try {
      message = await this.#steps(one, codes);
    } catch (error) {
      if (!(error instanceof ProgramFault)) throw error;
      message = `the program ${error.message}`;
      this.#restart();
    }
    rmSync(this.#caseFolder, { recursive: true, force: true });
    const isListed = this.#options.xfails.has(id);
    const outcome =
      message === undefined ? (isListed ? 'surprise' : 'passed') : isListed ? 'expected' : 'failed';
    const seconds = Math.round(performance.now() - started) / 1000;
    this.results.push({
      ...{ id, rule, outcome },
      ...(message !== undefined && { message }),
      codes: codes.counted,
      ...(codes.others.length > 0 && { otherCodes: codes.others.join('; ') }),
      seconds,
    });
  }

  /** Waits a moment for what the program has not been asked for. */
  async finish(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
    try {
      this.#assertSilent();
    } catch (error) {
      if (!(error instanceof ProgramFault)) throw error;
      this.#fail(this.results.length - 1, error);
    }
  }

  close(): void {
    this.#restart();
    this.#host.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #caseFolder(): string {
    return join(this.#folder, 'case');
  }

  /** Returns what is wrong with the first wrong answer. */
  async #steps(one: Case, codes: Codes): Promise<string | undefined> {
    this.#assertSilent();
    const prefix = String(this.#id);
    for (const [at, step] of one.steps.entries()) {
      let answer: Record<string, unknown>;
      try {
        const program = await this.#running();
        const message = this.#messageOf(one, step, { at, prefix });
        this.#id += 1;
        this.#asked.set(this.#id, this.results.length);
        answer = await program.ask({ id: this.#id, ...message }, this.#options.timeoutMs);
      } catch (error) {
        // The program has answered an earlier case once more. That case is at fault, and this one begins anew.
        if (!this.#blame(error)) throw error;
        Object.assign(codes, { counted: [0, 0], others: [] });
        return this.#steps(one, codes);
      }
      const { id: _id, ...said } = answer;
      this.#options.onAnswer?.({ case: one.id, step: at, ...said });
      const wrong = faultOf(answer, step, codes);
      if (wrong !== undefined) return one.steps.length === 1 ? wrong : `step ${at}: ${wrong}`;
    }
    return undefined;
  }

  /** Looks for what the program has printed since its last answer. @throws {@link ProgramFault} if no earlier case is at fault */
  #assertSilent(): void {
    try {
      this.#program?.assertSilent();
    } catch (error) {
      if (!this.#blame(error)) throw error;
    }
  }

  /** If a program has answered an earlier case twice, that case fails after all, and a new process goes on. */
  #blame(error: unknown): boolean {
    if (!(error instanceof ProgramFault) || error.answeredTwice === undefined) return false;
    const place = this.#asked.get(error.answeredTwice) ?? this.results.length;
    if (place >= this.results.length) return false;
    this.#restart();
    this.#fail(place, error);
    return true;
  }

  #fail(place: number, { message }: ProgramFault): void {
    const failed = this.results[place];
    if (failed === undefined) return;
    const outcome = this.#options.xfails.has(failed.id) ? 'expected' : 'failed';
    this.results[place] = { ...failed, outcome, message: `the program ${message}` };
  }

  #restart(): void {
    this.#program?.end();
    this.#program = undefined;
  }

  async #running(): Promise<Program> {
    if (this.#program !== undefined) return this.#program;
    this.#program = this.#options.start();
    const { role } = this.#options;
    const timeoutMs = Math.max(this.#options.timeoutMs, START_MS);
    this.#id += 1;
    const hello = { id: this.#id, protocol: PROTOCOL, role };
    const said = await this.#program.ask(hello, timeoutMs);
    const { protocol, name = '', roles, algorithms } = said;
    if (protocol !== PROTOCOL)
      throw new CannotRun(`the program speaks the protocol ${shown(protocol)}, and not ${PROTOCOL}`);
    if (!isTexts(roles) || !roles.includes(role))
      throw new CannotRun(`the program does not have the role ${role}`);
    this.#handshake = {
      name: shown(name),
      roles,
      algorithms: isTexts(algorithms) ? algorithms : ['Ed25519'],
    };
    return this.#program;
  }

  #messageOf(one: Case, step: Step, { at, prefix }: { at: number; prefix: string }): object {
    const { now, restarts, sources, passport } = step;
    const mustWait = one.steps.some((other) => other.sources?.some(neverAnswers));
    return {
      ...{ case: one.id, step: at, now, anchor: one.anchor },
      ...(restarts && { restart: restarts }),
      ...(one.ask && { ask: one.ask }),
      ...(one.policy && { policy: one.policy }),
      ...(sources && this.#shown(one.role, sources, { at, prefix })),
      ...(one.role === 'client' || one.role === 'lookup'
        ? { deadline: mustWait ? SHORT_DEADLINE_SECONDS : DEADLINE_SECONDS }
        : {}),
      ...(passport && { passport }),
    };
  }

  #shown(role: Role, sources: readonly ShownTree[], { at, prefix }: { at: number; prefix: string }): object {
    const shown = sources.map((source) => ({ files: filesOf(source), script: source.script ?? {} }));
    if (role === 'client' || role === 'lookup') return { sources: this.#host.show(prefix, shown) };
    return { folder: this.#written(shown[0]?.files ?? new Map(), at) };
  }

  /** Writes files into a folder. Returns its path. */
  #written(files: Files, at: number): string {
    const folder = join(this.#caseFolder, String(at));
    for (const [path, bytes] of files) write(join(folder, path), bytes);
    return folder;
  }
}

const neverAnswers = ({ script = {} }: ShownTree) =>
  Object.values(script).some((answers) => answers.some((one) => one !== null && 'never' in one));

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const told = (right: Right) => (right === 'accept' ? 'accept' : `refuse with ${right.join(' or ')}`);

/** Compares an answer with what is right. The code of a refusal is only counted. */
function faultOf(answer: Record<string, unknown>, step: Step, codes: Codes): string | undefined {
  const { verdict, code, trusted } = answer;
  if (verdict !== 'accept' && verdict !== 'refuse')
    return `the answer has no "verdict" of "accept" or "refuse": ${shown(answer)}`;
  const { right } = step;
  if (right === undefined) return undefined;
  const said = [code].flat().filter((one) => typeof one === 'string');
  const saidInWords = shown(said.join(','));
  if (verdict !== (right === 'accept' ? 'accept' : 'refuse'))
    return `must ${told(right)}, and the answer is ${verdict} ${saidInWords}`.trim();
  if (right !== 'accept') {
    codes.counted[1] += 1;
    if (right.some((one) => said.includes(one))) codes.counted[0] += 1;
    else codes.others.push(`${saidInWords} in place of ${right.join(' or ')}`);
    return undefined;
  }
  if (step.trusted === undefined) return undefined;
  const [must, does] = [step.trusted, isTexts(trusted) ? trusted : undefined].map((ids) =>
    ids?.toSorted().join(', '),
  );
  return must === does
    ? undefined
    : `must trust [${must}], and trusts ${does === undefined ? 'nobody says' : `[${shown(does)}]`}`;
}
