import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Case, Role } from './cases/case.js';
import { kitCases } from './kit/index.js';
import { CHROMIUM } from './roles/page.js';
import { inChromium, inThisProcess, inWorkerd } from './roles/portable-program.js';
import { ChildProgram, type Program } from './runner/program.js';
import { CannotRun, run } from './runner/run.js';

/**
 * Shows the roles that verifiers have in services and pages to our verifiers on every runtime, one after the other.
 *
 *     node build/conformance/runtimes.js              # all runtimes
 *     node build/conformance/runtimes.js deno workerd # some
 */

const SHOWN: readonly Role[] = ['client', 'lookup', 'passport'];
const TIMEOUT_MS = 60_000;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OURS = fileURLToPath(new URL('./ours.js', import.meta.url));
/** The package with the program of Node.js for this machine. */
const NODE = `node-${process.platform}-${process.arch}`;

/** A runtime cannot be had on this machine. */
class Missing extends Error {}

/** Finds or installs a runtime. @returns what starts a program on it */
type Runtime = () => () => Program;

const RUNTIMES: Readonly<Record<string, Runtime>> = {
  'node-22': () => command(installed(`${NODE}@22`, `${NODE}/bin/node`)),
  'node-24': () => command(installed(`${NODE}@24`, `${NODE}/bin/node`)),
  deno: () => command(installed('deno@2', '.bin/deno'), 'run', '--allow-all'),
  bun: () => command(installed('bun@1', '.bin/bun')),
  workerd: () => {
    const program = installed('workerd@1', '.bin/workerd');
    return () => inWorkerd(program);
  },
  chromium: () => {
    if (!existsSync(CHROMIUM)) throw new Missing(`${CHROMIUM} is not installed`);
    return inChromium;
  },
};

/** The bundle for workerd and Chromium in this process. It is for tests. */
const BUNDLE: Runtime = () => inThisProcess;

const command =
  (...words: readonly string[]) =>
  () =>
    new ChildProgram([...words, OURS]);

/** Installs a package into a folder of its own, unless it is there. @returns the path of its program */
function installed(name: string, path: string): string {
  const folder = join(ROOT, '.runtimes', name);
  const program = join(folder, 'node_modules', path);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // Otherwise npm would install into the folder of this project.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', name], { cwd: folder, stdio: 'pipe' });
  } catch (error) {
    throw new Missing(`npm cannot install ${name}`, { cause: error });
  }
  return program;
}

/**
 * Shows cases to our verifiers on some runtimes.
 *
 * @returns whether all pass that are there and, with `REQUIRE_COMPONENTS=1`, whether all are there
 */
export async function showOnRuntimes(
  names: readonly string[],
  casesOf: (role: Role) => readonly Case[],
  print: (line: string) => void,
): Promise<boolean> {
  let isGood = true;
  for (const name of names) {
    const start = found(name, print);
    if (start === undefined) {
      if (process.env['REQUIRE_COMPONENTS'] === '1') isGood = false;
      continue;
    }
    for (const role of SHOWN) {
      const passes = await show(casesOf(role), {
        role,
        start,
        print: (text) => print(`${name.padEnd(9)}${text}`),
      });
      if (!passes) isGood = false;
    }
  }
  return isGood;
}

function found(name: string, print: (line: string) => void): (() => Program) | undefined {
  const runtime = name === 'bundle' ? BUNDLE : RUNTIMES[name];
  if (runtime === undefined)
    throw new Error(`there is no runtime ${name}: ${Object.keys(RUNTIMES).join(', ')}`);
  try {
    return runtime();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    print(`${name.padEnd(9)}skipped: ${error.message}`);
    return undefined;
  }
}

interface Shown {
  readonly role: Role;
  readonly start: () => Program;
  readonly print: (text: string) => void;
}

/** Shows the cases of a role to a program. @returns whether it passes */
async function show(cases: readonly Case[], { role, start, print }: Shown): Promise<boolean> {
  const began = performance.now();
  try {
    const { results } = await run(cases, { role, start, xfails: new Set(), timeoutMs: TIMEOUT_MS });
    const failures = results.filter(({ outcome }) => outcome !== 'passed');
    const seconds = Math.round((performance.now() - began) / 1000);
    print(`${role.padEnd(9)}${results.length} cases, ${failures.length} failed, ${seconds} s`);
    for (const { id, rule, message } of failures) print(`  ${id} (rule ${rule}): ${message}`);
    return failures.length === 0;
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    print(`${role.padEnd(9)}${error.message}`);
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  const cases = new Map(SHOWN.map((role) => [role, [...kitCases(role)]]));
  const isGood = await showOnRuntimes(
    names.length > 0 ? names : Object.keys(RUNTIMES),
    (role) => cases.get(role) ?? [],
    (line) => process.stdout.write(`${line}\n`),
  );
  process.exitCode = isGood ? 0 : 1;
}
