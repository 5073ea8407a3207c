import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from './paths.js';
import { until } from './until.js';
import { cleanEnvironment } from './workspace.js';

/** What a user types on a terminal. */
interface Answer {
  /** The words after which the user types. */
  readonly question: string;
  readonly typed: string;
  /** Whether what is typed must not be shown: the user waits until the terminal shows nothing. */
  readonly hidden?: boolean;
}

/** Runs the command line on a terminal of its own, which `script` makes. Returns what was shown there. */
export function onTerminal(
  args: readonly string[],
  folder: string,
  { question, typed, hidden = false }: Answer,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const command = `tty > tty; exec "${process.execPath}" "${CLI}" ${args.join(' ')}`;
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    let isAsked = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (isAsked || !shown.includes(question)) return;
      isAsked = true;
      const ready = hidden ? until(() => showsNothing(join(folder, 'tty'))) : Promise.resolve();
      ready.then(() => child.stdin.write(typed), reject);
    });
    child.once('error', reject).once('close', (code) => resolve({ code, shown }));
  });
}

/** Whether the terminal that a file names has no echo. */
function showsNothing(file: string): boolean {
  if (!existsSync(file)) return false;
  const settings = execFileSync('stty', ['-a', '-F', readFileSync(file, 'utf8').trim()], {
    encoding: 'utf8',
  });
  return settings.split(/\s+/).includes('-echo');
}
