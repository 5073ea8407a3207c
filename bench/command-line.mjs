import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command line, as it was compiled. */
export const CLI = fileURLToPath(new URL('../build/cli/main.js', import.meta.url));

/** Runs a program to its end. Returns its stdout. @throws Error with what it has printed, if it fails */
export function run(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Returns a function that runs commands of `passport-registry` in a folder. */
export const commandsIn =
  (folder) =>
  (...args) =>
    run(process.execPath, [CLI, ...args], folder);
