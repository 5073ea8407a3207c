import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { installedPath } from './installed.js';
import { ROOT } from './paths.js';
import { type Outcome, run } from './workspace.js';

/** The members of a workflow step that the tests use. */
export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

/** The members of a job that the tests use. */
export interface Job {
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly needs?: string;
  readonly if?: string;
  readonly steps?: readonly Step[];
}

/** The members of a workflow that the tests use. */
interface Workflow {
  readonly name: string;
  readonly on: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string };
  readonly jobs: Readonly<Record<string, Job>>;
}

/** The workflows of this repository. */
export const OWN_WORKFLOWS = join(ROOT, '.github/workflows');
/** The template of a new registry. */
export const TEMPLATE = join(ROOT, 'cli/scaffold/template');
/** The workflows of a new registry. `init` copies them. */
export const REGISTRY_WORKFLOWS = join(TEMPLATE, '.github/workflows');

/** Reads a workflow. `text` is the whole file. */
export function readWorkflow(folder: string, name: string): Workflow & { readonly text: string } {
  const text = readFileSync(join(folder, `${name}.yml`), 'utf8');
  return { ...(parse(text) as Workflow), text };
}

/** The outcome of each step that ran commands, by the name of the step. */
export type Outcomes = Readonly<Record<string, Outcome>>;

/** The environment in which a job runs. */
export interface Runner {
  /** The working directory, with the checkout in it. */
  readonly folder: string;
  /** Simulates an action. */
  readonly use?: (step: Step) => Promise<void>;
  /** The values of the expressions in `${{ … }}`. */
  readonly expressions?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs the steps of a job as GitHub's runner does: in order, with bash, until one fails. After a failure, only steps
 * with a condition on `failure()` run. In place of the step that installs the program, `npx` runs the one under test.
 */
export async function runJob({ steps = [] }: Job, runner: Runner): Promise<Outcomes> {
  const outcomes: Record<string, Outcome> = {};
  let failed = false;
  for (const step of steps) {
    const always = /failure\(\)/.test(step.if ?? '');
    if (failed ? !always : step.if === 'failure()') continue;
    if (step.uses !== undefined) await runner.use?.(step);
    if (step.run === undefined) continue;
    if (step.name === 'Install') continue;
    const outcome = await runStep(step, runner);
    outcomes[step.name ?? step.run] = outcome;
    if (outcome.code !== 0) failed = true;
  }
  return outcomes;
}

async function runStep({ run: commands = '', env = {} }: Step, runner: Runner): Promise<Outcome> {
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, name: string) => runner.expressions?.[name] ?? '');
  const environment = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, filled(String(value))]),
  );
  return run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(commands)], runner.folder, {
    ...(await installedPath(runner.environment?.['PATH'])),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_SHA: '0123456789abcdef',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'owner/registry',
    GITHUB_RUN_ID: '1',
    ...environment,
    ...withoutPath(runner.environment),
  });
}

function withoutPath({
  PATH: _path,
  ...others
}: Readonly<Record<string, string>> = {}): Record<string, string> {
  return others;
}
