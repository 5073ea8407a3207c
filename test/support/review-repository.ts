import { cpSync } from 'node:fs';
import { afterEachFile } from './endings.js';
import { git as gitIn } from './git.js';
import { copyOf } from './made-once.js';
import { cli, recordText, temporaryFolder, writeFiles } from './workspace.js';

/** The repository without any more files, which a file makes once. */
let base: string | undefined;
afterEachFile(() => {
  base = undefined;
});

/** A repository with a base whose record `x` is revoked, and a checkout that a pull request may change. */
export function repository(more: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const git = (...args: string[]) => gitIn(folder, ...args);
  const commit = (message = 'Change') => {
    git('add', '-A', '-f');
    git('commit', '-qm', message);
  };
  if (base === undefined) {
    git('init', '-q', '-b', 'main', '--template=');
    writeFiles(folder, {
      'issuers/a.yaml': recordText('a'),
      'issuers/x.yaml': recordText('x', { status: 'revoked' }),
    });
    commit('Base');
    base = copyOf(folder);
  } else {
    cpSync(base, folder, { recursive: true });
  }
  if (Object.keys(more).length > 0) {
    writeFiles(folder, more);
    git('add', '-A', '-f');
    git('commit', '-q', '--amend', '-m', 'Base');
  }
  return { folder, git, commit };
}

/** A record whose keys an attacker has replaced. */
export const STOLEN = recordText('x', { jwks_uri: 'https://mallory.example/jwks' });

/** What `diff` says of a change, as exit code and `file rule` lines. */
export async function diff(folder: string, args = ['HEAD^..HEAD'], environment: Record<string, string> = {}) {
  const { code, stdout } = await cli(['diff', ...args, '--json'], folder, environment);
  const { diagnostics = [], changes = [] } = JSON.parse(stdout);
  return {
    code,
    rules: diagnostics.map(({ file, rule }: Record<string, string>) => `${file} ${rule}`),
    changes: changes.map(({ issuer_id, kind }: Record<string, string>) => `${issuer_id} ${kind}`),
  };
}
