import { createHash } from 'node:crypto';
import {
  entryBytes,
  formatLogProof,
  type NoteSignature,
  parseHead,
} from '@passport-registry/verifier/internal';
import { naiveLeaf, naivePath, naiveRoot, someLeaves } from './merkle.js';
import { cosignatureBy, invalid, type NoteSigner, signedHead } from './note-keys.js';
import type { Files, TestKey } from './publication.js';
import { statementClaims, withStatement } from './summed-registry.js';
import { tilesOf } from './tiles.js';

/** What a test chooses about the log of a publication. */
export interface LogOptions {
  readonly log: NoteSigner;
  /** Who cosigns the head. */
  readonly cosigners?: readonly NoteSigner[];
  /** When they cosign, in seconds since 1970. Default: now. */
  readonly seconds?: number;
  /** The hashes of the entries before the publication, and after it. */
  readonly before?: readonly Uint8Array[];
  readonly after?: readonly Uint8Array[];
}

/** Adds a log to a publication: its name to the publication statement, the tiles, the head, and the proof. */
export async function withLog(files: Files, key: TestKey, options: LogOptions): Promise<Files> {
  const { log } = options;
  const claims = { ...statementClaims(files), log: { origin: log.key.name, vkey: log.vkey } };
  return withProof(await withStatement(files, key, claims), options);
}

/** Adds a log that contains the publication statement as it is. */
export function withProof(
  files: Files,
  { log, cosigners = [], before = someLeaves(5), after = [], ...options }: LogOptions,
): Files {
  const jwt = files.get('publication.jwt') as Buffer;
  const { sha256: list, sequence, updated_at } = statementClaims(files) as Record<string, unknown>;
  const sha256 = createHash('sha256').update(jwt).digest('hex');
  const entry = entryBytes({ list, sequence, sha256, type: 'publication', updated_at } as never);
  const leaves = [...before, naiveLeaf(entry), ...after];
  const seconds = options.seconds ?? Math.floor(Date.now() / 1000);
  const cosign = (text: string): NoteSignature[] =>
    cosigners.map((witness) => cosignatureBy(witness, text, seconds));
  const head = signedHead(log, { size: leaves.length, root: naiveRoot(leaves) }, cosign);
  const proof = {
    index: before.length,
    path: naivePath(before.length, leaves),
    head: parseHead(head, invalid),
  };
  const tiles = [...tilesOf(leaves)].map(([path, bytes]) => [`log/${path}`, Buffer.from(bytes)] as const);
  return new Map([
    ...files,
    ...tiles,
    ['log/checkpoint', Buffer.from(head)],
    ['log/publication.tlog-proof', Buffer.from(formatLogProof(proof))],
  ]);
}
