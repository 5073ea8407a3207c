import { execFileSync } from 'node:child_process';

/** Runs git in a folder, as an author. Returns what git prints, without white space around it. */
export function git(folder: string, ...args: readonly string[]): string {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const text = execFileSync('git', [...author, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return text.trim();
}
