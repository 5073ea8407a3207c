/**
 * Code that the generator shares with the verifier, so that each rule and each limit is defined only once. These
 * exports are not part of the public API. They may change in any release.
 *
 * @internal
 */

export { NONCE_TYPE } from './agent/nonce.js';
export { decodeBase64, encodeBase64 } from './encoding/base64.js';
export { decodeBase64url } from './encoding/base64url.js';
export { isObject } from './encoding/checks.js';
export { forEachConcurrent } from './encoding/for-each-concurrent.js';
export { MAX_JSON_DEPTH, parseStrictJson } from './encoding/strict-json.js';
export { decodeUtf8, textOf } from './encoding/utf8.js';
export { formatHistoryProof, type HistoryProof } from './history/history-proof.js';
export { type Period, type PeriodProof, verifyPeriod } from './history/period.js';
export { type BoundedResponse, boundedFetch, type FetchLimits } from './http/bounded-fetch.js';
export { openFile } from './http/fetch-file.js';
export { isLoopback } from './http/issuer-url.js';
export { isPublicAddress, isPublicHost } from './http/public-address.js';
export { LimitExceeded, readLimited } from './http/read-limited.js';
export { LIMITS, limitOf } from './limits.js';
export { formatTime, instantOf } from './list/date-time.js';
export {
  type Cosignature,
  type CosignatureRules,
  cosignatureTime,
  cosignedText,
  encodeCosignature,
  newestCosignatures,
} from './log/cosignature.js';
export {
  type AnyEntry,
  delegationEntry,
  entryBytes,
  formatBundle,
  type LogEntry,
  type PublicationEntry,
  parseAnyEntry,
  parseBundle,
  parseEntry,
  publicationEntry,
  rotationEntry,
  type UnknownEntry,
} from './log/log-entry.js';
export { assertSignedByLog, formatHead, type LogHead, parseHead, type SignedHead } from './log/log-head.js';
export {
  consistencyProof,
  emptyRoot,
  inclusionProof,
  isConsistent,
  isSameHash,
  leafHash,
  nodeHash,
  rangeRoot,
  rootFromInclusion,
  type SubtreeHash,
  type TreeHead,
} from './log/merkle.js';
export {
  type LoggedHead,
  PROOF,
  type ReadFile,
  recentCosignatures,
  refuseOtherLog,
  rootsFromTiles,
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
  type SignedNote,
} from './log/signed-note.js';
export {
  bundlePath,
  hashesFromTiles,
  hashesOf,
  lastTiles,
  type ReadTile,
  subtreeRoot,
  TILE_WIDTH,
  type TilePlace,
  tilePath,
  tileWidth,
} from './log/tiles.js';
export { formatLogProof, type LogProof, parseLogProof, provesEntry } from './log/tlog-proof.js';
export { hasPassed, isToCome } from './passport/clock.js';
export { MANDATE_TYPE } from './passport/mandate.js';
export { coversPlace } from './policy/decide.js';
export { readHashedFile } from './publication/hashed-file.js';
export { readHead, type SummedHead } from './publication/head.js';
export { type Publication, readPublication, type Trust } from './publication/publication.js';
export { refuseOlderList, refuseOlderStatement } from './publication/rollback.js';
export { storedFiles } from './publication/store.js';
export { idHashOf, readSums, type Sums, type SumsPlace, sumsLine } from './sums/sums-file.js';
export { MAX_LEVELS, prefixesTo, prefixOf, recordIdOf, recordPath, sumsPath } from './sums/sums-place.js';
export { levelsFor, mayHaveLevels, type SummedRecord, type SumsTree, sumsTree } from './sums/sums-tree.js';
export {
  type Checkpoint,
  type CheckpointFiles,
  MAX_HELD_ISSUERS,
  verifyCheckpoint,
} from './trust/checkpoint.js';
export {
  type CompactJws,
  type JwsFault,
  JwsRefused,
  readCompactJws,
  TIME_CLAIMS,
  verifyCompactJws,
} from './trust/compact-jws.js';
export { delegationOf, type Signers, verifyDelegation } from './trust/delegation.js';
export { type LogTrust, logTrustOf } from './trust/log-trust.js';
export {
  formatNoteKey,
  isSignedByNoteKey,
  type NoteKey,
  parseNoteKey,
} from './trust/note-key.js';
export {
  type MirrorState,
  type Operations,
  type ReportedMirror,
  verifyOperations,
} from './trust/operations.js';
export {
  importPublicKey,
  isPrivateJwk,
  isSignedBy,
  type PublicKey,
  publicMembers,
} from './trust/public-key.js';
export {
  type LogIdentity,
  type PublicationStatement,
  type PublishedStatement,
  publicationClaims,
  verifyPublicationStatement,
} from './trust/publication-statement.js';
export { currentRoots, pinnedChains, type RootChain, walkChains } from './trust/root-chain.js';
export { type RotationStep, readRotation, successorIn, walkSteps } from './trust/rotation.js';
export {
  ANY_TIME,
  type Clock,
  readStatement,
  type Statement,
  type StatementFailures,
  type StatementTimes,
  verifyStatement,
} from './trust/statement.js';
export { STATEMENT_CLAIMS, STATEMENT_TYPES, type StatementType } from './trust/statement-types.js';
export { importAnchorRoot } from './trust/trust-anchor.js';
