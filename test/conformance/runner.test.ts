import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Case } from '../../build/conformance/cases/case.js';
import { conformance } from '../../build/conformance/command.js';
import { ChildProgram, type Program } from '../../build/conformance/runner/program.js';
import { CannotRun, type RunResult, run } from '../../build/conformance/runner/run.js';
import { kitOf } from '../support/kit.js';
import { ROOT } from '../support/paths.js';
import { temporaryFolder, writeFiles } from '../support/workspace.js';

const MAIN = join(ROOT, 'build/conformance/main.js');
const LIST = await kitOf('list');
const find = (id: string) => LIST.find((one) => one.id === id) as Case;
/** Two cases to accept, and one to refuse. */
const CASES = [
  find('list/good/checkpoint'),
  find('list/good/stated'),
  find('list/bytes/stated, a final newline'),
];

const HELLO = { protocol: 1, roles: ['list'], name: 'test' };

/** A program that answers each message with what an expression says; `m` is the message. */
function program(expression: string, hello: object = HELLO): string[] {
  const script = `
    const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
    const accept = (m) => say({ id: m.id, verdict: 'accept', trusted: ['alpha', 'beta'] });
    const refuse = (m, code) => say({ id: m.id, verdict: 'refuse', code });
    const right = (m) => m.case.includes('newline') ? refuse(m, 'ERR_LIST_NOT_CANONICAL') : accept(m);
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const m = JSON.parse(line);
      if (m.protocol) say({ id: m.id, ...${JSON.stringify(hello)} });
      else { ${expression} }
    });`;
  return [process.execPath, '-e', script];
}

/** What a program is asked. */
interface Asked {
  readonly id: number;
  readonly protocol?: number;
  readonly case: string;
}

/** A program in this process, which answers each message with what a function says. */
const answering = (answer: (asked: Asked) => object, hello: object = HELLO): (() => Program) => {
  const ask = async (message: { readonly id: number }) => {
    const asked = message as Asked;
    return { id: asked.id, ...(asked.protocol === undefined ? answer(asked) : hello) };
  };
  return () => ({ ask, assertSilent: () => undefined, end: () => undefined });
};

const ACCEPTS = { verdict: 'accept', trusted: ['alpha', 'beta'] };
const refuses = (code: string) => ({ verdict: 'refuse', code });
const isBad = (asked: Asked) => asked.case.includes('newline');
const right = (asked: Asked) => (isBad(asked) ? refuses('ERR_LIST_NOT_CANONICAL') : ACCEPTS);

const xfails = new Set<string>();
type Options = Partial<Parameters<typeof run>[1]>;
const runWith = (start: () => Program, more: Options = {}) =>
  run(CASES, { role: 'list', start, xfails, timeoutMs: 20_000, ...more });
const runProcess = (command: readonly string[], more: Options = {}) =>
  runWith(() => new ChildProgram(command), more);
const outcomes = ({ results }: RunResult) => results.map(({ outcome }) => outcome);
const messages = ({ results }: RunResult) => results.map(({ message }) => message);

describe('the runner', () => {
  it('passes a program that says what is right', async () => {
    const result = await runWith(answering(right));
    expect(outcomes(result)).toEqual(['passed', 'passed', 'passed']);
    expect(result.program.name).toBe('test');
    expect(result.results[2]?.codes).toEqual([1, 1]);
  });

  it('counts another code, and does not fail for it', async () => {
    const result = await runWith(answering((asked) => (isBad(asked) ? refuses('ERR_OTHER') : ACCEPTS)));
    expect(outcomes(result)).toEqual(['passed', 'passed', 'passed']);
    expect(result.results[2]?.codes).toEqual([0, 1]);
    expect(result.results[2]?.otherCodes).toContain('ERR_OTHER in place of ERR_LIST_NOT_CANONICAL');
  });

  it('says what a wrong verdict should have been', async () => {
    const result = await runWith(answering(() => refuses('ERR_X')));
    expect(outcomes(result)).toEqual(['failed', 'failed', 'passed']);
    expect(messages(result)[0]).toBe('must accept, and the answer is refuse ERR_X');
    const accepting = await runWith(answering(() => ACCEPTS));
    expect(messages(accepting)[2]).toContain(
      'must refuse with ERR_LIST_NOT_CANONICAL, and the answer is accept',
    );
  });

  it('fails a program that trusts another issuer, or does not say whom, or has no verdict', async () => {
    const other = await runWith(answering(() => ({ verdict: 'accept', trusted: ['alpha'] })));
    expect(messages(other)[0]).toBe('must trust [alpha, beta], and trusts [alpha]');
    const silent = await runWith(answering(() => ({ verdict: 'accept' })));
    expect(messages(silent)[0]).toContain('trusts nobody says');
    const undecided = await runWith(answering(() => ({})));
    expect(messages(undecided)[0]).toContain('no "verdict"');
  });

  it('escapes what a program says in its message', async () => {
    const result = await runWith(answering(() => refuses('\u001b[2J\u009b\u202e\nall passed')));
    expect(messages(result)[0]).toBe(
      String.raw`must accept, and the answer is refuse \u001b[2J\u009b\u202e\u000aall passed`,
    );
  });

  it.each([
    [
      'crashes',
      'm.step === 0 && m.case === "list/good/stated" ? process.exit(3) : right(m)',
      /has ended with 3/,
    ],
    [
      'crashes and says why',
      'm.case === "list/good/stated" ? (() => { throw new Error("oh") })() : right(m)',
      /oh/,
    ],
    [
      'prints garbage',
      'm.case === "list/good/stated" ? console.log("hello") : right(m)',
      /not a JSON object: hello/,
    ],
    ['answers something else', 'm.case === "list/good/stated" ? say({ id: 1e9 }) : right(m)', /another id/],
    ['hangs', 'm.case === "list/good/stated" ? undefined : right(m)', /not answered within 3 seconds/],
    [
      'answers with deep JSON',
      'm.case === "list/good/stated" ? console.log(JSON.stringify({ id: m.id, verdict: "accept", x: null }).replace("null", "[".repeat(1e5) + "]".repeat(1e5))) : right(m)',
      /more than 16 levels/,
    ],
    [
      'floods its output without a line end',
      'm.case === "list/good/stated" ? (function flood() { process.stdout.write("x".repeat(65536), flood); })() : right(m)',
      /printed more than 1 MiB/,
    ],
    [
      'ends, and leaves a child with its output',
      'm.case === "list/good/stated" ? (require("node:child_process").spawn("sleep", ["3"], { stdio: "inherit" }), process.exit(5)) : right(m)',
      /has ended with 5/,
    ],
    ['answers twice', 'right(m); if (m.case === "list/good/stated") right(m)', /answered twice/],
    ['answers twice, late', 'm.id === 4 ? (say({ id: 3 }), right(m)) : right(m)', /answered twice/],
  ])('fails the case in which a program %s, and goes on', async (_name, expression, message) => {
    const result = await runProcess(program(expression), {
      timeoutMs: expression.includes('undefined') ? 3000 : 20_000,
    });
    expect(outcomes(result)).toEqual(['passed', 'failed', 'passed']);
    expect(messages(result)[1]).toMatch(message);
  });

  it('ends, if a program says something more with every answer', async () => {
    for (const more of [
      'say({ id: 1e6 })',
      'say({ id: m.id - 1 })',
      'console.log("x")',
      'say({ id: "x" })',
    ]) {
      const result = await runProcess(program(`${more}; right(m)`));
      expect(outcomes(result)).toEqual(['failed', 'failed', 'failed']);
    }
    const after = await runProcess(program('right(m); console.log("x")'));
    expect(outcomes(after)).toContain('failed');
  });

  it('expects a listed failure, and fails a listed case that passes', async () => {
    const [first, second] = ['list/good/checkpoint', 'list/good/stated'];
    const start = answering((asked) => (asked.case === first ? refuses('ERR_X') : right(asked)));
    const result = await runWith(start, { xfails: new Set([first, second]) });
    expect(outcomes(result)).toEqual(['expected', 'surprise', 'passed']);
  });

  it('skips what needs an algorithm that the program does not have', async () => {
    const cases = [find('list/good/p256')];
    const result = await run(cases, { role: 'list', start: answering(right), xfails, timeoutMs: 9000 });
    expect(outcomes(result)).toEqual(['skipped']);
  });

  it.each<[string, () => Program, RegExp]>([
    ['that does not exist', () => new ChildProgram(['/no/such/program']), /does not start/],
    ['without a word', () => new ChildProgram([process.execPath, '-e', '0']), /has ended with 0/],
    ['of another protocol', answering(right, { ...HELLO, protocol: 2 }), /speaks the protocol 2/],
    [
      'whose protocol is no text',
      answering(right, { protocol: { toString: 1 } }),
      /speaks the protocol \{"toString":1\}/,
    ],
    [
      'of an odd protocol',
      answering(right, { protocol: '\u001b]0;x' }),
      /speaks the protocol \\u001b\]0;x, and/,
    ],
    ['without the role', answering(right, { ...HELLO, roles: ['log'] }), /does not have the role list/],
  ])('cannot run a program %s', async (_name, start, message) => {
    const fault = await runWith(start).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(CannotRun);
    expect((fault as CannotRun).message).toMatch(message);
  });
});

describe('conformance run', () => {
  const perform = async (args: readonly string[]) => {
    const said = { stdout: '', stderr: '' };
    const status = await conformance(args, {
      stdout: (text) => {
        said.stdout += text;
      },
      stderr: (text) => {
        said.stderr += text;
      },
    });
    return { status, ...said };
  };
  // The role with the fewest cases, because each command makes all cases of its role.
  const OF_LOG = { ...HELLO, roles: ['log'] };
  const refusing = program('refuse(m, "ERR_TRUST_ANCHOR_INVALID")', OF_LOG);
  const runs = (args: readonly string[], command: readonly string[] = refusing) =>
    perform(['run', ...args, '--', ...command]);

  it('prints a table, JSON and JUnit, and its exit code tells whether the program passes', async () => {
    const folder = temporaryFolder();
    const junit = join(folder, 'junit.xml');
    const only = ['--role', 'log', '--only', 'log/anchor/a quorum that'];
    const answers = join(folder, 'answers.jsonl');
    const good = await runs([...only, '--json', '-', '--junit', junit, '--answers', answers]);
    expect(readFileSync(answers, 'utf8')).toBe(
      '{"case":"log/anchor/a quorum that is too large","step":0,"verdict":"refuse","code":"ERR_TRUST_ANCHOR_INVALID"}\n',
    );
    expect(good.stderr).toMatch(/anchor +1 +0 +0 +0 +0 +1\/1\n/);
    expect(good.stderr).toContain('test: passes');
    expect(JSON.parse(good.stdout)).toMatchObject({
      role: 'log',
      totals: { passed: 1, failed: 0 },
      codes: { right: 1, all: 1 },
    });
    expect(readFileSync(junit, 'utf8')).toContain(
      '<testcase classname="log.anchor" name="log/anchor/a quorum that is too large"',
    );
    expect(good.status).toBe(0);
    const bad = await runs([...only, '--json', join(folder, 'result.json')], program('accept(m)', OF_LOG));
    expect(bad.stderr).toContain('(rule trust-anchor of the protocol)');
    expect([bad.status, bad.stdout]).toEqual([1, '']);
    expect((await runs(only)).stdout).toBe('');
    expect(JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')).totals.failed).toBe(1);
  });

  it('escapes what a program says, in its table, JSON and JUnit', async () => {
    const folder = temporaryFolder();
    const junit = join(folder, 'junit.xml');
    const odd = '\u001b[31m\u009b\u2066\r';
    const hello = { protocol: 1, roles: ['log', odd], name: odd };
    const garbage = program(`console.log(${JSON.stringify(odd)})`, hello);
    const { stdout, stderr } = await runs(
      ['--role', 'log', '--only', 'log/good/log', '--json', '-', '--junit', junit],
      garbage,
    );
    for (const text of [stdout, stderr, readFileSync(junit, 'utf8')]) {
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
      expect(text).toContain('u001b[31m');
    }
    expect(JSON.parse(stdout).program.roles[1]).toBe('\u001b[31m\u009b\u2066\r');
  });

  it('ends although a child of the program keeps its output open', () => {
    const leaving = program('accept(m)', OF_LOG).map((one) =>
      one.replace(
        'const say',
        'require("node:child_process").spawn("sleep", ["40"], { stdio: "inherit" }).unref(); const say',
      ),
    );
    const args = [MAIN, 'run', '--role', 'log', '--only', 'log/good/log', '--', ...leaving];
    // The runner itself is a process here, because an open pipe keeps a process alive.
    const { status, signal } = spawnSync(process.execPath, args, { timeout: 30_000, stdio: 'ignore' });
    expect({ status, signal }).toEqual({ status: 0, signal: null });
  });

  it('ends without an error when nobody reads its list to the end', () => {
    const script = `set -o pipefail; "$0" "$1" list --role log | head -1`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, MAIN], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^log\/.*\n$/);
  });

  it('writes cases as folders', async () => {
    const out = temporaryFolder();
    const args = ['write', '--role', 'log', '--only', 'log/form/witnessed, no newline', '--out', out];
    expect((await perform(args)).status).toBe(0);
    const folder = join(out, 'log/form/witnessed--no-newline-at-the-end');
    const read = (path: string) => readFileSync(join(folder, path), 'utf8');
    expect(read('README.md')).toContain('The rule log-bytes of the protocol decides');
    expect(JSON.parse(read('case.json'))).toMatchObject({
      rule: 'log-bytes',
      steps: [{ right: ['ERR_NOT_LOGGED'] }],
    });
    expect(JSON.parse(read('0/0/statements.json')).log_proof).toMatch(/[^\n]$/);
    expect(read('0/0/issuers.sig')).toHaveLength(86);
  });

  it('refuses what cannot be run, with the exit code 2', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { xfails: '# of no case\nlog/no such case  # really\n' });
    const unknown = await runs(['--role', 'log', '--xfails', join(folder, 'xfails')]);
    expect(unknown.stderr).toContain('there is no case');
    for (const args of [
      ['--role', 'king'],
      ['--role', 'log', '--only', 'x'],
      ['--rule', 'x'],
    ]) {
      expect((await runs(args)).status).toBe(2);
    }
    expect((await runs(['--role', 'log'], [])).status).toBe(2);
    expect((await runs(['--role', 'log', '--start'], program('', { protocol: 3 }))).status).toBe(2);
  });
});
