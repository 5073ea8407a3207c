import { isDeepStrictEqual } from 'node:util';
import type { Issuer } from '@passport-registry/verifier';
import { GRAMMAR } from '@passport-registry/verifier/core';
import { isScalar, stringify } from 'yaml';
import { RecordsRejected, UsageError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import { findRecordFiles, readRecordFile, recordFile, stemOf } from '../records/collect.js';
import { unknownId } from '../records/ids.js';
import { parseRecord } from './layout.js';

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
interface StatusChange {
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
 * Changes only the status in an issuer's record, and its reason: comments, order and spacing stay. Of an issuer that is
 * suspended or revoked, `status_reason` has the reason. The date is that of the change in the published changes and in git.
 * An active issuer has no such field, so the reason for the end of a suspension, with its date, is a comment above the
 * status.
 *
 * @param issuers - the folder of the records
 * @throws {@link UsageError} if the record does not exist, or if the change is forbidden (rule record-changes);
 * {@link RecordsRejected} if the record cannot be read
 */
export async function editStatus(issuers: string, id: string, change: StatusChange): Promise<StatusEdit> {
  const { to, now } = change;
  const reason = toOneLine(change.reason);
  const file = fileOf(issuers, id);
  const before = readRecordText(file);
  const { status, given, from } = findFields(before, file);
  const isUnpublished = from === to && !(await change.isPublished());
  if (!isUnpublished && !TRANSITIONS[from].includes(to)) {
    const final = from === 'revoked' ? ', which is final' : '';
    const known =
      from === to ? ', also in the list: if the host does not show that yet, publish the tree' : '';
    throw new UsageError(`${id} is already ${from}${final}${known}`);
  }
  const edits = [{ ...status, text: to as string }];
  if (to === 'active') {
    const note = `# ${now.toISOString().slice(0, 10)} ${to}: ${reason}${lineEndingOf(before)}`;
    const start = lineStartOf(before, status.start);
    // The same command, after it was killed, has written the comment.
    const isNoted = isUnpublished && before.slice(0, start).endsWith(note);
    if (!isNoted) edits.push({ start, end: start, text: note });
    if (given !== undefined) edits.push({ ...wholeLines(before, given), text: '' });
  } else edits.push(reasonEdit(before, { status, given }, reason));
  const after = applyEdits(before, edits);
  assertOnlyStatus(before, after, { file, to, reason });
  if (after !== before) replaceFile(file, after);
  return { file, from, to, undo: () => (after === before ? undefined : replaceFile(file, before)) };
}

/** Finds the record file of an issuer, by file name. @throws {@link UsageError} if there is not one such file, or only a link */
function fileOf(issuers: string, id: string): string {
  const all = findRecordFiles([issuers]);
  const [found, another] = all.filter(({ file }) => stemOf(file) === id);
  if (found === undefined) {
    const known = all.map(({ file }) => stemOf(file));
    throw unknownId(`${issuers} has no record of`, id, known);
  }
  const { file, root } = found;
  if (another !== undefined) throw new UsageError(`there are two records of ${id}: ${file}, ${another.file}`);
  if (root !== undefined)
    throw new UsageError(`${file} is a symbolic link: change the record that the link points to`);
  return file;
}

/** A part of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A part of a text, and what replaces it. */
interface Edit extends Span {
  readonly text: string;
}

/** The parts of a record that a change of the status changes. */
interface StatusFields {
  /** The value of `status`. */
  readonly status: Span;
  /** The value of `status_reason`; undefined if the record has no such field. */
  readonly given: Span | undefined;
  readonly from: Status;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let edited = text;
  for (const { start, end, text: part } of [...edits].sort((a, b) => b.start - a.start)) {
    edited = edited.slice(0, start) + part + edited.slice(end);
  }
  return edited;
}

/** Replaces the value of `status_reason`, or adds the field below the line of the status. */
function reasonEdit(
  text: string,
  { status, given }: Pick<StatusFields, 'status' | 'given'>,
  reason: string,
): Edit {
  const scalar = stringify(reason, { lineWidth: 0 }).trimEnd();
  if (given !== undefined) {
    const [lineEnd = ''] = /\r?\n$/.exec(text.slice(given.start, given.end)) ?? [];
    return { ...given, text: scalar + lineEnd };
  }
  const ending = lineEndingOf(text);
  const next = text.indexOf('\n', status.end);
  const line = `status_reason: ${scalar}`;
  if (next === -1) return { start: text.length, end: text.length, text: `${ending}${line}` };
  return { start: next + 1, end: next + 1, text: `${line}${ending}` };
}

const lineStartOf = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1;

/** The lines of a field, from its name to the end of its value. */
function wholeLines(text: string, { start, end }: Span): Span {
  const field = text.lastIndexOf('status_reason', start);
  const next = text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
  return { start: lineStartOf(text, field), end: next === -1 ? text.length : next + 1 };
}

/** Asserts that the edited text is the record with the new status and its reason, and has nothing else that is new. */
function assertOnlyStatus(
  before: string,
  after: string,
  { file, to, reason }: { readonly file: string; readonly to: Status; readonly reason: string },
): void {
  const { status_reason: _replaced, ...kept } = parseRecord(before).toJS();
  const expected = { ...kept, status: to, ...(to !== 'active' && { status_reason: reason }) };
  const document = parseRecord(after);
  const isSame = document.errors.length === 0 && isDeepStrictEqual(document.toJS(), expected);
  if (!isSame)
    throw new UsageError(`${file} has its status or its reason in an unusual form; change it by hand`);
}

/** Reads the text of a record, including a byte order mark. */
function readRecordText(file: string): string {
  const read = readRecordFile({ file });
  if (!(read instanceof Uint8Array)) throw new RecordsRejected([read], 'nothing was changed');
  const checked = recordFile(file, read);
  if ('text' in checked) return Buffer.from(read).toString();
  throw new RecordsRejected([checked], 'nothing was changed');
}

/** Finds the values of `status` and `status_reason` in a record, with their positions. */
function findFields(text: string, file: string): StatusFields {
  const document = parseRecord(text);
  const fieldOf = (field: string): unknown =>
    document.errors.length === 0 ? document.get(field, true) : undefined;
  const node = fieldOf('status');
  const [start, end] = (isScalar(node) && node.range) || [];
  const status = isScalar(node) ? node.value : undefined;
  if (start === undefined || end === undefined || !Object.keys(TRANSITIONS).includes(String(status))) {
    throw new UsageError(`${file} has no status that can be changed; see \`check\``);
  }
  // The other lines need their own line. A record in flow style, on one line in braces, has no place for them.
  if (text.slice(lineStartOf(text, start), start).replace(/^status\s*:\s*/, '') !== '') {
    throw new UsageError(`${file} has its status in the middle of a line; change it by hand`);
  }
  if (text.slice(start, end).includes('\n')) {
    throw new UsageError(`${file} has its status on a line of its own; change it by hand`);
  }
  const reason = fieldOf('status_reason');
  const range = (isScalar(reason) && reason.range) || undefined;
  return {
    status: { start, end },
    given: range && { start: range[0], end: range[1] },
    from: status as Status,
  };
}

/** Puts the reason on one line, in the form of `status_reason`. */
function toOneLine(reason: string): string {
  const text = reason
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Z}\s]+/gu, ' ')
    .trim();
  if (text === '') throw new UsageError('--reason must not be empty');
  // As commands and their help are printed, with or without brackets, where it stands for the reason.
  if (/^<.*>$|^(?:reason|text)$/i.test(text))
    throw new UsageError(`--reason: write the reason in place of ${text}`);
  const { pattern, maxLength } = GRAMMAR.statusReason;
  const { length } = [...text];
  if (length > maxLength)
    throw new UsageError(
      `--reason has ${length} characters: write at most ${maxLength}, because it is published`,
    );
  if (!pattern.test(text))
    throw new UsageError('--reason has an invisible character: write visible text only');
  return text;
}

const lineEndingOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
