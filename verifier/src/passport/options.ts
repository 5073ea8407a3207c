import type { TrustPolicy } from '../generated/schemas.js';
import type { Registry } from '../registry.js';
import type { ReplayStore } from '../replay-store.js';
import type { PolicyHandler } from './mandate.js';

/** How issuers are asked and how their answers are used. Times are in seconds. */
export interface IssuerAccessOptions {
  /** How much clocks may differ. Default: 30. */
  readonly clockTolerance?: number;
  /** How long the status of a passport is used: a revocation arrives within this time. Default: 30. */
  readonly statusMaxAge?: number;
  /** How long an issuer's metadata and keys are used. Default: 300. */
  readonly metadataMaxAge?: number;
  /** How long an older answer of an issuer is used on while it cannot be reached. Default: 0, which rejects. */
  readonly grace?: number;
  /** How long an issuer is left alone after it failed, or after it was asked for a key that it does not have. Default: 10. */
  readonly cooldown?: number;
  /** Longest time for one answer of an issuer, and for the replay store. Default: 5. */
  readonly timeout?: number;
  /** Largest answer of an issuer, in bytes. Default: 256 KiB. */
  readonly maxBytes?: number;
  /** Whether issuers within a private network may be asked. Default: false. */
  readonly allowPrivateAddresses?: boolean;
  /** Who judges the members of a mandate's `policy`, by name. A member without a handler rejects. */
  readonly policyHandlers?: Readonly<Record<string, PolicyHandler>>;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** How a verifier of passports works. */
export interface PassportVerifierOptions extends IssuerAccessOptions {
  /** The registry: a client, or an opened copy. */
  readonly registry: Registry;
  /** Which issuers are trusted. */
  readonly policy: TrustPolicy;
  /** Who this verifier is: the `aud` of the proofs that are for it, such as `https://mail.example`. */
  readonly audience: string;
  /** Where the proofs that were seen are remembered. Default: in memory; a fleet needs a shared one. */
  readonly replayStore?: ReplayStore;
}

/** The options with their defaults; times are in milliseconds. */
export function withDefaults(options: IssuerAccessOptions) {
  const milliseconds = (value: number | undefined, byDefault: number) => (value ?? byDefault) * 1000;
  return {
    clock: { now: options.now ?? Date.now, tolerance: milliseconds(options.clockTolerance, 30) },
    statusMaxAge: milliseconds(options.statusMaxAge, 30),
    metadataMaxAge: milliseconds(options.metadataMaxAge, 300),
    grace: milliseconds(options.grace, 0),
    cooldown: milliseconds(options.cooldown, 10),
    policyHandlers: options.policyHandlers ?? {},
    host: {
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
      timeout: milliseconds(options.timeout, 5),
      maxBytes: options.maxBytes ?? 256 * 1024,
      allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    },
  };
}
