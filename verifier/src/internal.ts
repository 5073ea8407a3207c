/**
 * Code that the generator shares with the verifier, so that each rule and each limit is defined only once. These
 * exports are not part of the public API. They may change in any release.
 *
 * @internal
 */

export { NONCE_TYPE } from './agent/nonce.js';
export { askAgain } from './client/ask-again.js';
export { storedFiles } from './client/store.js';
export { headSigner, newestPublication, verifiedUnder } from './core/audit/head-signer.js';
export { keysAt, type LogKey, namedLogKey, namesLog, signerAmong } from './core/audit/log-keys.js';
export {
  beginLog,
  type FirstRoots,
  isPublication,
  type LogState,
  type PlacedEntry,
  type PlacedPublication,
  passEntry,
  rootKeysOf,
  type Said,
} from './core/audit/log-state.js';
export { isOfOtherType, readLogged } from './core/audit/log-statement.js';
export { type LogProblem, type LogWalk, type WalkedEntry, walkLog } from './core/audit/log-walk.js';
export {
  type MirrorState,
  type Operations,
  type ReportedMirror,
  verifyOperations,
} from './core/audit/operations.js';
export { decodeBase64, encodeBase64 } from './core/bytes/base64.js';
export { decodeBase64url } from './core/bytes/base64url.js';
export { isObject } from './core/bytes/checks.js';
export { forEachConcurrent } from './core/bytes/for-each-concurrent.js';
export { MAX_JSON_DEPTH, parseStrictJson } from './core/bytes/strict-json.js';
export { decodeUtf8, textOf } from './core/bytes/utf8.js';
export { hasCode } from './core/errors.js';
export {
  type JwsFault,
  JwsRefused,
  readCompactJws,
  TIME_CLAIMS,
  verifyCompactJws,
} from './core/keys/compact-jws.js';
export {
  formatNoteKey,
  isSignedByNoteKey,
  type NoteKey,
  parseNoteKey,
} from './core/keys/note-key.js';
export {
  importPublicKey,
  isPrivateJwk,
  isSignedBy,
  type PublicKey,
  publicMembers,
} from './core/keys/public-key.js';
export { LIMITS, limitOf } from './core/limits.js';
export { formatTime, instantOf } from './core/list/date-time.js';
export {
  type Cosignature,
  type CosignatureRules,
  cosignatureTime,
  cosignedText,
  encodeCosignature,
  newestCosignatures,
} from './core/log/cosignature.js';
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
} from './core/log/log-entry.js';
export {
  assertSignedByLog,
  formatHead,
  type LogHead,
  parseHead,
  type SignedHead,
} from './core/log/log-head.js';
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
} from './core/log/merkle.js';
export {
  type LoggedHead,
  PROOF,
  type ReadFile,
  readWide,
  recentCosignatures,
  refuseOtherLog,
  rootsFromTiles,
  tileReader,
  verifyPublicationProof,
} from './core/log/publication-proof.js';
export {
  formatNote,
  formatSignature,
  isNamed,
  MAX_SIGNATURES,
  type NoteSignature,
  parseNote,
  parseSignatureLines,
} from './core/log/signed-note.js';
export {
  bundlePath,
  hashesFromTiles,
  hashesOf,
  lastTiles,
  subtreeRoot,
  TILE_WIDTH,
  type TilePlace,
  tilePath,
  tileWidth,
} from './core/log/tiles.js';
export { formatLogProof, type LogProof, parseLogProof, provesEntry } from './core/log/tlog-proof.js';
export { readHashedFile } from './core/publication/hashed-file.js';
export { readHead, type SummedHead } from './core/publication/head.js';
export { type Publication, readPublication, type Trust } from './core/publication/publication.js';
export { refuseOlderList, refuseOlderStatement } from './core/publication/rollback.js';
export {
  type Conditions,
  type Memory,
  type Proven,
  pinnedMemory,
  recall,
  verifyHead,
  verifyPublication,
} from './core/publication/verify-publication.js';
export {
  type Checkpoint,
  endOfCheckpoint,
  MAX_HELD_ISSUERS,
  verifyCheckpoint,
} from './core/statements/checkpoint.js';
export {
  type Delegation,
  delegationOf,
  type Signers,
  verifyDelegation,
} from './core/statements/delegation.js';
export { type LogTrust, logTrustOf } from './core/statements/log-trust.js';
export {
  type LogIdentity,
  type PublicationStatement,
  type PublishedStatement,
  publicationClaims,
  verifyPublicationStatement,
} from './core/statements/publication-statement.js';
export { currentRoots, pinnedChains, type RootChain, walkChains } from './core/statements/root-chain.js';
export { type RotationStep, readRotation, successorIn, walkSteps } from './core/statements/rotation.js';
export {
  ANY_TIME,
  type Clock,
  readStatement,
  type Statement,
  type StatementFailures,
  type StatementTimes,
  verifyStatement,
} from './core/statements/statement.js';
export { STATEMENT_CLAIMS, STATEMENT_TYPES, type StatementType } from './core/statements/statement-types.js';
export { importAnchorRoot } from './core/statements/trust-anchor.js';
export { idHashOf, readSums, type Sums, type SumsPlace, sumsLine } from './core/sums/sums-file.js';
export {
  MAX_LEVELS,
  prefixesTo,
  prefixOf,
  recordIdOf,
  recordPath,
  sumsPath,
} from './core/sums/sums-place.js';
export {
  levelsFor,
  mayHaveLevels,
  type SummedRecord,
  type SumsTree,
  sumsTree,
} from './core/sums/sums-tree.js';
export { formatHistoryProof, type HistoryProof } from './history/history-proof.js';
export { type Period, type PeriodProof, verifyPeriod } from './history/period.js';
export { type BoundedResponse, boundedFetch, type FetchLimits } from './http/bounded-fetch.js';
export { openFile } from './http/fetch-file.js';
export { isLoopback } from './http/issuer-url.js';
export { isPublicAddress, isPublicHost } from './http/public-address.js';
export { LimitExceeded, readLimited } from './http/read-limited.js';
export { hasPassed, isToCome } from './passport/clock.js';
export { MANDATE_TYPE } from './passport/mandate.js';
export { coversPlace } from './policy/requirements.js';
