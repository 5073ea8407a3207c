import { join } from 'node:path';
import { UsageError } from '../../generator/errors.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { readProgress } from '../holder-signing/aggregate.js';
import { signingHolder, writeCommitments } from '../holder-signing/commitments.js';
import { writeShares } from '../holder-signing/signature-shares.js';
import { readTaskMessages, type SigningTask, signingTask } from '../holder-signing/signing-task.js';
import type { KeyShare } from '../shared-key/frost.js';
import { isPartOf, shareFrom } from '../shared-key/key-generation.js';
import { base64url, refusedMessage, signMessage } from '../shared-key/message.js';
import {
  type HolderFile,
  type JoiningSecrets,
  type OpenedShare,
  readHolderFile,
  type ShareAccess,
  type ShareSecrets,
  shareIn,
  writeHolderFile,
} from '../shared-key/share-file.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { CEREMONY_FILES, type Ceremony, DEALER } from './ceremony-file.js';
import { recordFiles } from './holders-file.js';
import { assertOwnCeremony, assertUnchanged, generationOf, writeMessage } from './join.js';
import { withoutMessage } from './messages.js';
import { decryptPart } from './parts.js';
import { readReceipts, readTranscript, type Transcript, testPayload } from './transcript.js';

/** How a holder finishes. */
interface FinishChoice {
  /** The folder of this user for what was signed. */
  readonly memory: string;
  /** Asks whether all holders have the same fingerprint. Throws if they do not. */
  readonly confirm: (digest: string) => Promise<void>;
}

/**
 * Takes the third round: verifies the parts from all others, asks for the fingerprint, and writes the share and a
 * receipt. Once all receipts are there, gives signature shares for the test signature. Repeating it is safe.
 *
 * @returns the name of the holder, the fingerprint, the thumbprint of the shared key, and the names of the holders who have
 * to run `finish`, for the first or the second time. If there are none, the key is live
 * @throws {@link SharedKeyRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function finishCeremony(
  ceremony: Ceremony,
  access: ShareAccess,
  { memory, confirm }: FinishChoice,
) {
  const own = await readHolderFile(access);
  if (own === undefined)
    throw new UsageError(`${access.file} does not exist: run \`keys ceremony join\` first`);
  assertOwnCeremony(own, ceremony);
  if (own.secrets.stage === 'joining') assertPartsSent(own.secrets);
  const transcript = await readTranscript(ceremony);
  const { group, digest } = transcript;
  const root = group.rootKey.thumbprint;
  const secrets =
    own.secrets.stage === 'share'
      ? own.secrets
      : await makeShare(transcript, { ...own, secrets: own.secrets }, { confirm, env: access.env });
  if (secrets.digest !== digest) {
    throw new SharedKeyRejected(
      'ERR_CEREMONY_CHANGED',
      `the messages in ${ceremony.folder} are not those with which the share in ${access.file} was made`,
    );
  }
  const opened = await shareIn({ ...own, secrets });
  writeReceipt(transcript, opened);
  await testShare(transcript, opened, memory);
  const waitingFor = await writeRecordIfComplete(transcript);
  return { name: own.label.name, digest, root, waitingFor };
}

/** Makes the share of a holder who has the same fingerprint as the others, and writes it in place of the secrets of the ceremony. */
async function makeShare(
  transcript: Transcript,
  own: HolderFile<JoiningSecrets>,
  { confirm, env }: Pick<FinishChoice, 'confirm'> & Pick<ShareAccess, 'env'>,
): Promise<ShareSecrets> {
  const { group, digest, joined } = transcript;
  assertUnchanged(joined, own.secrets);
  const { scalar } = await shareOf(transcript, own);
  await confirm(digest);
  // The polynomial and the decryption key are forgotten.
  const secrets: ShareSecrets = {
    stage: 'share',
    messageKey: own.secrets.messageKey,
    scalar: base64url(scalar),
    digest,
    holders: group.holders.map(({ number, name, x }) => ({ number, name, x })),
    commitments: group.key.commitments.map(base64url),
  };
  const label = { ...own.label, root: group.rootKey.thumbprint };
  await writeHolderFile({ ...own, label, secrets }, env);
  return secrets;
}

function assertPartsSent({ parts, coefficients }: JoiningSecrets): void {
  if (parts !== undefined || coefficients === undefined) return;
  throw new UsageError(
    'the second round is not done: run `keys ceremony join` again, once all holders have joined',
  );
}

/** Verifies the parts for this holder, and adds them up. */
async function shareOf(
  { ceremony, joined, parts, group }: Transcript,
  own: HolderFile<JoiningSecrets>,
): Promise<KeyShare> {
  const { secrets } = own;
  const { number } = own.label;
  // The own message is there, so this only refuses another one in its place.
  if (secrets.parts !== undefined) writeMessage(ceremony, CEREMONY_FILES.parts(number), secrets.parts.text);
  const received = new Map<number, Uint8Array>();
  for (const message of parts) {
    const from = message.holder;
    if (from === number) continue;
    const sender = from === 0 ? undefined : joined.find((one) => one.number === from);
    const name = sender?.name ?? DEALER;
    const file = from === 0 ? CEREMONY_FILES.split : CEREMONY_FILES.parts(from);
    const { decryptionKey } = secrets;
    const part = await decryptPart(message, ceremony, { to: number, decryptionKey, file, name });
    const commitments = sender?.contribution?.commitments ?? group.key.commitments;
    if (!isPartOf(part, number, { ...group.key, commitments })) {
      throw refusedMessage(
        { file, name },
        'ERR_KEY_PART',
        `has a part of the key that does not fit what ${name} has published: start a new ceremony`,
      );
    }
    received.set(from, part);
  }
  const dealt = received.get(0);
  if (dealt !== undefined) return { number, scalar: dealt };
  return shareFrom(received, generationOf(ceremony, own, joined));
}

function writeReceipt({ ceremony, group, digest }: Transcript, { label, messageKey }: OpenedShare): void {
  const claims = {
    ceremony: ceremony.sha256,
    holder: label.number,
    digest,
    root: group.rootKey.thumbprint,
  };
  const text = signMessage('registry-ceremony-receipt+jwt', claims, messageKey);
  writeMessage(ceremony, CEREMONY_FILES.receipt(label.number), text);
}

/** The task of the test signature. */
function testTask({ ceremony, digest, group }: Transcript): SigningTask {
  return signingTask(ceremony.folder, group, [{ type: 'test', bytes: testPayload(digest) }]);
}

/** Commits to nonces for the test signature, and gives the shares once all holders have a receipt and have committed. */
async function testShare(transcript: Transcript, opened: OpenedShare, memory: string): Promise<void> {
  const { ceremony, group } = transcript;
  const task = testTask(transcript);
  const holder = signingHolder(task, opened, memory);
  await writeCommitments(task, holder, false);
  const receipts = await readReceipts(transcript);
  const { messages: committed } = await readTaskMessages(task, group, 'commitments');
  if (receipts.size < ceremony.holders || committed.size < ceremony.holders) return;
  try {
    await writeShares(task, holder);
  } catch (error) {
    if (!(error instanceof SharedKeyRejected) || error.code !== 'ERR_NONCES_USED') throw error;
    // The machine was restarted, or an earlier run was killed: nothing was lost but the test.
    await writeCommitments(task, holder, true);
  }
}

/** Writes the public record of the ceremony, once the test signature proves every share. @returns who is missing */
async function writeRecordIfComplete(transcript: Transcript): Promise<readonly string[]> {
  const { ceremony } = transcript;
  const { receipts, unreceipted, untested, signature } = await ceremonyProgress(transcript);
  const missing = ceremony.names.filter((name) => unreceipted.includes(name) || untested.includes(name));
  if (missing.length > 0) return missing;
  if (signature === undefined) return ceremony.names;
  for (const [name, text] of recordFiles(transcript, receipts, signature)) {
    writeWholeFile(join(ceremony.folder, name), text);
  }
  return [];
}

/** What the holders have done since they made the key, and the names of those who still have to act. */
export async function ceremonyProgress(transcript: Transcript) {
  const { ceremony, group } = transcript;
  const receipts = await readReceipts(transcript);
  const { signed, signatures, faults } = await readProgress(testTask(transcript), group, true);
  const untested = ceremony.names.filter((name) => !signed.includes(name));
  const unreceipted = withoutMessage(ceremony, receipts.keys());
  return { receipts, unreceipted, untested, signature: signatures?.get('test'), faults };
}
