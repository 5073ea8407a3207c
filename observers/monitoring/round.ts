import type { LogTrust } from '@passport-registry/verifier/core';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import type { Finding } from './finding.js';
import type { KnownLog } from './known-log.js';
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
  /** How long a publication may be in the log without being published, in milliseconds. */
  readonly pendingAfterMs: number;
  /** The maximum age of cosignatures, in milliseconds. */
  readonly maxAgeMs: number;
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
