import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CLI, ROOT } from './paths.js';
import { type Outcome, run } from './workspace.js';

/** A step of a workflow, as far as the tests look at it. */
export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

/** A job of a workflow. */
export interface Job {
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly needs?: string;
  readonly steps?: readonly Step[];
}

/** A workflow. */
export interface Workflow {
  readonly name: string;
  readonly on: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string };
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A workflow of this repository, and its text. */
export function workflow(name: string): Workflow & { readonly text: string } {
  const text = readFileSync(join(ROOT, '.github/workflows', `${name}.yml`), 'utf8');
  return { ...(parse(text) as Workflow), text };
}

/** How a job went: the outcome of each step that runs commands, by its name. */
export type Outcomes = Readonly<Record<string, Outcome>>;

/** Where a job runs, and what it gets. */
export interface Runner {
  /** The working directory, with the checkout in it. */
  readonly folder: string;
  /** Does what an action does. */
  readonly use?: (step: Step) => Promise<void>;
  /** What stands for `${{ … }}`. */
  readonly expressions?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs the steps of a job as GitHub's runner does: one after the other, with bash, until one fails; those with a condition on
 * failure also then. What installs the program gives the one under test.
 */
export async function runJob({ steps = [] }: Job, runner: Runner): Promise<Outcomes> {
  const outcomes: Record<string, Outcome> = {};
  let failed = false;
  for (const step of steps) {
    const always = /failure\(\)/.test(step.if ?? '');
    if (failed ? !always : step.if === 'failure()') continue;
    if (step.uses !== undefined) await runner.use?.(step);
    if (step.run === undefined) continue;
    if (step.name === 'Install') {
      install(runner.folder);
      continue;
    }
    const outcome = await runStep(step, runner);
    outcomes[step.name ?? step.run] = outcome;
    if (outcome.code !== 0) failed = true;
  }
  return outcomes;
}

function runStep({ run: commands = '', env = {} }: Step, runner: Runner): Promise<Outcome> {
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, name: string) => runner.expressions?.[name] ?? '');
  const environment = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, filled(String(value))]),
  );
  return run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(commands)], runner.folder, {
    CI: 'true',
    GITHUB_SHA: '0123456789abcdef',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'owner/registry',
    GITHUB_RUN_ID: '1',
    ...environment,
    ...runner.environment,
  });
}

/** What `npm ci` and the compiler leave behind, as far as the commands need it. */
function install(folder: string): void {
  mkdirSync(join(folder, 'build/cli'), { recursive: true });
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(folder, 'build/cli/main.js'), `import(${JSON.stringify(CLI)});\n`);
}
