import { accessSync, constants, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The programs that every test may use: those of Node.js, git, and some of Debian's essential packages. Each other program
 * is declared by the suite that uses it (`describeWith` in components.ts).
 */
export const BASIC_PROGRAMS = [
  ...['node', 'npm', 'npx', 'git'],
  ...['bash', 'sh', 'env', 'test', 'true', 'false', 'yes', 'echo', 'printf', 'pwd', 'sleep', 'date', 'id'],
  ...['basename', 'dirname', 'readlink', 'realpath', 'uname', 'hostname', 'mktemp', 'flock', 'timeout'],
  ...['cat', 'chmod', 'cp', 'find', 'install', 'ln', 'ls', 'mkdir', 'mkfifo', 'mv', 'rm', 'rmdir', 'stat'],
  ...[
    'base64',
    'basenc',
    'cmp',
    'cut',
    'diff',
    'grep',
    'head',
    'od',
    'sed',
    'sha256sum',
    'sort',
    'tail',
    'tee',
    'tr',
  ],
  ...['touch', 'uniq', 'wc', 'xargs', 'gzip', 'tar', 'script', 'stty', 'tty', 'unshare'],
];

/** Returns the path of a program on a PATH. Undefined if the program is not installed. */
export function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Links the basic programs of this machine into a folder. */
export function linkBasicPrograms(folder: string): void {
  for (const name of BASIC_PROGRAMS) {
    const program = findProgram(name, process.env['PATH'] ?? '');
    if (program !== undefined) symlinkSync(program, join(folder, name));
  }
}
