import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './paths.js';
import { type Outcome, run, writeFiles } from './workspace.js';

/** The version of the packages in the checkout. */
export const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** A job of the workflow `release`. */
interface ReleaseJob {
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly steps?: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[];
}

/** The jobs of the workflow `release`, by name. */
export const RELEASE_JOBS: Readonly<Record<string, ReleaseJob>> = parse(
  readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'),
).jobs;

/** Runs a step of the workflow `release` as GitHub's runner does, for the tag of this version. */
export function runReleaseStep(
  [job, name]: readonly [string, string],
  folder: string,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  const commands = RELEASE_JOBS[job]?.steps?.find((step) => step.name === name)?.run;
  if (commands === undefined) throw new Error(`release.yml has no step ${name} in the job ${job}`);
  return run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', commands], folder, {
    GITHUB_REF_NAME: `v${VERSION}`,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'owner/registry',
    GITHUB_ACTOR: 'owner',
    ...environment,
  });
}

/** Returns a PATH on which these programs are bash scripts, by name. `callsIn` returns their calls. */
export function simulated(folder: string, programs: Record<string, string>): Record<'PATH', string> {
  const bin = `${folder}.bin`;
  for (const [name, script] of Object.entries(programs)) {
    writeFiles(bin, { [name]: `#!/bin/bash\necho "${name} $*" >> '${folder}.calls'\n${script}\n` });
    chmodSync(join(bin, name), 0o755);
  }
  return { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
}

/** Returns the calls of simulated programs, with their arguments. */
export function callsIn(folder: string): string[] {
  const file = `${folder}.calls`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
