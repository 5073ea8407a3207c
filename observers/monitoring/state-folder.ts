import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import {
  type AnyEntry,
  beginLog,
  entryBytes,
  formatNote,
  type LogState,
  LogTree,
  leafHash,
  parseHead,
  passEntry,
  readLogged,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { readBytes } from '../../generator/files/read-file.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import type { Behind, KnownAbout, KnownHold, KnownLog, KnownPublication } from './round.js';

const STATE = 'state.json';
const VERSION = 1;

/** The content of state.json. */
interface State {
  readonly version: typeof VERSION;
  readonly head: string;
  readonly entries: readonly AnyEntry[];
  /** The root keys as JWKs, each with the keys to which it is committed. */
  readonly roots: readonly { readonly next_roots?: readonly string[] | undefined }[];
  /** The keys of the log, in the form of C2SP signed-note, and from which size each of them signs. */
  readonly logKeys: readonly { readonly vkey: string; readonly from: number }[];
  readonly publication: { readonly index: number; readonly text: string } | null;
  /** SHA-256 of the newest list, which is in a file of its own. */
  readonly list: string | null;
  readonly behind: Readonly<Record<string, Behind>>;
  readonly hold?: KnownHold | undefined;
  readonly about?: KnownAbout | undefined;
}

/**
 * Loads what earlier rounds have saved in a folder. Undefined if there is nothing.
 *
 * @throws {@link IoFailed} if the content is damaged. A monitor that began anew would not see a fork
 */
export async function loadState(folder: string): Promise<KnownLog | undefined> {
  const file = join(folder, STATE);
  if (!existsSync(file)) return undefined;
  try {
    return await parseState(folder, readBytes(file));
  } catch (cause) {
    throw new IoFailed(
      `${file} is damaged: ${(cause as Error).message}; restore the file, or name another folder`,
      { cause },
    );
  }
}

async function parseState(folder: string, bytes: Buffer): Promise<KnownLog> {
  const invalid = (message: string) => new Error(`it ${message}`);
  const state = JSON.parse(bytes.toString('utf8')) as State;
  if (state.version !== VERSION) throw invalid(`has the version ${String(state['version'])}, not ${VERSION}`);
  const head = parseHead(state.head, invalid);
  const { entries } = state;
  // The entries are what was saved if their hashes lead to the root that the log has signed.
  const tree = new LogTree(entries.map((entry) => leafHash(entryBytes(entry))));
  if (!(await tree.isOf(head))) throw invalid('has entries that do not belong to its head');
  return {
    head,
    entries,
    tree,
    behind: state.behind,
    hold: state.hold,
    about: state.about,
    ...(await parseWalked(state, invalid)),
    list: state.list === null ? undefined : { sha256: state.list, bytes: readSavedList(folder, state.list) },
  };
}

/** Returns where the log ended. */
async function parseWalked(
  { entries, roots, logKeys, publication: kept }: State,
  invalid: (message: string) => Error,
): Promise<{ readonly state: LogState; readonly publication: KnownPublication | undefined }> {
  const keys = await Promise.all(
    roots.map(async (jwk) => ({ ...(await importRootKey(jwk)), nextRoots: jwk.next_roots })),
  );
  const read = kept && (await readLogged(kept.text, 0, invalid)).publication;
  const state: LogState = {
    ...entries.reduce(passEntry, beginLog({ keys })),
    inForce: keys.at(-1)?.thumbprint,
    promises: read ?? undefined,
    keys: logKeys.map(({ vkey, from }) => ({ vkey, from })),
  };
  return { state, publication: kept && read ? { ...read, index: kept.index } : undefined };
}

const listFile = (hash: string) => `list-${hash}.json`;

function readSavedList(folder: string, hash: string): Uint8Array {
  const bytes = readBytes(join(folder, listFile(hash)));
  if (sha256(bytes) !== hash) throw new Error(`${listFile(hash)} has another content`);
  return bytes;
}

/**
 * Saves what a round knows. The state changes with one rename, after everything that it needs: a monitor that is killed
 * repeats the round, and skips nothing.
 *
 * @throws {@link IoFailed}
 */
export function saveState(folder: string, { head, list, publication, state: log, ...known }: KnownLog): void {
  if (head === undefined) return;
  const state: State = {
    version: VERSION,
    head: formatNote(head.note),
    entries: known.entries,
    roots: log.roots.map(({ jwk, nextRoots }) => ({ ...jwk, next_roots: nextRoots })),
    logKeys: log.keys.map(({ vkey, from }) => ({ vkey, from })),
    behind: known.behind,
    hold: known.hold,
    about: known.about,
    list: list?.sha256 ?? null,
    publication: publication === undefined ? null : { index: publication.index, text: publication.text },
  };
  const kept = list && listFile(list.sha256);
  try {
    mkdirSync(folder, { recursive: true });
    if (list !== undefined && kept !== undefined && !existsSync(join(folder, kept))) {
      writeWholeFile(join(folder, kept), list.bytes);
    }
    writeWholeFile(join(folder, STATE), `${JSON.stringify(state)}\n`);
    for (const name of readdirSync(folder)) {
      if (/^list-[0-9a-f]{64}\.json$/.test(name) && name !== kept) rmSync(join(folder, name));
    }
  } catch (cause) {
    if (cause instanceof IoFailed) throw cause;
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
