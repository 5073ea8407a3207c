import { sha256Hex } from '../core/bytes/sha256.js';
import { OptionsInvalid, RegistryError } from '../core/errors.js';
import type { Issuer } from '../core/generated/schemas.js';
import { type HistoryProof, parseHistoryProof } from '../core/history/history-proof.js';
import { verifyPeriod } from '../core/history/period.js';
import type { RootKey } from '../core/keys/root-key.js';
import { limitOf } from '../core/limits.js';
import { type LogTrust, logTrustOf } from '../core/statements/log-trust.js';
import {
  type PublicationStatement,
  verifyPublicationStatement,
} from '../core/statements/publication-statement.js';
import { readRotation, walkSteps } from '../core/statements/rotation.js';
import { ANY_TIME } from '../core/statements/statement.js';
import { assertTrustAnchor, importAnchorRoot } from '../core/statements/trust-anchor.js';
import { type HashedFiles, readProvenRecord } from '../core/sums/proof.js';
import { placeOf, prefixesTo, recordPath, sumsPath } from '../core/sums/sums-file.js';
import { assertOptions, OBJECT, required } from '../options/options.js';
import type { PinnedTrustAnchor } from '../options/pinned-trust.js';

/** What a registry has provably said of an issuer in the past. */
export interface ProvenHistory {
  readonly issuerId: string;
  /** The issuer's record in the list. Undefined if the list had no such issuer. */
  readonly issuer: Issuer | undefined;
  /** The first time for which this is proven: a quorum of witnesses had seen the publication in the log. */
  readonly from: Date;
  /** The last time for which this is proven: a quorum of witnesses has seen no later publication in the log. */
  readonly until: Date;
  /** The `updated_at` of the list. */
  readonly updatedAt: string;
  /** The payload hash: SHA-256 of the list, in lower-case hexadecimal. */
  readonly sha256: string;
  /** The sequence of the publication. */
  readonly sequence: number;
  /** The RFC 7638 thumbprint of the root key that signed the publication. */
  readonly rootKey: string;
  /** The names of the witnesses that prove the two times. */
  readonly witnesses: { readonly from: readonly string[]; readonly until: readonly string[] };
}

/**
 * Verifies a file that proves what a registry said of an issuer in the past: its record, or that it was not listed, and
 * between which times (docs/protocol/log.md#history-proof). The function needs no network and no clock: the result
 * depends only on the file and the trust anchor. `passport-registry resolve --at` makes such files.
 *
 * The times are those of the witnesses. They are right if fewer witnesses than the quorum lie. The registry may have said
 * the same before and after these times.
 *
 * @param file - the content of the file: a string, or the bytes exactly as received
 * @param options - the trust anchor. It must have `log`, `witnesses` and `quorum`. Its root key signed the publication, or
 *   the rotation in the file leads from its root key to the one that did
 * @throws `ERR_BUNDLE_INVALID` if the file is malformed; `ERR_PUBLICATION_INVALID` if the root key did not sign the
 *   publication; `ERR_NOT_LOGGED` if its place in the log is not proven, or a later publication followed;
 *   `ERR_TOO_FEW_COSIGNATURES` if no quorum proves a time; `ERR_LOG_INCONSISTENT`; `ERR_SUMS_MISMATCH` or
 *   `ERR_SUMS_INVALID` or `ERR_RECORD_INVALID` if the record does not belong to the publication; the errors of
 *   `walkRotation`; {@link OptionsInvalid} | `ERR_TRUST_ANCHOR_INVALID`
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { verifyHistoryProof } from '@passport-registry/verifier/history';
 *
 * const trustAnchor = JSON.parse(await readFile('witnessed/trust-anchor.json', 'utf8'));
 * const { issuerId, issuer, from, until } = await verifyHistoryProof(
 *   await readFile('witnessed/alpha.proof.json'),
 *   { trustAnchor },
 * );
 * console.log(issuerId, issuer?.status ?? 'not listed'); // alpha active
 * console.log(from.toISOString(), until.toISOString()); // 2026-03-01T10:00:02.000Z 2026-03-08T10:00:01.000Z
 * ```
 */
export async function verifyHistoryProof(
  file: Uint8Array | string,
  options: PinnedTrustAnchor,
): Promise<ProvenHistory> {
  const { root, log } = await trustOf(options);
  const proof = parseHistoryProof(file);
  const keys = await walkSteps([root], readRotation(JSON.stringify(proof.rotation)), undefined);
  const rootKey = keys.at(-1) as RootKey;
  const content = await verifyPublicationStatement(proof.publication, rootKey, ANY_TIME);
  const { from, until, witnesses } = await verifyPeriod(content, proof, log);
  const { updatedAt, sha256, sequence } = content;
  return {
    issuerId: proof.issuer_id,
    issuer: await recordIn(proof, content),
    from: new Date(from),
    until: new Date(until),
    updatedAt,
    sha256,
    sequence,
    rootKey: rootKey.thumbprint,
    witnesses,
  };
}

async function trustOf(
  options: PinnedTrustAnchor,
): Promise<{ readonly root: RootKey; readonly log: LogTrust }> {
  assertOptions<PinnedTrustAnchor>(options, { trustAnchor: required(OBJECT) }, 'verifyHistoryProof');
  const { trustAnchor } = options;
  assertTrustAnchor(trustAnchor);
  const log = logTrustOf(trustAnchor);
  if (log === undefined || log.quorum === 0) {
    throw new OptionsInvalid(
      'verifyHistoryProof',
      'trustAnchor',
      'the trust anchor has no witnesses: without them, the past is only the word of the registry',
    );
  }
  return { root: await importAnchorRoot(trustAnchor), log };
}

/** Reads the record with the sums files of a proof. The file must have exactly what this takes. */
async function recordIn(
  { issuer_id, record, sums }: HistoryProof,
  statement: Pick<PublicationStatement, 'sumsSha256' | 'levels'>,
): Promise<Issuer | undefined> {
  const prefixes = prefixesTo(placeOf(issuer_id), statement.levels);
  const nameOf = (at: number) =>
    prefixes[at] === undefined ? `the sums file ${at + 1}` : sumsPath(prefixes[at]);
  const unread = new Map(sums.map((text, at) => [nameOf(at), text]));
  if (record !== undefined) unread.set(recordPath(issuer_id), record);
  const files: HashedFiles = {
    request: () => undefined,
    read: async (path, sha256, parse) => {
      const text = unread.get(path);
      if (text === undefined) throw new RegistryError('ERR_BUNDLE_INVALID', `the proof lacks ${path}`);
      unread.delete(path);
      const bytes = new TextEncoder().encode(text);
      if (bytes.length > limitOf(path))
        throw new RegistryError(
          'ERR_BUNDLE_INVALID',
          `${path} in the proof is larger than ${limitOf(path)} bytes`,
        );
      if ((await sha256Hex(bytes)) === sha256) return parse(bytes);
      throw new RegistryError(
        'ERR_SUMS_MISMATCH',
        `${path} in the proof does not have the hash ${sha256}, which the file above names`,
      );
    },
  };
  const issuer = await readProvenRecord(issuer_id, statement, files);
  const [surplus] = unread.keys();
  if (surplus !== undefined)
    throw new RegistryError('ERR_BUNDLE_INVALID', `the proof has ${surplus}, which it does not need`);
  return issuer;
}
