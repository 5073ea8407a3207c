#!/usr/bin/env node
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

function usage(problem: string): never {
  process.stderr.write(`${problem}\n\n${USAGE}`);
  process.exit(2);
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

/** Reads ids, one a line. What follows a `#` is a comment. @throws if an id is that of no case */
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

// Whoever reads only the first lines, such as `head`, has what it wants.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const [command = '', ...rest] = process.argv.slice(2);
const end = rest.indexOf('--');
const options = optionsOf(end < 0 ? rest : rest.slice(0, end));
const program = end < 0 ? [] : rest.slice(end + 1);

if (command === 'list') {
  const roles = ROLES.filter((role) => options.role === undefined || options.role === role);
  for (const role of roles) {
    for (const { id, rule } of chosen(role, options)) process.stdout.write(`${id}  (${rule})\n`);
  }
} else if (command === 'write') {
  if (!isRole(options.role)) usage(`--role is one of ${ROLES.join(', ')}`);
  if (options.out === undefined) usage('--out names a folder');
  for (const one of chosen(options.role, options)) writeCase(one, options.out);
} else if (command === 'rules') {
  process.stdout.write(rulesTable(ROLES.flatMap((role) => [...kitCases(role)])));
} else if (command === 'run') {
  const { role } = options;
  if (!isRole(role)) usage(`--role is one of ${ROLES.join(', ')}`);
  if (program.length === 0) usage('The program comes after --');
  const random = [...mutations(RANDOM_SEED, Number(options.random))].filter((one) => one.role === role);
  const cases = [...chosen(role, options), ...random];
  if (cases.length === 0) usage('There is no such case');
  const xfails = readXfails(options.xfails, role);
  const answers: string[] = [];
  try {
    const found = await run(cases, {
      role,
      onAnswer: (answer) => answers.push(`${JSON.stringify(answer)}\n`),
      start: () => new ChildProgram(program),
      xfails,
      timeoutMs: Number(options.timeout) * 1000,
    });
    const report: Report = { ...found, role, kit: KIT_VERSION };
    process.stderr.write(tableOf(report));
    const json = `${jsonReport(report)}\n`;
    if (options.json === '-') process.stdout.write(json);
    else if (options.json !== undefined) writeFileSync(options.json, json);
    if (options.answers !== undefined) writeFileSync(options.answers, answers.join(''));
    if (options.junit !== undefined) writeFileSync(options.junit, junitReport(report));
    process.exitCode = passes(report) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
} else usage(command === '' ? 'Name a command' : `There is no command ${command}`);
