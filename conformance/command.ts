import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Case, ROLES, type Role } from './cases/case.js';
import { mutations } from './cases/mutations.js';
import { KIT_VERSION, kitCases, startCases } from './kit/index.js';
import { rulesTable } from './kit/rules.js';
import { ChildProgram } from './runner/program.js';
import { jsonReport, junitReport, passes, type Report, tableOf } from './runner/report.js';
import { CannotRun, run } from './runner/run.js';
import { writeCase } from './runner/write-case.js';

const USAGE = `conformance run --role ROLE [--start] [--only ID] [--xfails FILE] [--json FILE] [--junit FILE] [--answers FILE] [--random COUNT] [--timeout SECONDS] -- PROGRAM [ARGUMENT…]
conformance list [--role ROLE] [--start] [--only ID]
conformance write --role ROLE [--start] [--only ID] --out FOLDER
conformance rules

write makes folders of cases as folders. Roles: ${ROLES.join(', ')}. --start runs the forty cases to begin with. --xfails lists cases that the program is known
to fail, one id a line: if one passes, the run fails. The table is on stderr. --json writes the result to a
file, or with - to stdout. --answers writes every answer to a file, for compare.mjs, and --random shows random trees, too, of
which nobody has said what is right.
Exit code: 0 if the program passes, 1 if not, 2 if it cannot be run.
`;

/** Where the command writes. */
export interface Output {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** The command line is wrong. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

function usage(problem: string): never {
  throw new UsageError(`${problem}\n\n${USAGE}`);
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        role: { type: 'string' },
        start: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        xfails: { type: 'string' },
        json: { type: 'string' },
        junit: { type: 'string' },
        answers: { type: 'string' },
        random: { type: 'string', default: '0' },
        timeout: { type: 'string', default: '30' },
        out: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return usage((error as Error).message);
  }
}

function chosen(role: Role, { start, only }: { start: boolean; only: string }): Case[] {
  const all = [...kitCases(role)];
  return (start ? startCases(all) : all).filter(({ id }) => id.startsWith(only));
}

/** The random trees are the same every time. */
const RANDOM_SEED = 36;

const isRole = (name: string | undefined): name is Role => ROLES.some((role) => role === name);

/** Reads ids, one a line. What follows a `#` is a comment. @throws {@link UsageError} if an id is that of no case */
function readXfails(file: string | undefined, role: Role): Set<string> {
  if (file === undefined) return new Set();
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  const ids = new Set([...kitCases(role)].map(({ id }) => id));
  const listed = lines.filter((line) => line.startsWith(`${role}/`));
  const unknown = listed.filter((id) => !ids.has(id));
  if (unknown.length > 0) usage(`${file}: there is no case ${unknown.join(', ')}`);
  return new Set(listed);
}

type Options = ReturnType<typeof optionsOf>;

function roleOf({ role }: Options): Role {
  return isRole(role) ? role : usage(`--role is one of ${ROLES.join(', ')}`);
}

/** @returns the exit code */
async function runProgram(
  options: Options,
  program: readonly string[],
  { stdout, stderr }: Output,
): Promise<number> {
  const role = roleOf(options);
  if (program.length === 0) usage('The program comes after --');
  const random = [...mutations(RANDOM_SEED, Number(options.random))].filter((one) => one.role === role);
  const cases = [...chosen(role, options), ...random];
  if (cases.length === 0) usage('There is no such case');
  const answers: string[] = [];
  const found = await run(cases, {
    ...{ role, start: () => new ChildProgram(program), xfails: readXfails(options.xfails, role) },
    timeoutMs: Number(options.timeout) * 1000,
    onAnswer: (answer) => answers.push(`${JSON.stringify(answer)}\n`),
  });
  const report: Report = { ...found, role, kit: KIT_VERSION };
  stderr(tableOf(report));
  const json = `${jsonReport(report)}\n`;
  if (options.json === '-') stdout(json);
  else if (options.json !== undefined) writeFileSync(options.json, json);
  if (options.answers !== undefined) writeFileSync(options.answers, answers.join(''));
  if (options.junit !== undefined) writeFileSync(options.junit, junitReport(report));
  return passes(report) ? 0 : 1;
}

async function perform(args: readonly string[], output: Output): Promise<number> {
  const [command = '', ...rest] = args;
  const end = rest.indexOf('--');
  const options = optionsOf(end < 0 ? rest : rest.slice(0, end));
  if (command === 'run') return runProgram(options, end < 0 ? [] : rest.slice(end + 1), output);
  if (command === 'list') {
    const roles = ROLES.filter((role) => options.role === undefined || options.role === role);
    for (const role of roles) {
      for (const { id, rule } of chosen(role, options)) output.stdout(`${id}  (${rule})\n`);
    }
  } else if (command === 'write') {
    const { out = usage('--out names a folder') } = options;
    for (const one of chosen(roleOf(options), options)) writeCase(one, out);
  } else if (command === 'rules') {
    output.stdout(rulesTable(ROLES.flatMap((role) => [...kitCases(role)])));
  } else usage(command === '' ? 'Name a command' : `There is no command ${command}`);
  return 0;
}

/** The command `conformance`. @returns its exit code */
export async function conformance(args: readonly string[], output: Output): Promise<number> {
  try {
    return await perform(args, output);
  } catch (error) {
    if (!(error instanceof CannotRun || error instanceof UsageError)) throw error;
    output.stderr(`${error.message}\n`);
    return 2;
  }
}
