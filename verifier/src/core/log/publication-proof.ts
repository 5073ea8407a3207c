import type { Clock } from '../bytes/clock.js';
import { isSameBytes } from '../bytes/encodings.js';
import { RegistryError } from '../errors.js';
import { parseNoteKey } from '../keys/note-key.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import type { LogTrust } from '../statements/trust-anchor.js';
import { type Cosignature, type CosignatureRules, newestCosignatures } from './cosignature.js';
import { entryBytes, publicationEntry } from './log-entry.js';
import { assertSignedByLog } from './log-head.js';
import { consistentRoots, type TreeHead } from './merkle.js';
import { hashesFromTiles, type ReadTile, TILE_WIDTH, type TileAddress, tilePath } from './tiles.js';
import { parseLogProof, provesEntry } from './tlog-proof.js';

/** The head of a log whose last entry is an accepted publication. Its `root` is a hash. */
export interface LoggedHead extends TreeHead {
  /** The newest cosignatures, at most the quorum, newest first. */
  readonly cosignatures: readonly Cosignature[];
  /**
   * The time of the oldest cosignature that the quorum counts, in milliseconds since 1970. Undefined without witnesses.
   */
  readonly witnessedAt: number | undefined;
  /** The proof itself. */
  readonly proof: string;
}

/** What a verifier demands of a proof: the log, the witnesses, and which cosignatures count by their times. */
interface ProofRules extends LogTrust, CosignatureRules {}

/** Returns the times of the cosignatures that count now. @param maxAge - of the oldest one, in milliseconds */
export function recentCosignatures(
  { now, tolerance }: Clock,
  maxAge: number,
): Pick<CosignatureRules, 'since' | 'until'> {
  return { since: now - maxAge - tolerance, until: now + tolerance };
}

/** Reads a file of the tree. Undefined if there is no such file. */
export type ReadFile = (path: string) => Promise<Uint8Array | undefined>;

const notLogged = (message: string) =>
  new RegistryError('ERR_NOT_LOGGED', `the proof that the list is logged ${message}`);

/**
 * Verifies that a publication statement is the last entry of a log, and that enough witnesses have cosigned the head of the
 * log (rule log-proof). The root key names the key of the log in the statement.
 *
 * @param proof - the member `log_proof` of statements.json. Undefined if there is none
 * @throws `ERR_NOT_LOGGED` | `ERR_TOO_FEW_COSIGNATURES`
 */
export async function verifyPublicationProof(
  proof: string | undefined,
  statement: PublicationStatement,
  { origin, ...rules }: ProofRules,
): Promise<LoggedHead> {
  if (statement.log?.origin !== origin) {
    throw notLogged(`must be of ${origin}, but the publication names ${statement.log?.origin ?? 'no log'}`);
  }
  if (proof === undefined) throw notLogged('is missing');
  const parsed = parseLogProof(proof, notLogged);
  const { head, index } = parsed;
  await assertSignedByLog(head, parseNoteKey(statement.log.vkey, 'log', notLogged), notLogged);
  if (!provesEntry(parsed, entryBytes(publicationEntry(statement))))
    throw notLogged('does not prove the entry of the publication');
  // An older publication must not be shown under a newer head.
  if (index !== head.size - 1) throw notLogged('is not for the last entry of its head');
  const cosignatures = await newestCosignatures(head.note, rules);
  const { quorum } = rules;
  if (cosignatures.length < quorum) {
    const names = cosignatures.map(({ witness }) => witness.name).join(', ');
    throw new RegistryError(
      'ERR_TOO_FEW_COSIGNATURES',
      `${quorum} witnesses must have cosigned the log, but the proof has recent and valid cosignatures only of: ${names || 'none'}`,
    );
  }
  const { size, root } = head;
  return { size, root, cosignatures, witnessedAt: cosignatures.at(-1)?.time, proof };
}

/** A verified head, and the head that was accepted before. */
interface Heads {
  readonly head: LoggedHead;
  readonly accepted: LoggedHead | undefined;
}

/**
 * Accepts a head that continues the accepted one (rule log-rollback). A smaller head is refused, and so is one of the same
 * size with another root. A witness that has cosigned both heads has verified that the larger log contains the smaller one.
 * Without such a witness, the tiles of the log must prove it.
 *
 * @param readFile - reads a file of the source
 * @returns the head with the newer cosignatures, so that a source with old ones cannot make the list look less fresh
 * @throws `ERR_LOG_INCONSISTENT`
 */
export async function acceptHead({ head, accepted }: Heads, readFile: ReadFile): Promise<LoggedHead> {
  if (accepted === undefined) return head;
  const hasSameSize = head.size === accepted.size;
  const isVouched = head.size > accepted.size && sharesWitness(head, accepted);
  if (!isVouched && !(await containsHead(head, accepted, readFile))) throw notContained(head, accepted);
  const isOlder = (head.witnessedAt ?? 0) < (accepted.witnessedAt ?? 0);
  return hasSameSize && isOlder ? accepted : head;
}

function notContained(newer: TreeHead, older: TreeHead): RegistryError {
  return new RegistryError(
    'ERR_LOG_INCONSISTENT',
    `the log with ${newer.size} entries does not contain the one with ${older.size} that was accepted before`,
  );
}

function sharesWitness(one: LoggedHead, other: LoggedHead): boolean {
  const keys = one.cosignatures.map(({ witness }) => witness.jwk.x);
  return other.cosignatures.some(({ witness }) => keys.includes(witness.jwk.x));
}

/**
 * Whether a log contains the log of an older head: its tiles, below `log/`, lead to both roots. Between heads of the same
 * size, the roots decide, and no log contains a larger one.
 *
 * @throws `ERR_LOG_INCONSISTENT` if a tile is missing or malformed, or if the tiles do not belong to the newer head
 */
async function containsHead(newer: TreeHead, older: TreeHead, readFile: ReadFile): Promise<boolean> {
  if (newer.size <= older.size) return newer.size === older.size && isSameBytes(newer.root, older.root);
  const hashes = hashesFromTiles(newer.size, tileReader(readFile));
  const [before, after] = await consistentRoots(older.size, [0, newer.size], hashes);
  if (!isSameBytes(after, newer.root)) throw notContained(newer, older);
  return isSameBytes(before, older.root);
}

/** Reads tiles below `log/`. */
export function tileReader(readFile: ReadFile): ReadTile {
  return async (address) => {
    const bytes = await readTileOrBundle(readFile, tilePath, address);
    if (bytes === undefined || bytes.length < address.width * 32 || bytes.length % 32 !== 0) {
      const path = `log/${tilePath(address)}`;
      throw new RegistryError('ERR_LOG_INCONSISTENT', `the log has no tile ${path}, or a malformed one`);
    }
    return bytes;
  };
}

/** Reads a tile or a bundle below `log/`. A full one replaces its partial ones (C2SP tlog-tiles). */
export async function readTileOrBundle(
  readFile: ReadFile,
  pathOf: (address: TileAddress) => string,
  address: TileAddress,
): Promise<Uint8Array | undefined> {
  const bytes = await readFile(`log/${pathOf(address)}`);
  if (bytes !== undefined || address.width === TILE_WIDTH) return bytes;
  return readFile(`log/${pathOf({ ...address, width: TILE_WIDTH })}`);
}
