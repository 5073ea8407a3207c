import { join } from 'node:path';
import { PRIVATE_FOLDER, privateFolder } from '../../generator/files/private-folder.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { writePrivateFile } from '../../generator/files/replace-file.js';

/** In the private folder: the issuers whose hold was ended here, by the SHA-256 of each checkpoint that held them. */
const FILE = 'ended-holds.json';

/** The oldest ones are forgotten: a host that still serves their checkpoint has been away for long. */
const MAX_CHECKPOINTS = 50;

/**
 * Returns the issuers of a checkpoint whose hold was ended in this folder after that checkpoint was signed. A checkpoint names no
 * earlier one, so only this file tells a hold that was ended here from one that this folder has never seen.
 *
 * @param checkpoint - SHA-256, as a host serves it
 */
export function endedHere(checkpoint: string): readonly string[] {
  return readEnded().get(checkpoint) ?? [];
}

/** A checkpoint that was signed here, and what it replaced. */
interface NewCheckpoint {
  /** The replaced checkpoint, SHA-256; undefined if there was none that is valid. */
  readonly before: string | undefined;
  readonly ended: readonly string[];
  /** What the new one holds. */
  readonly hold: readonly string[];
}

/** Remembers whose hold a new checkpoint ends, also for the earlier checkpoints that the host may still serve. */
export function rememberEnded({ before, ended, hold }: NewCheckpoint): void {
  const known = readEnded();
  const text = JSON.stringify(Object.fromEntries(known));
  if (before !== undefined && ended.length > 0) known.set(before, known.get(before) ?? []);
  // What is held again is no longer ended.
  const next = [...known].map(([hash, ids]): [string, string[]] => [
    hash,
    [...new Set([...ids, ...ended])].filter((id) => !hold.includes(id)),
  ]);
  const kept = next.filter(([, ids]) => ids.length > 0).slice(-MAX_CHECKPOINTS);
  const changed = JSON.stringify(Object.fromEntries(kept));
  if (changed === text) return;
  try {
    writePrivateFile(join(privateFolder('.'), FILE), changed);
  } catch {
    // The checkpoint is signed. What nobody remembers is refused until it is published.
  }
}

/** A file that cannot be read shows no end of a hold, so that nothing is released. */
function readEnded(): Map<string, readonly string[]> {
  const text = readIfReadable(PRIVATE_FOLDER, FILE)?.toString('utf8') ?? '{}';
  try {
    const isIds = (value: unknown): value is string[] => Array.isArray(value);
    return new Map(
      Object.entries(JSON.parse(text)).flatMap(([hash, ids]) => (isIds(ids) ? [[hash, ids]] : [])),
    );
  } catch {
    return new Map();
  }
}
