import type { Command } from 'commander';
import { unknownId } from '../../generator/records/ids.js';
import { type CommittedChange, history } from '../../generator/review/history.js';
import { ISSUERS_OPTION, JSON_OPTION } from '../options/common-options.js';
import { emit, type Io, say } from '../terminal/io.js';

/** `passport-registry history` */
export function declareHistory(command: Command, io: Io) {
  command
    .argument('[id]', 'issuer_id (default: all issuers)')
    .addOption(ISSUERS_OPTION)
    .addOption(JSON_OPTION);
  return async (id: string | undefined, { issuers, json }: { issuers: string; json?: true }) => {
    const all = history(issuers, io.env);
    const changes = all.filter(({ issuer }) => id === undefined || issuer === id);
    if (id !== undefined && changes.length === 0) {
      throw unknownId(
        `the git history of ${issuers} has no issuer`,
        id,
        all.map(({ issuer }) => issuer),
      );
    }
    if (json) emit(io, changes);
    else for (const change of changes) say(io, formatChange(change));
    if (changes.length === 0) say(io, `the git history of ${issuers} has no change of status or tier`);
  };
}

function formatChange({ at, issuer, field, from, to, author, commit, subject }: CommittedChange): string {
  const move =
    from === undefined
      ? `added, ${field} ${to}`
      : to === undefined
        ? `removed, ${field} was ${from}`
        : `${field} ${from} -> ${to}`;
  return `${at}  ${issuer}: ${move}  (${commit.slice(0, 10)}, ${author}: ${subject})`;
}
