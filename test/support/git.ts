import { execFileSync } from 'node:child_process';

/** An author, and none of the processes that tidy up after a commit, which take longer than the commit. */
const SETTINGS = [
  'user.name=a',
  'user.email=a@example.com',
  'commit.gpgSign=false',
  'maintenance.auto=false',
];

/** Runs git in a folder, as somebody. Returns what git prints, without white space around it. */
export function git(folder: string, ...args: readonly string[]): string {
  const options = SETTINGS.flatMap((setting) => ['-c', setting]);
  const text = execFileSync('git', [...options, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return text.trim();
}
