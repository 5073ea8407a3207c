import { RegistryError } from '../errors.js';
import type { NoteKey } from '../keys/note-key.js';
import type { RootKey } from '../keys/root-key.js';
import type { SignedHead } from '../log/log-head.js';
import {
  type PublicationStatement,
  verifyPublicationStatement,
} from '../statements/publication-statement.js';
import { ANY_TIME } from '../statements/statement.js';
import { signerAmong } from './log-keys.js';
import { beginLog } from './log-state.js';
import { isOfOtherType } from './log-statement.js';
import { walkLog } from './log-walk.js';

/** What is known of a log whose entries have not been read. */
export interface UnreadLog {
  /** The root keys that are known, oldest first. Only the last one can have signed what is not published yet. */
  readonly roots: readonly RootKey[];
  /** Reads the statement at an index. Undefined if there is none. */
  readonly read: (index: number) => Promise<Uint8Array | undefined>;
}

/**
 * Finds the key that has signed the head of a log whose entries have not been read: the one that the published statement
 * names, or the newest statement in the log, which can be pending (rule log-head).
 *
 * @returns undefined if neither has, or if the root key has not signed that statement
 */
export async function headSigner(
  head: SignedHead,
  published: Uint8Array | string | undefined,
  log: UnreadLog,
): Promise<NoteKey | undefined> {
  const signer = (statement: PublicationStatement | undefined) =>
    signerAmong(head, statement?.log === undefined ? [] : [statement.log.vkey]);
  return (
    (await signer(await verifiedUnder(published, log.roots))) ??
    (await signer(await newestPublication(head.size, log)))
  );
}

/** How many statements at the end of a log are read at most. The last one is a publication (rule other-entries). */
const MAX_TAIL = 16;

/**
 * Reads and verifies the newest publication statement of a log. If the root key has not signed it, a rotation step before it
 * can lead to the one that has.
 *
 * @param size - the number of entries
 */
export async function newestPublication(
  size: number,
  { roots, read }: UnreadLog,
): Promise<PublicationStatement | undefined> {
  const begin = beginLog({ keys: roots, inForce: roots.at(-1) });
  const tail: { readonly statement: Uint8Array }[] = [];
  for (let index = size - 1; index >= Math.max(0, size - MAX_TAIL); index--) {
    const statement = await read(index);
    if (statement === undefined) break;
    if (isOfOtherType(statement)) continue;
    tail.unshift({ statement });
    const { verified, problems } = await walkLog(begin, tail);
    const [newest] = verified.filter(({ type }) => type === 'publication').slice(-1);
    if (newest?.type !== 'publication') continue;
    const isLast = !problems.some(({ kind, index: at }) => kind !== 'order' && at > newest.index);
    return isLast ? newest.publication : undefined;
  }
  return undefined;
}

/** Verifies a publication statement under any of some root keys. Undefined if none of them has signed it. */
export async function verifiedUnder(
  statement: Uint8Array | string | undefined,
  roots: readonly RootKey[],
): Promise<PublicationStatement | undefined> {
  if (statement === undefined) return undefined;
  for (const root of roots) {
    try {
      return await verifyPublicationStatement(statement, root, ANY_TIME);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return undefined;
}
