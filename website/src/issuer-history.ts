import { type Issuer, SourceTooLarge, sha256Hex } from '@passport-registry/verifier';
import { isObject, type PublicationEntry, parseStrictJson } from '@passport-registry/verifier/internal';
import { fetchIfThere } from './fetch-file.js';
import { entryReader } from './log-entries.js';
import type { LoggedList } from './verified-log.js';

/** How many lists, and how many bytes of lists and entries, are read at a time. */
const MAX_LISTS = 20;
const MAX_BYTES = 8 * 1024 * 1024;

type Members = Readonly<Record<string, unknown>>;

/** A changed member of a record. A value is undefined if the record did not have the member. */
export interface MemberChange {
  readonly member: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Why a list of the past cannot be read: the host lacks the file, sends another file, or the list is too large. */
export type Gap = 'missing' | 'altered' | 'too large';

/** What the log says of an issuer, in one step towards the past. */
export type HistoryStep =
  | {
      readonly kind: 'added' | 'removed' | 'changed';
      readonly entry: PublicationEntry;
      readonly changes: readonly MemberChange[];
      /** The publication before the change. Lists between the two could not be read. Undefined if there are none */
      readonly after: PublicationEntry | undefined;
    }
  | { readonly kind: 'gap'; readonly entry: PublicationEntry; readonly gap: Gap }
  /** The oldest list of the log that can be read. */
  | { readonly kind: 'oldest'; readonly entry: PublicationEntry; readonly isListed: boolean };

/** A publication, and what its list says of the issuer. */
interface State {
  readonly entry: PublicationEntry;
  readonly record: Members | undefined;
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
  #hasGap = false;
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
    this.#bytes = 0;
    for (let lists = 0; lists < MAX_LISTS && this.#bytes < MAX_BYTES && !this.isComplete; ) {
      const entry = await this.#entryAt(this.#index);
      if (entry.type === 'publication') {
        if (this.#newer === undefined) this.#newer = { entry, record: current && { ...current } };
        else if (entry.list === this.#newer.entry.list) this.#newer = { ...this.#newer, entry };
        else if (await this.#readOlder(entry, this.#newer, report)) lists++;
        else return;
        this.#reached = entry;
      }
      this.#index--;
    }
    if (this.isComplete && this.#newer !== undefined) {
      const { entry, record } = this.#newer;
      report({ kind: 'oldest', entry, isListed: record !== undefined });
    }
  }

  /** Compares an older list with the newer one. @returns false if the list is too large for what is left to read */
  async #readOlder(
    entry: PublicationEntry,
    newer: State,
    report: (step: HistoryStep) => void,
  ): Promise<boolean> {
    const left = MAX_BYTES - this.#bytes;
    const found = await this.#readList(entry.list, left);
    if (found === 'too large' && left < MAX_BYTES) return false;
    if (typeof found === 'string') {
      this.#hasGap = true;
      report({ kind: 'gap', entry, gap: found });
      return true;
    }
    const { record } = found;
    const kind = newer.record === undefined ? 'removed' : record === undefined ? 'added' : 'changed';
    const changes = record === undefined || newer.record === undefined ? [] : changesOf(record, newer.record);
    const isSame = kind === 'changed' ? changes.length === 0 : record === newer.record;
    const after = this.#hasGap ? entry : undefined;
    if (!isSame) report({ kind, entry: newer.entry, changes, after });
    this.#newer = { entry, record };
    this.#hasGap = false;
    return true;
  }

  async #readList(sha256: string, maxBytes: number): Promise<Gap | Pick<State, 'record'>> {
    try {
      const bytes = await this.#fetch(`log/lists/${sha256}.json`, maxBytes);
      if (bytes === undefined) return 'missing';
      return (await sha256Hex(bytes)) === sha256 ? recordIn(bytes, this.#id) : 'altered';
    } catch (error) {
      if (!(error instanceof SourceTooLarge)) throw error;
      this.#bytes += maxBytes;
      return 'too large';
    }
  }

  async #fetch(path: string, maxBytes?: number): Promise<Uint8Array | undefined> {
    const bytes = await fetchIfThere(this.#base, path, maxBytes === undefined ? {} : { maxBytes });
    this.#bytes += bytes?.length ?? 0;
    return bytes;
  }
}

/** Finds a record in a list whose hash was verified. Lists of the past may have members that are unknown today. */
function recordIn(list: Uint8Array, id: string): Gap | Pick<State, 'record'> {
  try {
    const { issuers } = parseStrictJson(list) as { issuers: readonly unknown[] };
    return { record: issuers.filter(isObject).find(({ issuer_id }) => issuer_id === id) };
  } catch {
    return 'altered';
  }
}

function changesOf(older: Members, newer: Members): MemberChange[] {
  return [...new Set([...Object.keys(newer), ...Object.keys(older)])]
    .map((member) => ({ member, from: older[member], to: newer[member] }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}
