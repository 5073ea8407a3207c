import { spawnSync } from 'node:child_process';
import { IoFailed } from '../errors.js';

/** Where git runs, and with which environment. */
export interface GitFolder {
  /** The top folder of a working tree. */
  readonly top: string;
  /** The environment for git. Variables that select a repository or configure git are removed. */
  readonly env: NodeJS.ProcessEnv;
}

/** Makes git take paths literally, so that special characters are not patterns. */
export const LITERAL = ['--literal-pathspecs'];

/** Options that keep git from running programs and from using any other repository. */
const GLOBAL_OPTIONS = [
  '--no-pager',
  ...['-c', 'core.fsmonitor=false', '-c', 'safe.bareRepository=explicit', '-c', 'core.attributesFile='],
];

/** Runs git in the top folder. @throws {@link IoFailed} with the message of git */
export function git(args: readonly string[], { top, env }: GitFolder, input: string | Buffer = ''): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', [...GLOBAL_OPTIONS, ...args], {
    cwd: top,
    env: withoutGitVariables(env),
    input,
    maxBuffer: 1024 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  const words = (stderr?.toString() || error?.message || '').trim().replaceAll(/\s*\n\s*/g, '; ');
  const command = commandOf(args);
  throw new IoFailed(`git ${command} failed${words === '' ? ` for ${args.at(-1)}` : `: ${words}`}`);
}

/** Returns what a question to git finds. Undefined if git is not installed or fails, or if there is no repository. */
export function askGit<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}

/** The command in the arguments of git: the first that is neither an option nor the value of `-c`. */
function commandOf(args: readonly string[]): string | undefined {
  return args.find((one, index) => !one.startsWith('-') && args[index - 1] !== '-c');
}

/**
 * Removes git variables, which a shell, a hook or a workflow may have set. GIT_DIR, for example, selects another
 * repository.
 */
function withoutGitVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return { ...Object.fromEntries(own), GIT_NO_REPLACE_OBJECTS: '1', GIT_OPTIONAL_LOCKS: '0' };
}

/** Splits output that ends each field with NUL. */
export function splitFields(output: Buffer): string[] {
  return output.toString().split('\0').slice(0, -1);
}

/** Asserts that git returned the id of an object. @throws {@link IoFailed} */
export function asObjectId(text: string): string {
  if (!/^[0-9a-f]{40,64}$/.test(text)) throw new IoFailed(`git returned ${text} instead of an object id`);
  return text;
}
