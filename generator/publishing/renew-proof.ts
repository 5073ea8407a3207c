import type { SignedHead } from '@passport-registry/verifier/core';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfThere } from '../files/read-file.js';
import { type Cosigned, collectCosignatures } from '../log/collect.js';
import type { CosignChoice } from '../log/log-choice.js';
import { damagedLog, readLogHead } from '../log/log-files.js';
import { entriesSince } from '../log/log-tail.js';
import { sha256 } from '../tree/checksums.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { proveLogged } from './prove-logged.js';
import { replaceStatements } from './renew-statements.js';
import { addFiles, holds } from './write.js';

/** New cosignatures of a published head. */
export interface RenewedProof extends Cosigned {
  readonly head: SignedHead;
  /** The number of witnesses that have cosigned the head, now or before. */
  readonly cosigned: number;
}

/**
 * Collects new cosignatures of the head of a published log, and writes the proof with them. Expects the folder to be locked.
 *
 * @returns undefined if the tree has no log
 */
export async function renewProof(
  published: PublishedTree | undefined,
  choice: CosignChoice,
  output: OutputFolder,
): Promise<RenewedProof | undefined> {
  const { out } = output;
  const read = (path: string) => readIfThere(out, path);
  const head = readLogHead(read);
  const statement = published?.statement;
  if (head === undefined || statement === undefined) return undefined;
  const index = entriesSince(read, head.size, sha256(statement.text)).at(-1)?.index;
  if (index === undefined) throw damagedLog('has no entries');
  const collected = await collectCosignatures(head, choice, read);
  const request = { folder: out, statement, cosignatures: collected.signatures, choice };
  const { files, cosigned } = await proveLogged({ head, index }, request);
  const isChanged = [...files].some(([path, bytes]) => !holds(out, path, bytes));
  if (isChanged) await replaceStatements(output, () => addFiles(files, output));
  return { ...collected, head, cosigned };
}

/** How long a publication waits for witnesses that cosign the head which it replaces, in milliseconds. */
const REPLACED_HEAD_MS = 5000;

/**
 * Collects cosignatures of a head once more before another publication replaces it, so that its last proof shows until when
 * its publication was in force. Witnesses that do not respond soon are left out: a publication can be urgent.
 */
export async function renewReplacedProof(
  published: PublishedTree | undefined,
  choice: CosignChoice | undefined,
  output: OutputFolder,
): Promise<void> {
  // A head that contains a pending publication cannot show that none followed.
  if (choice === undefined || choice.witnesses.length === 0 || published?.pending !== undefined) return;
  await renewProof(published, { ...choice, waitMs: Math.min(choice.waitMs, REPLACED_HEAD_MS) }, output);
}
