import type { LogIdentity } from '@passport-registry/verifier/core';
import type { OutputFolder } from '../files/output-folder.js';
import { aboutBytes } from '../list/about.js';
import { type ListBytes, listBytes, recordsBytes, withUpdatedAt } from '../list/list.js';
import type { SignedList } from '../list/signed-list.js';
import { nextUpdatedAt } from '../list/updated-at.js';
import type { CompleteRecords } from '../records/check-records.js';
import { type Signer, signPayload } from '../signing/sign.js';
import { sha256 } from '../tree/checksums.js';
import { hasList, isSigned, type PublishedTree } from '../tree/published-tree.js';
import { sumsOfList } from '../tree/sums.js';
import { predecessorOf } from './predecessor.js';
import type { ListTime, SignedElsewhere } from './publication.js';
import { signedStatement } from './sign-statement.js';
import { followingList, followingStatement, type ListAndSignature } from './signed-elsewhere.js';

/** The records of a list, its signer and its time. */
interface ListToSign<By = Signer | SignedElsewhere> {
  readonly records: CompleteRecords;
  readonly signer: By;
  readonly time: ListTime;
  /** Whether the registry has checkpoints. */
  readonly checkpoint: boolean;
  /** The log of the registry; undefined if the published statement decides. */
  readonly log: LogIdentity | undefined;
}

/**
 * Returns the signed list to publish: signs the list with the key, or takes the list that was signed elsewhere.
 *
 * @throws {@link KeyRejected} | {@link UsageError}
 */
export async function signedList(
  { records, signer, time, checkpoint, log }: ListToSign,
  published: PublishedTree | undefined,
  output: OutputFolder,
): Promise<SignedList> {
  const predecessor = predecessorOf(published, signer);
  const { list, signature, kept } =
    'sign' in signer
      ? await signHere({ records, signer, time }, published)
      : followingList(signer, predecessor, output);
  const { rootKey, development } = signer;
  const hash = sha256(list.list);
  const sums = sumsOfList(list, predecessor?.statement?.levels ?? 0);
  const requested = time.updatedAt === undefined ? Date.now() : Date.parse(time.updatedAt);
  const signedAt = kept ? requested : Date.parse(list.updatedAt);
  const about = aboutBytes(records.about);
  const subject = { list, sha256: hash, sums, checkpoint, log, about: about && sha256(about), signedAt };
  const statement =
    'sign' in signer
      ? await signedStatement(subject, signer, predecessor)
      : followingStatement(subject, signer, { predecessor, output });
  return { list, signature, kept, rootKey, development, sha256: hash, statement, sums, about };
}

/** Keeps the published list if its records are the same and its signature is valid; otherwise signs a new list. */
async function signHere(
  {
    records: { issuers },
    signer,
    time: { updatedAt: requested, renew },
  }: Omit<ListToSign<Signer>, 'checkpoint' | 'log'>,
  published: PublishedTree | undefined,
): Promise<ListAndSignature> {
  const sign = async (list: ListBytes) => ({
    list,
    signature: await signPayload(list.list, signer),
    kept: false,
  });
  const records = recordsBytes(issuers.values());
  const previous = published?.updatedAt;
  const later = () => nextUpdatedAt(requested, previous, Date.now());
  if (published?.list === undefined || previous === undefined) return sign(listBytes(records, later()));
  const list = listBytes(records, previous);
  const isSignedByKey = await isSigned(published.list, published.signature, signer.rootKey);
  const isSameKey = isSignedByKey || published.rootKey?.thumbprint === signer.rootKey.thumbprint;
  if (hasList(published, list) && isSameKey) {
    const keep = !renew || requested === previous;
    if (keep && isSignedByKey && published.signature !== undefined) {
      return { list, signature: published.signature.trim(), kept: true };
    }
    // The build was killed between writing the signature and the list. For the same time, it makes the same bytes
    // again.
    if (requested === previous) return sign(list);
  }
  return sign(withUpdatedAt(list, later()));
}
