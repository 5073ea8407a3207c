import { IoFailed } from './errors.js';
import { git } from './git.js';

/** A change of an issuer's status or tier. */
export interface Change {
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

const SEPARATOR = '\u0001';

/** The changes of status and tier, newest first: the lines of the records that name one, as the commits have changed them. @throws {@link IoFailed} */
export function history(issuers: string): Change[] {
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
  const changes: Change[] = [];
  let commit = { commit: '', at: '', author: '', subject: '' };
  let issuer: string | undefined;
  for (const text of logOf(issuers, options).split('\n')) {
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

function logOf(issuers: string, options: readonly string[]): string {
  try {
    return git(['log', ...options, '--', '.'], issuers).toString();
  } catch (cause) {
    throw new IoFailed(`git has no history of ${issuers}: ${(cause as Error).message}`, { cause });
  }
}
