import { type Issuer, RegistryError, sha256Hex } from '@passport-registry/verifier';
import { hasCode, isObject, type PublicationEntry, parseStrictJson } from '@passport-registry/verifier/core';
import { fetchIfThere } from '../registry/fetch-file.js';
import { entryReader } from './log-entries.js';
import type { LoggedList } from './verified-log.js';

/** How many lists, and how many bytes of lists and entries, are read at a time. */
const MAX_LISTS = 20;
const MAX_BYTES = 8 * 1024 * 1024;

/** A record of any list. Lists of the past may have members that are unknown today. */
type RecordMembers = Readonly<Record<string, unknown>>;

/** A changed member of a record. A value is undefined if the record did not have the member. */
export interface MemberChange {
  readonly member: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Why a list of the past cannot be read: the host does not send the file, sends another one, or sends too much. */
type Gap = 'missing' | 'altered' | 'too large';

/** What the log says of an issuer, in one step towards the past, and the number of entries before that of the publication. */
export type HistoryStep = { readonly index: number } & (
  | {
      readonly kind: 'added' | 'removed' | 'changed';
      readonly entry: PublicationEntry;
      readonly changes: readonly MemberChange[];
      /** The publication before the change. Lists between the two could not be read. Undefined if there are none */
      readonly after: PublicationEntry | undefined;
    }
  | { readonly kind: 'gap'; readonly entry: PublicationEntry; readonly gap: Gap }
  | {
      readonly kind: 'oldest';
      /** The publication with the oldest list that can be read. */
      readonly entry: PublicationEntry;
      readonly isListed: boolean;
      /** Whether the log begins with this list. If not, older lists could not be read. */
      readonly isFirst: boolean;
    }
);

/** A publication, and what its list says of the issuer. */
interface State {
  readonly index: number;
  readonly entry: PublicationEntry;
  readonly record: RecordMembers | undefined;
}

/**
 * The history of one issuer, read from the log towards the past. It begins with the verified list. Every older list is
 * found by its hash in an entry that the head of the log proves.
 */
export class IssuerHistory {
  readonly #base: URL;
  readonly #id: string;
  readonly #entryAt: ReturnType<typeof entryReader>;
  /** The next entry to read. */
  #index: number;
  #newer: State | undefined;
  #reached: PublicationEntry | undefined;
  /** Whether lists between the newer list and the next entry could not be read. */
  #hasGap = false;
  /** What this call has read. */
  #lists = 0;
  #bytes = 0;

  /** @param logged - the verified list in the log */
  constructor(base: URL, id: string, logged: LoggedList) {
    this.#base = base;
    this.#id = id;
    this.#entryAt = entryReader((path) => this.#fetch(path), logged.head);
    this.#index = logged.head.index;
  }

  /** Whether the beginning of the log has been reached. */
  get isComplete(): boolean {
    return this.#index < 0;
  }

  /** The oldest publication that was read, or whose list could not be read. */
  get reached(): PublicationEntry | undefined {
    return this.#reached;
  }

  /**
   * Reads further into the past, up to the limits. A call after an error goes on where the error occurred.
   *
   * @param current - the record in the verified list
   * @param report - called with each step, newest first
   */
  async read(current: Issuer | undefined, report: (step: HistoryStep) => void): Promise<void> {
    this.#lists = 0;
    this.#bytes = 0;
    while (this.#lists < MAX_LISTS && this.#bytes < MAX_BYTES && !this.isComplete) {
      const entry = await this.#entryAt(this.#index);
      if (entry.type === 'publication') {
        const index = this.#index;
        const newer = this.#newer ?? { index, entry, record: current as RecordMembers | undefined };
        const older = await this.#readOlder({ index, entry }, newer, report);
        if (older === undefined) return;
        this.#newer = older;
        this.#reached = entry;
      }
      this.#index--;
    }
    if (this.isComplete && this.#newer !== undefined) {
      const { index, entry, record } = this.#newer;
      report({ kind: 'oldest', index, entry, isListed: record !== undefined, isFirst: !this.#hasGap });
    }
  }

  /**
   * Compares an older publication with the newer one.
   *
   * @returns the oldest state that is known now; undefined if the list is too large for what is left to read
   */
  async #readOlder(
    { index, entry }: Pick<State, 'index' | 'entry'>,
    newer: State,
    report: (step: HistoryStep) => void,
  ): Promise<State | undefined> {
    const found = entry.list === newer.entry.list ? newer : await this.#readList(entry.list);
    if (typeof found !== 'string') {
      const step = stepBetween(found.record, newer);
      if (step !== undefined) report({ ...step, after: this.#hasGap ? entry : undefined });
      this.#hasGap = false;
      return { index, entry, record: found.record };
    }
    // The next call can read a larger list.
    if (found === 'too large' && this.#lists > 1) return undefined;
    this.#hasGap = true;
    report({ kind: 'gap', index, entry, gap: found });
    return newer;
  }

  async #readList(sha256: string): Promise<Gap | Pick<State, 'record'>> {
    const maxBytes = this.#lists === 0 ? MAX_BYTES : MAX_BYTES - this.#bytes;
    this.#lists++;
    try {
      const bytes = await this.#fetch(`log/lists/${sha256}.json`, maxBytes);
      if (bytes === undefined) return 'missing';
      return (await sha256Hex(bytes)) === sha256 ? { record: recordIn(bytes, this.#id) } : 'altered';
    } catch (error) {
      if (hasCode(error, 'ERR_SOURCE_TOO_LARGE')) {
        this.#bytes += maxBytes;
        return 'too large';
      }
      // A page of the host in place of the list, or a file that is not a list.
      if (hasCode(error, 'ERR_SOURCE_CONTENT') || !(error instanceof RegistryError)) return 'altered';
      throw error;
    }
  }

  async #fetch(path: string, maxBytes?: number): Promise<Uint8Array | undefined> {
    const bytes = await fetchIfThere(this.#base, path, maxBytes === undefined ? {} : { maxBytes });
    this.#bytes += bytes?.length ?? 0;
    return bytes;
  }
}

/** Returns what changed from an older record to the newer state. Undefined if nothing did. */
function stepBetween(older: RecordMembers | undefined, { index, entry, record: newer }: State) {
  if (older === undefined && newer === undefined) return undefined;
  if (older === undefined) return { kind: 'added' as const, index, entry, changes: [] };
  if (newer === undefined) return { kind: 'removed' as const, index, entry, changes: [] };
  const changes = changesOf(older, newer);
  return changes.length === 0 ? undefined : { kind: 'changed' as const, index, entry, changes };
}

/**
 * Finds the record of an issuer in a list whose hash was verified.
 *
 * @returns undefined if the list has no such issuer
 * @throws Error if the bytes are not a list
 */
function recordIn(list: Uint8Array, id: string): RecordMembers | undefined {
  const { issuers } = parseStrictJson(list) as { issuers: readonly unknown[] };
  return issuers.filter(isObject).find(({ issuer_id }) => issuer_id === id);
}

/** Returns the members that differ between two records. */
function changesOf(older: RecordMembers, newer: RecordMembers): MemberChange[] {
  const valueIn = (record: RecordMembers, member: string) =>
    Object.hasOwn(record, member) ? record[member] : undefined;
  return [...new Set([...Object.keys(newer), ...Object.keys(older)])]
    .map((member) => ({ member, from: valueIn(older, member), to: valueIn(newer, member) }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}
