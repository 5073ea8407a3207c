/**
 * The trusted core: bytes to facts. Nothing here fetches, waits, reads a clock, or remembers anything for a caller.
 *
 * A verifier needs only the root of this package. This door is for programs that publish, audit, mirror or watch a
 * registry, and must apply the rules that verifiers apply. [README.md](README.md) gives the order in which to read the
 * files, and the rules of the protocol that each of them holds. Until 1.0.0, a minor version can change this door.
 *
 * @example
 * ```ts
 * import { importRootKey } from '@passport-registry/verifier';
 * import { ANY_TIME, parseStatementsFile, verifyPublicationStatement } from '@passport-registry/verifier/core';
 *
 * const rootKey = await importRootKey(pinnedJwk);
 * const answer = await fetch('https://registry.example/statements.json');
 * const { publication } = parseStatementsFile(new Uint8Array(await answer.arrayBuffer()));
 * const statement = await verifyPublicationStatement(publication, rootKey, ANY_TIME);
 * console.log(statement.sequence, statement.sha256);
 * ```
 */

// Bytes, text and JSON (rule strict-json), and the limits of files.

export { type Check, isCount, isListOf, isObject, oneOf } from './bytes/checks.js';
export {
  CLOCK_TOLERANCE_MS,
  type Clock,
  COSIGNATURE_AGE_MS,
  clockNote,
  DAY_MS,
  hasPassed,
  isToCome,
} from './bytes/clock.js';
export { deepFreeze } from './bytes/deep-freeze.js';
export {
  decodeBase64,
  decodeBase64url,
  encodeBase64,
  encodeBase64url,
  isSameBytes,
} from './bytes/encodings.js';
export { forEachConcurrent } from './bytes/for-each-concurrent.js';
export { LruMap } from './bytes/lru-map.js';
export { hashBase64url, hashHex } from './bytes/sha256-sync.js';
export { type JsonFault, JsonRefused, MAX_JSON_DEPTH, parseStrictJson } from './bytes/strict-json.js';
export { decodeUtf8, type Invalid, textOf } from './bytes/utf8.js';
export { hasCode } from './errors.js';
export { LIMITS, limitOf } from './limits.js';
export { LISTS_FOLDER, listPath, TREE_FILES } from './tree-files.js';

// The checks of the options of a library.

export {
  assertOptions,
  BOOLEAN,
  BYTES,
  FUNCTION,
  INTERVAL,
  milliseconds,
  OBJECT,
  type OptionCheck,
  type OptionChecks,
  objectWith,
  required,
  SECONDS,
  TIMEOUT,
} from './options.js';

// Keys and signatures.

export {
  type CompactJws,
  type JwsFault,
  JwsRefused,
  readCompactJws,
  TIME_CLAIMS,
  verifyCompactJws,
} from './keys/compact-jws.js';
export { formatNoteKey, isSignedByNoteKey, type NoteKey, parseNoteKey } from './keys/note-key.js';
export {
  ALG_NAMES,
  type CheckedJwk,
  importChecked,
  importPublicKey,
  isPrivateJwk,
  isSignedBy,
  type KeyAlgorithm,
  type PublicKey,
  publicMembers,
  SIGNATURE_PARAMETERS,
  thumbprintOf,
} from './keys/public-key.js';
export type { PinnedRoot } from './keys/root-key.js';
export { encodeSignature, trimSignature } from './keys/signature.js';

// The list and its records (rules list-checks, record-form).

export { isAnchorMember, isValidBytes32, isValidIssuerId, isValidWebUri } from './generated/predicates.js';
export { ABOUT_FIELDS, type AboutIssuer, GRAMMAR, ISSUER_FIELDS } from './generated/schemas.js';
export { canonicalBytes } from './list/canonical.js';
export { formatTime, instantOf, isDateTime, isUpdatedAt } from './list/date-time.js';
export { assertIssuer, assertIssuerRegistry } from './list/issuer.js';
export { assertCanonical, assertSorted, parseList, readList } from './list/list.js';

// The tree of sums, which proves one record (rules sums-form, tree-of-sums).

export {
  MAX_LEVELS,
  placeOf,
  prefixesTo,
  prefixOf,
  readSums,
  recordIdOf,
  recordPath,
  sumsLine,
  sumsPath,
} from './sums/sums-file.js';
export { type SummedRecord, type SumsTree, sumsTree } from './sums/sums-tree.js';

// The statements that the root key or an online key signs (rule jwt-profile).

export {
  type Checkpoint,
  MAX_HELD_ISSUERS,
  readCheckpointClaims,
  verifyCheckpoint,
} from './statements/checkpoint.js';
export { ONLINE_MEMBERS, type OnlineKeys } from './statements/online-keys.js';
export {
  type LogIdentity,
  MAX_PREVIOUS,
  type PublicationStatement,
  publicationStatementOf,
  verifyPublicationStatement,
} from './statements/publication-statement.js';
export { currentRoots, pinnedChains, type RootChain, walkChains } from './statements/root-chain.js';
export {
  type RotationStep,
  readRotation,
  successorIn,
  verifyStep,
  walkSteps,
} from './statements/rotation.js';
export {
  ANY_TIME,
  readStatement,
  type Statement,
  statementHash,
  validFrom,
} from './statements/statement.js';
export { STATEMENT_CLAIMS, STATEMENT_TYPES, type StatementType } from './statements/statement-types.js';
export { importAnchorRoot, type LogTrust, logTrustOf } from './statements/trust-anchor.js';

// The format of a log, and the proof that it contains a publication (rules log-bytes, log-entries, log-head, log-proof).

export {
  COSIGNED_ANY_TIME,
  type CosignatureRules,
  cosignatureTime,
  cosignedText,
  encodeCosignature,
  newestCosignatures,
} from './log/cosignature.js';
export {
  type AnyEntry,
  entryBytes,
  type LogEntry,
  type PublicationEntry,
  publicationEntry,
  rotationEntry,
} from './log/log-entry.js';
export { assertSignedByLog, formatHead, type LogHead, parseHead, type SignedHead } from './log/log-head.js';
export {
  emptyRoot,
  leafHash,
  nodeHash,
  rangeRoot,
  rootFromInclusion,
  type SubtreeHash,
  type TreeHead,
} from './log/merkle.js';
export { formatBundle, parseAnyEntry, parseBundle } from './log/parse-entry.js';
export {
  acceptHead,
  type LoggedHead,
  type ReadFile,
  readTileOrBundle,
  recentCosignatures,
  tileReader,
  verifyPublicationProof,
} from './log/publication-proof.js';
export {
  formatNote,
  formatSignature,
  isNamed,
  MAX_SIGNATURES,
  type NoteSignature,
  parseNote,
  parseSignatureLines,
} from './log/signed-note.js';
export {
  bundlePath,
  hashesFromTiles,
  hashesOf,
  lastTiles,
  subtreeRoot,
  TILE_WIDTH,
  type TileAddress,
  tilePath,
  tileWidth,
} from './log/tiles.js';
export { formatLogProof, type LogProof, parseLogProof, provesEntry } from './log/tlog-proof.js';

// A publication: what one attempt at one source proves (rule client-steps).

export { type AboutIssuers, readAbout, verifyAbout } from './publication/about-file.js';
export type { Publication } from './publication/publication.js';
export { readHashedFile } from './publication/registry-files.js';
export { assertCheckpointFits, isOlderCheckpoint } from './publication/rollback.js';
export type { AcceptedStatements } from './publication/statements.js';
export {
  formatStatementsFile,
  parseStatementsFile,
  readStatementsFile,
  STATEMENTS_MEMBERS,
  type StatementsFile,
} from './publication/statements-file.js';
export {
  type Conditions,
  type Memory,
  type Proven,
  pinnedMemory,
  readMemory,
  verifyPublication,
  verifyStatements,
} from './publication/verify-publication.js';
export { findMisnamed } from './publication/whole-list.js';

// For publishers, auditors, mirrors, monitors, witnesses and the page: the rules of a whole log (rules log-statements,
// log-order), and what no client needs.

export { type Change, type Changes, MAX_CHANGES } from './audit/changes-file.js';
export { keysAt, signerAmong } from './audit/log-keys.js';
export {
  beginLog,
  type FirstRoots,
  type IndexedEntry,
  type IndexedPublication,
  isPublication,
  type LogState,
  passEntry,
  rootKeysOf,
  type VerifiedEntry,
} from './audit/log-state.js';
export { isOfOtherType, readLogged } from './audit/log-statement.js';
export { LogTree, type Tile } from './audit/log-tree.js';
export { type LogProblem, type WalkedEntry, walkLog } from './audit/log-walk.js';
export {
  type AlikeIssuers,
  alikeIssuers,
  type IssuerLook,
  lookOf,
  nameSkeleton,
} from './audit/name-skeleton.js';
export {
  isNotYet,
  placeName,
  recognitionOf,
  type ShownStatus,
  STANDINGS,
  type Standing,
  sinceOf,
  standingOf,
} from './audit/shown-issuer.js';
export { levelsFor, mayHaveLevels } from './audit/sums-levels.js';
export { consistencyProof, inclusionProof, isConsistent } from './audit/tree-proofs.js';
