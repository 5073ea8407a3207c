import { accessSync, constants, statSync } from 'node:fs';
import type { Level } from './part.js';

/** The key or the command that would sign. */
interface SignerPresence {
  /** The path of a key file, or `env:NAME`. */
  readonly key?: string | undefined;
  readonly command?: string | undefined;
}

/** Whether what signs is there. */
export interface Presence {
  readonly level: Level;
  readonly message: string;
}

/** Says whether what signs is there, without reading the key or running the command. */
export function presenceOf({ key, command }: SignerPresence, env: NodeJS.ProcessEnv): Presence {
  if (command !== undefined) return { level: 'ok', message: 'a command signs' };
  if (key === undefined) return { level: 'ok', message: 'no signer is configured' };
  if (key.startsWith('env:')) {
    const isSet = (env[key.slice('env:'.length)] ?? '') !== '';
    return isSet
      ? { level: 'ok', message: `${key} is set` }
      : { level: 'note', message: `${key} is not set here` };
  }
  return presenceOfFile(key);
}

function presenceOfFile(file: string): Presence {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return { level: 'note', message: `the key file ${file} is not here` };
  if ((stats.mode & 0o077) !== 0)
    return { level: 'warning', message: `other users may read the key file ${file}: run chmod 600 on it` };
  try {
    accessSync(file, constants.R_OK);
    return { level: 'ok', message: `the key file ${file} is here, and was not read` };
  } catch {
    return { level: 'warning', message: `the key file ${file} cannot be read by this user` };
  }
}
