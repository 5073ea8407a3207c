import type { NoteKey } from '@passport-registry/verifier/core';
import type { Signer } from '../signing/sign.js';

/** A witness that the publisher asks to cosign. */
export interface Witness {
  readonly key: NoteKey;
  /** The URL of its service (C2SP tlog-witness). */
  readonly service: string;
}

/** Which witnesses to ask, and for how long. */
export interface CosignChoice {
  readonly witnesses: readonly Witness[];
  /** How many of them must cosign. That ends the wait. */
  readonly quorum: number;
  /** How long to wait for the quorum, in milliseconds. */
  readonly waitMs: number;
}

/** Asks no witness. */
export const NO_WITNESSES: CosignChoice = { witnesses: [], quorum: 0, waitMs: 0 };

/** The log of a registry (rule log-name). */
export interface LogChoice extends CosignChoice {
  /** The name of the log, such as `registry.example/log`. Default: that of the published log. */
  readonly origin?: string | undefined;
  /** Signs the head of the log. It is needed only if the log gets new entries. */
  readonly signer?: Signer | undefined;
  /** Whether the signer may be another one than that of the published log. Default: it is refused, as a mistake. */
  readonly mayReplaceKey?: boolean | undefined;
  /** The maximum size of lists that are kept permanently, in bytes. Default: {@link KEPT_LIST_BYTES}. */
  readonly keepBytes?: number | undefined;
}

/** The default maximum size of lists that are kept permanently, in bytes (rule log-files). */
export const KEPT_LIST_BYTES = 1024 * 1024;

/**
 * Whether the name of a log is that of one machine: an IP address, a name without a dot, or one of a local network. Nobody else can
 * find a registry by such a name.
 */
export function isLocalOrigin(origin: string): boolean {
  const url = `https://${origin}`;
  if (!URL.canParse(url)) return true;
  const { hostname } = new URL(url);
  return /^\[|^[\d.]+$|^[^.]+\.?$|\.(?:local|localhost|lan|home\.arpa)\.?$/.test(hostname);
}
