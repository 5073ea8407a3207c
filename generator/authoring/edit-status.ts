import { isDeepStrictEqual } from 'node:util';
import type { Issuer } from '@passport-registry/verifier';
import {
  type AboutIssuer,
  formatTime,
  GRAMMAR,
  instantOf,
  isDateTime,
} from '@passport-registry/verifier/core';
import { CST, Parser, stringify } from 'yaml';
import { RecordsRejected, UsageError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import { findRecordFiles, readRecordFile, recordFile, stemOf } from '../records/collect.js';
import { unknownId } from '../records/ids.js';
import { parseRecord } from './layout.js';

type Status = Issuer['status'];

/** A change of an issuer's status that can be written to the record. */
export interface StatusEdit {
  /** The path of the record. */
  readonly file: string;
  /** The status in the record before. */
  readonly from: Status;
  /** Writes the record. @throws {@link IoFailed} */
  write(): void;
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
  /** What is published of an issuer that the published list suspends. Undefined if it does not, or if that is not known. */
  readonly suspended?: AboutIssuer | undefined;
}

/**
 * Changes only the status in an issuer's record, and its reason: comments, order and spacing stay. Of an issuer that is
 * suspended or revoked, `status_reason` has the reason. The date is that of the change in the published changes and in git.
 * An active issuer has no such field, so the reason for the end of a suspension, with its date, is a comment above the
 * status, and `reinstated` has the time (rule reinstated). A record that has the status already gets only the reason, and an active
 * one stays as it is, unless the published list suspends it since then.
 *
 * @param issuers - the folder of the records
 * @throws {@link UsageError} if the record does not exist, or if the change is forbidden (rule record-changes);
 * {@link RecordsRejected} if the record cannot be read
 */
export function statusEdit(issuers: string, id: string, change: StatusChange): StatusEdit {
  const { to, now } = change;
  const reason = toOneLine(change.reason);
  const file = fileOf(issuers, id);
  const before = readRecordText(file);
  const { status_reason: _replaced, ...kept } = valuesIn(before) ?? {};
  const { status: from, reinstated: given } = kept;
  if (!isStatus(from)) throw new UsageError(`${file} has no status that can be changed; see \`check\``);
  const earliest = earliestEnd(change.suspended);
  if (from === to && to === 'active' && isEnded(given, earliest))
    return { file, from, write: () => undefined };
  if (from !== to && !TRANSITIONS[from].includes(to))
    throw new UsageError(`${id} is already ${from}, which is final`);
  const reinstated = formatTime(Math.max(wholeSecond(now.getTime()), earliest));
  const after = withStatus(before, { to, reason, reinstated });
  const said = to === 'active' ? { reinstated } : { status_reason: reason };
  // Nothing else may change, whatever form the record has.
  const expected = { ...kept, status: to, ...said };
  if (after === undefined || !isDeepStrictEqual(valuesIn(after), expected))
    throw new UsageError(`${file} has its status or its reason in an unusual form; change it by hand`);
  return { file, from, write: () => (after === before ? undefined : replaceFile(file, after)) };
}

/** The first second at which a published suspension can have ended, in milliseconds since 1970, whatever the clock says. */
function earliestEnd({ status_since, reinstated }: AboutIssuer = {}): number {
  const times = [status_since, reinstated].flatMap((time) => (time === undefined ? [] : instantOf(time)));
  return times.length === 0 ? 0 : wholeSecond(Math.max(...times)) + 1000;
}

const wholeSecond = (time: number) => Math.floor(time / 1000) * 1000;

/** Whether a record shows already that its suspension has ended. */
function isEnded(reinstated: unknown, earliest: number): boolean {
  if (earliest === 0) return true;
  return typeof reinstated === 'string' && isDateTime(reinstated) && instantOf(reinstated) >= earliest;
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

/**
 * Returns the text of a record with another status, and with its reason or the end of its suspension. Only the tokens of these
 * values change, and what is new stands on a line of its own, so comments, order and spacing stay.
 *
 * @returns undefined if the status is not a word on one line of a mapping
 */
function withStatus(
  text: string,
  { to, reason, reinstated }: { readonly to: Status; readonly reason: string; readonly reinstated: string },
): string | undefined {
  const tokens = [...new Parser().parse(text)];
  const root = tokens.find((token): token is CST.Document => token.type === 'document')?.value;
  const items = root?.type === 'block-map' && root.indent === 0 ? root.items : [];
  const indexOf = (field: string) =>
    items.findIndex(({ key }) => key?.type === 'scalar' && key.source === field);
  const status = items[indexOf('status')];
  if (status === undefined || !isOnOneLine(status.value)) return undefined;
  const { value } = status;
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const setField = (field: string, content: string) => {
    // What YAML would read as a number or another value has quotes.
    const written = stringify(content, { lineWidth: 0 }).trimEnd();
    const given = items[indexOf(field)]?.value;
    if (given) {
      CST.setScalarValue(given, content, { type: written === content ? 'PLAIN' : 'QUOTE_DOUBLE' });
      return;
    }
    const line = `${field}: ${written}`;
    const end = value.end ?? [];
    const isEnded = end.at(-1)?.type === 'newline';
    value.end = [...end, added(isEnded ? line + lineEnd : lineEnd + line)];
  };
  CST.setScalarValue(value, to, { type: 'PLAIN' });
  if (to !== 'active') setField('status_reason', reason);
  else {
    status.start.push(added(`# ${reinstated.slice(0, 10)} ${to}: ${reason}${lineEnd}`));
    const removed = items[indexOf('status_reason')];
    if (removed !== undefined) items[indexOf('status_reason')] = { start: removed.start };
    setField('reinstated', reinstated);
  }
  return tokens.map((token) => CST.stringify(token)).join('');
}

const isOnOneLine = (token: CST.Token | null | undefined): token is CST.FlowScalar =>
  ['scalar', 'single-quoted-scalar', 'double-quoted-scalar'].includes(token?.type ?? '');

/** Text that stands between the tokens of a record. */
const added = (source: string): CST.SourceToken => ({ type: 'comment', offset: -1, indent: 0, source });

const isStatus = (value: unknown): value is Status => Object.keys(TRANSITIONS).includes(String(value));

/** The values of a record; undefined if its text has errors. */
function valuesIn(text: string): Record<string, unknown> | undefined {
  const document = parseRecord(text);
  return document.errors.length === 0 ? document.toJS() : undefined;
}

/** Reads the text of a record, including a byte order mark. */
function readRecordText(file: string): string {
  const read = readRecordFile({ file });
  if (!(read instanceof Uint8Array)) throw new RecordsRejected([read], 'nothing was changed');
  const checked = recordFile(file, read);
  if ('text' in checked) return Buffer.from(read).toString();
  throw new RecordsRejected([checked], 'nothing was changed');
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
