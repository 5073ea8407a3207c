import type { RootKey } from '@passport-registry/verifier';
import {
  type AboutIssuer,
  type AnyEntry,
  beginLog,
  type Checkpoint,
  type LogState,
  LogTree,
  type LogTrust,
  type PublicationStatement,
  type SignedHead,
} from '@passport-registry/verifier/core';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import type { Finding } from './finding.js';
import type { MonitoredHost } from './monitored-host.js';

/** What a monitor watches, and what it demands. */
export interface MonitorOptions {
  /** The URL of the registry. */
  readonly url: string;
  /** The URLs of its mirrors. */
  readonly mirrors: readonly string[];
  /** Undefined trusts what was seen first. */
  readonly trust: PinnedTrust | undefined;
  /** The ids of issuers whose changes are told. If there are none, all changes are told as notes. */
  readonly watch: readonly string[];
  /** The folder in which evidence is kept. Undefined keeps none. */
  readonly folder: string | undefined;
  /** In the first round: from when on changes are told, in milliseconds before now. Undefined tells none. */
  readonly sinceMs: number | undefined;
  /** How long a host may serve an older publication than the newest one in the log, in milliseconds. */
  readonly maxBehindMs: number;
  /** The time limit of a round, in milliseconds. */
  readonly timeoutMs: number;
}

/** A round while it runs. */
export interface Round {
  readonly options: MonitorOptions;
  /** The registry first, then its mirrors. */
  readonly hosts: readonly MonitoredHost[];
  /** What was known before the round. */
  readonly before: KnownLog;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly logTrust: LogTrust | undefined;
  readonly findings: Finding[];
  /** What is known now. */
  log: KnownLog;
  /** Whether everything of the log was read. Otherwise the next round begins where this one began. */
  isComplete: boolean;
}

/** A publication statement of the log, whose signature has been verified. */
export interface KnownPublication extends PublicationStatement {
  /** The number of entries before it. */
  readonly index: number;
}

/** A list of the log, whose hash has been verified. */
export interface KnownList {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Since when a host has published nothing newer, although the log has something newer. */
export interface Behind {
  /** The number of entries before the publication that the host publishes; -1 if it publishes none. */
  readonly index: number;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The newest checkpoint that a monitor has seen: the part with which later ones are compared. */
export type KnownHold = Pick<Checkpoint, 'publication' | 'issuedAt' | 'hold'>;

/** The names and reasons of the newest publication whose file a monitor could read. */
export interface KnownAbout {
  /** SHA-256 of about.json. Null if the publication names no such file. */
  readonly sha256: string | null;
  readonly issuers: Readonly<Record<string, AboutIssuer>>;
}

/** What a monitor knows of a log: everything that the next round continues. */
export interface KnownLog {
  /** The newest head that was accepted. Undefined before the first. */
  readonly head: SignedHead | undefined;
  readonly entries: readonly AnyEntry[];
  /** The tree of the entries. */
  readonly tree: LogTree;
  /** What the next entry must continue. The pinned root key is the first of its roots. */
  readonly state: LogState;
  readonly publication: KnownPublication | undefined;
  /** The newest list that could be read. */
  readonly list: KnownList | undefined;
  /** The hosts that are behind the log, by URL. */
  readonly behind: Readonly<Record<string, Behind>>;
  /** Undefined before the first checkpoint. */
  readonly hold: KnownHold | undefined;
  /** Undefined before they have been read. */
  readonly about: KnownAbout | undefined;
}

/** Returns what a monitor knows before its first round. */
export function nothingKnown(rootKey: RootKey): KnownLog {
  return {
    head: undefined,
    entries: [],
    tree: new LogTree([]),
    state: beginLog({ keys: [rootKey], inForce: rootKey }),
    publication: undefined,
    list: undefined,
    behind: {},
    hold: undefined,
    about: undefined,
  };
}

/** Returns the number of entries before the newest publication. -1 if the log has none. */
export function newestIndex(entries: readonly AnyEntry[]): number {
  return entries.findLastIndex(({ type }) => type === 'publication');
}
