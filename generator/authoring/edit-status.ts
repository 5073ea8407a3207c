import type { Issuer } from '@passport-registry/verifier';
import { isScalar, parseDocument } from 'yaml';
import { RecordsRejected, UsageError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import { readRecordFile, recordFile } from '../records/collect.js';
import { recordOf } from './find-record.js';

type Status = Issuer['status'];

/** A change of an issuer's status, in its record. */
export interface StatusEdit {
  /** The record's file. */
  readonly file: string;
  readonly from: Status;
  readonly to: Status;
  /** Puts the record back as it was. */
  undo(): void;
}

/** What each status may become (SPEC B5); a revocation is final. */
const BECOMES: Readonly<Record<Status, readonly Status[]>> = {
  active: ['suspended', 'revoked'],
  suspended: ['active', 'revoked'],
  revoked: [],
};

/** A new status, and why. */
export interface StatusChange {
  readonly to: Status;
  readonly reason: string;
  readonly now: Date;
}

/**
 * Changes the status in an issuer's record, and nothing else in it: comments, order and spacing stay. The reason
 * becomes a comment above, with the day.
 *
 * @param issuers - the folder of the records
 * @throws {@link UsageError} when there is no such record, or the change is none that SPEC B5 allows; {@link RecordsRejected} when it
 * cannot be read
 */
export function editStatus(issuers: string, id: string, { to, reason, now }: StatusChange): StatusEdit {
  const { file, root } = recordOf(issuers, id);
  if (root !== undefined)
    throw new UsageError(`${file} is a symbolic link: change the record that it leads to`);
  const before = textOf(file);
  const [start, end, from] = statusIn(before, file);
  if (!BECOMES[from].includes(to)) {
    const why = from === 'revoked' ? 'is revoked, which is final' : `is ${from} already`;
    throw new UsageError(`${id} ${why}`);
  }
  const lineStart = before.lastIndexOf('\n', start) + 1;
  const note = `# ${now.toISOString().slice(0, 10)} ${to}: ${oneLine(reason)}${lineEnd(before)}`;
  const after = before.slice(0, lineStart) + note + before.slice(lineStart, start) + to + before.slice(end);
  replaceFile(file, after);
  return { file, from, to, undo: () => replaceFile(file, before) };
}

/** The text of a record, with its byte order mark if it has one. */
function textOf(file: string): string {
  const read = readRecordFile(file, undefined);
  if (!(read instanceof Uint8Array)) throw new RecordsRejected([read], 'nothing was changed');
  const checked = recordFile(file, read);
  if ('text' in checked) return Buffer.from(read).toString();
  throw new RecordsRejected([checked], 'nothing was changed');
}

/** Where the value of `status` stands in a record, and what it is. */
function statusIn(text: string, file: string): [start: number, end: number, status: Status] {
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error' });
  const node: unknown = document.errors.length === 0 ? document.get('status', true) : undefined;
  const [start, end] = (isScalar(node) && node.range) || [];
  const status = isScalar(node) ? node.value : undefined;
  if (start === undefined || end === undefined || !Object.keys(BECOMES).includes(String(status))) {
    throw new UsageError(`${file} has no status that can be changed; see \`validate\``);
  }
  // A comment must have its own line, which a record in one pair of braces does not give it.
  if (text.slice(text.lastIndexOf('\n', start) + 1, start).replace(/^status\s*:\s*/, '') !== '') {
    throw new UsageError(`${file} has its status in the middle of a line; change it by hand`);
  }
  if (text.slice(start, end).includes('\n')) {
    throw new UsageError(`${file} has its status on a line of its own; change it by hand`);
  }
  return [start, end, status as Status];
}

/** A reason comes from a person and stands in a comment: it must not end it. */
function oneLine(reason: string): string {
  const text = reason.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (text === '') throw new UsageError('--reason must not be empty');
  return text;
}

const lineEnd = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
