import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { IoFailed } from '../errors.js';
import { emit, say } from './output.js';
import { run } from './run.js';

/** A change of an issuer's status or tier. */
interface Change {
  readonly commit: string;
  /** RFC 3339. */
  readonly at: string;
  readonly author: string;
  readonly subject: string;
  readonly issuer: string;
  readonly field: 'status' | 'tier';
  /** Undefined when the record is new. */
  readonly from: string | undefined;
  /** Undefined when the record was removed. */
  readonly to: string | undefined;
}

/** `passport-registry log` */
export function addLogCommand(program: Command): void {
  program
    .command('log')
    .description('the history of status and tier changes, from git, newest first')
    .argument('[id]', 'issuer_id; without it, of all')
    .option('--issuers <dir>', 'folder of the records', 'issuers')
    .option('--json', 'as JSON on stdout')
    .action((id: string | undefined, { issuers, json }: { issuers: string; json?: true }) =>
      run(json === true, async () => {
        const changes = history(issuers).filter(({ issuer }) => id === undefined || issuer === id);
        if (json) emit(changes);
        else for (const change of changes) say(line(change));
        return undefined;
      }),
    );
}

function line({ at, issuer, field, from, to, author, commit, subject }: Change): string {
  const move = from === undefined ? `new, ${to}` : `${from} -> ${to ?? 'removed'}`;
  return `${at}  ${issuer}: ${field} ${move}  (${commit.slice(0, 10)}, ${author}: ${subject})`;
}

const SEPARATOR = '\u0001';

/** The lines of the records that name a status or a tier, as the commits have changed them. */
function history(issuers: string): Change[] {
  const format = `--format=${SEPARATOR}%H${SEPARATOR}%cI${SEPARATOR}%an${SEPARATOR}%s`;
  const options = [
    format,
    '--patch',
    '--unified=0',
    '--no-renames',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
  ];
  const git = spawnSync('git', ['log', ...options, '--', '.'], {
    cwd: issuers,
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
  });
  if (git.status !== 0) {
    throw new IoFailed(
      `git has no history of ${issuers}: ${(git.stderr ?? git.error?.message ?? '').trim()}`,
    );
  }
  const changes: Change[] = [];
  let commit = { commit: '', at: '', author: '', subject: '' };
  let issuer: string | undefined;
  for (const text of git.stdout.split('\n')) {
    if (text.startsWith(SEPARATOR)) {
      const [, hash = '', at = '', author = '', subject = ''] = text.split(SEPARATOR);
      commit = { commit: hash, at, author, subject };
    }
    const [, path] = /^diff --git .* b\/(.*)$/.exec(text) ?? [];
    if (path !== undefined) issuer = /([^/]+)\.ya?ml$/.exec(path)?.[1];
    const [, sign, field, value] = /^([-+])(status|tier): *["']?([a-z]+)/.exec(text) ?? [];
    if (issuer === undefined || sign === undefined || value === undefined) continue;
    merge(
      changes,
      { ...commit, issuer, field: field as Change['field'], from: undefined, to: undefined },
      sign,
      value,
    );
  }
  return changes.filter(({ from, to }) => from !== to);
}

/** A line that was taken away and one that was added, of one field of one record in one commit, are one change. */
function merge(changes: Change[], change: Change, sign: string, value: string): void {
  const same = changes.findIndex(
    ({ commit, issuer, field }) =>
      commit === change.commit && issuer === change.issuer && field === change.field,
  );
  const base = changes[same] ?? change;
  const merged = sign === '-' ? { ...base, from: value } : { ...base, to: value };
  if (same === -1) changes.push(merged);
  else changes[same] = merged;
}
