import type { Issuer } from '@passport-registry/verifier';
import { isScalar, parseDocument } from 'yaml';
import { RecordsRejected, UsageError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import { readRecordFile, recordFile } from '../records/collect.js';
import { recordOf } from './find-record.js';

type Status = Issuer['status'];

/**
 * A change of an issuer's status that was written to the record. If `from` equals `to`, the record had that status, and got
 * only the reason.
 */
export interface StatusEdit {
  /** The path of the record. */
  readonly file: string;
  readonly from: Status;
  readonly to: Status;
  /** Restores the record. */
  undo(): void;
}

/** The permitted transitions from each status (rule record-changes). A revocation is final. */
const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  active: ['suspended', 'revoked'],
  suspended: ['active', 'revoked'],
  revoked: [],
};

/** A new status, with the reason for the change. */
export interface StatusChange {
  readonly to: Status;
  readonly reason: string;
  readonly now: Date;
  /**
   * Whether the published list has the new status. Called if the record already has it: a command that was killed, or
   * somebody by hand, may have edited the record and published nothing.
   */
  isPublished(): Promise<boolean>;
}

/**
 * Changes only the status in an issuer's record: comments, order and spacing stay. A comment above the status gives the
 * date and the reason.
 *
 * @param issuers - the folder of the records
 * @throws {@link UsageError} if the record does not exist, or if the change is forbidden (rule record-changes);
 * {@link RecordsRejected} if the record cannot be read
 */
export async function editStatus(issuers: string, id: string, change: StatusChange): Promise<StatusEdit> {
  const { to, reason, now } = change;
  const { file, root } = recordOf(issuers, id);
  if (root !== undefined)
    throw new UsageError(`${file} is a symbolic link: change the record that the link points to`);
  const before = readRecordText(file);
  const [start, end, from] = findStatus(before, file);
  const isUnpublished = from === to && !(await change.isPublished());
  if (!isUnpublished && !TRANSITIONS[from].includes(to)) {
    const why = from === 'revoked' ? 'is revoked, which is final' : `is already ${from}`;
    throw new UsageError(`${id} ${why}`);
  }
  const lineStart = before.lastIndexOf('\n', start) + 1;
  const note = `# ${now.toISOString().slice(0, 10)} ${to}: ${toOneLine(reason)}${lineEndingOf(before)}`;
  // The same command, after it was killed.
  if (isUnpublished && before.slice(0, lineStart).endsWith(note))
    return { file, from, to, undo: () => undefined };
  const after = before.slice(0, lineStart) + note + before.slice(lineStart, start) + to + before.slice(end);
  replaceFile(file, after);
  return { file, from, to, undo: () => replaceFile(file, before) };
}

/** Reads the text of a record, including a byte order mark. */
function readRecordText(file: string): string {
  const read = readRecordFile(file, undefined);
  if (!(read instanceof Uint8Array)) throw new RecordsRejected([read], 'nothing was changed');
  const checked = recordFile(file, read);
  if ('text' in checked) return Buffer.from(read).toString();
  throw new RecordsRejected([checked], 'nothing was changed');
}

/** Finds the value of `status` in a record, with its position. */
function findStatus(text: string, file: string): [start: number, end: number, status: Status] {
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error' });
  const node: unknown = document.errors.length === 0 ? document.get('status', true) : undefined;
  const [start, end] = (isScalar(node) && node.range) || [];
  const status = isScalar(node) ? node.value : undefined;
  if (start === undefined || end === undefined || !Object.keys(TRANSITIONS).includes(String(status))) {
    throw new UsageError(`${file} has no status that can be changed; see \`check\``);
  }
  // The comment needs its own line. A record in flow style, on one line in braces, has no place for the comment.
  if (text.slice(text.lastIndexOf('\n', start) + 1, start).replace(/^status\s*:\s*/, '') !== '') {
    throw new UsageError(`${file} has its status in the middle of a line; change it by hand`);
  }
  if (text.slice(start, end).includes('\n')) {
    throw new UsageError(`${file} has its status on a line of its own; change it by hand`);
  }
  return [start, end, status as Status];
}

/** Puts the reason on one line, so that the reason cannot end the comment. */
function toOneLine(reason: string): string {
  const text = reason.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (text === '') throw new UsageError('--reason must not be empty');
  return text;
}

const lineEndingOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
