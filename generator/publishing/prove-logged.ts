import {
  cosignatureTime,
  formatLogProof,
  formatNote,
  inclusionProof,
  type LogProof,
  type NoteSignature,
  parseLogProof,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { ignoring, TreeRejected } from '../errors.js';
import { type Cosigned, collectCosignatures } from '../log/collect.js';
import type { CosignChoice } from '../log/log-choice.js';
import { hashesIn, type ReadFileSync } from '../log/log-files.js';
import { cosignersOf } from '../log/read-cosignature.js';

/** What witnesses did with a head of the log. */
export interface LogReport {
  /** The number of entries of the log. */
  readonly size: number;
  /** The number of witnesses that have cosigned the newest head, and the number that is demanded. */
  readonly cosigned: number;
  /** The number of witnesses that have cosigned now. The others have cosigned the same head before, or not at all. */
  readonly collected: number;
  readonly quorum: number;
  /** Why witnesses have not cosigned, in words. */
  readonly missing: readonly string[];
  /** Whether one of them has cosigned what the log lacks: it never cosigns what follows. */
  readonly isForked: boolean;
}

/** A head of the log with its cosignatures, and what proves that the publication is its last entry (rule log-proof). */
export interface CosignedLog {
  readonly head: SignedHead;
  /** The content of the file with the head. */
  readonly headBytes: Uint8Array;
  /** The proof, for statements.json. */
  readonly proof: string;
  readonly report: LogReport;
}

/**
 * Collects cosignatures for a head, and proves with them that the log has the publication: its last entry. The cosignatures that
 * the head has already stay.
 *
 * @param read - reads the files of the log
 */
export async function cosign(
  head: SignedHead,
  choice: CosignChoice,
  read: ReadFileSync,
): Promise<CosignedLog> {
  const { signatures, missing }: Cosigned = await collectCosignatures(head, choice, read);
  const cosigned = withCosignatures(head, signatures);
  const report: LogReport = {
    size: head.size,
    cosigned: await countCosigners(cosigned, choice),
    collected: signatures.length,
    quorum: choice.quorum,
    missing: missing.map(({ witness, problem }) => `${witness}: ${problem}`),
    isForked: missing.some(({ isOtherHistory }) => isOtherHistory === true),
  };
  const proof = await proveLast(cosigned, read);
  return { head: cosigned, headBytes: Buffer.from(formatNote(cosigned.note)), proof, report };
}

/** Returns what proves that the last entry of a log is in it, for statements.json. */
export async function proveLast(head: SignedHead, read: ReadFileSync): Promise<string> {
  const index = head.size - 1;
  const path = await inclusionProof(index, head.size, hashesIn(read, head.size));
  return formatLogProof({ index, path, head });
}

/** Returns how many of the witnesses have cosigned a head, at any time. */
export async function countCosigners(
  head: SignedHead,
  { witnesses }: Pick<CosignChoice, 'witnesses'>,
): Promise<number> {
  const keys = witnesses.map(({ key }) => key);
  return (await cosignersOf(head, keys)).length;
}

/** Reads a proof. Undefined if there is none, or if it is damaged. */
export function readProof(proof: string | undefined): LogProof | undefined {
  try {
    return proof === undefined ? undefined : parseLogProof(proof, (message) => new TreeRejected(message));
  } catch (error) {
    return ignoring(TreeRejected)(error);
  }
}

/** Returns a head with the newest cosignature of each witness, in the order of their names. */
function withCosignatures(head: SignedHead, found: readonly NoteSignature[]): SignedHead {
  const { signatures } = head.note;
  const timeOf = (line: NoteSignature) => cosignatureTime(line) ?? 0;
  const newest = new Map<string, NoteSignature>();
  for (const line of [...signatures, ...found]) {
    const id = `${line.name}+${line.keyId}`;
    const other = newest.get(id);
    if (timeOf(line) > 0 && (other === undefined || timeOf(line) > timeOf(other))) newest.set(id, line);
  }
  const cosignatures = [...newest].sort(([one], [next]) => (one < next ? -1 : 1)).map(([, line]) => line);
  const own = signatures.filter((line) => timeOf(line) === 0);
  return { ...head, note: { ...head.note, signatures: [...own, ...cosignatures] } };
}
