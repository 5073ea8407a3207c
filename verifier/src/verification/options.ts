import type { Registry } from '../client/registry.js';
import { isObject } from '../encoding/checks.js';
import {
  BOOLEAN,
  BYTES,
  FUNCTION,
  type OptionCheck,
  type OptionChecks,
  objectWith,
  required,
  SECONDS,
} from '../encoding/options.js';
import type { TrustPolicy } from '../generated/schemas.js';
import { LIMITS } from '../limits.js';
import type { PolicyHandler } from '../passport/mandate.js';
import type { ReplayStore } from '../replay/replay-store.js';

/** How to send requests to issuers and how to use their answers. Times are in seconds. */
export interface IssuerAccessOptions {
  /** How much clocks may differ. Default: 30. */
  readonly clockTolerance?: number;
  /** How long the status of a passport is used: a revocation arrives within this time. Default: 30. */
  readonly statusMaxAge?: number;
  /** How long an issuer's metadata and keys are used. Default: 300. */
  readonly metadataMaxAge?: number;
  /** How long to go on using an old answer while the issuer is unreachable. Default: 0, which rejects at once. */
  readonly grace?: number;
  /** The minimum time between two requests after an issuer failed or did not have a key. Default: 10. */
  readonly cooldown?: number;
  /** Longest time for one answer of an issuer, and for the replay store. Default: 5. */
  readonly timeout?: number;
  /** Largest answer of an issuer, in bytes. Default: 256 KiB. */
  readonly maxBytes?: number;
  /** Whether to allow issuers within a private network. Default: false. */
  readonly allowPrivateAddresses?: boolean;
  /** Handlers for the members of a mandate's `policy`, by name. A member without a handler rejects. */
  readonly policyHandlers?: Readonly<Record<string, PolicyHandler>>;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** Options of a {@link PassportClient}. */
export interface PassportClientOptions extends IssuerAccessOptions {
  /** Also requires a trusted issuer. Without this option, the caller must trust the issuer. */
  readonly trust?: { readonly registry: Registry; readonly policy: TrustPolicy };
  /** The audience that the `aud` of an access token must name. */
  readonly audience?: string;
}

/** Options of a verifier of passports. */
export interface PassportVerifierOptions extends IssuerAccessOptions {
  /** The registry: a client, or an opened copy. */
  readonly registry: Registry;
  /** Which issuers are trusted. */
  readonly policy: TrustPolicy;
  /** The name of this verifier: the `aud` of proofs for it, such as `https://mail.example`. */
  readonly audience: string;
  /** Stores used proofs. Default: in memory; a fleet needs a shared store. */
  readonly replayStore?: ReplayStore;
}

/** The longest delay that the timers of all platforms support. */
const MAX_TIMEOUT_SECONDS = 2_147_483;

const TEXT: OptionCheck = {
  check: (value) => typeof value === 'string' && value !== '',
  expected: 'a string that is not empty',
};

/** The checks of {@link IssuerAccessOptions}. */
export const ISSUER_ACCESS_OPTIONS: OptionChecks<IssuerAccessOptions> = {
  clockTolerance: SECONDS,
  statusMaxAge: SECONDS,
  metadataMaxAge: SECONDS,
  grace: SECONDS,
  cooldown: SECONDS,
  timeout: {
    check: (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_SECONDS,
    expected: `a number of seconds, more than 0 and at most ${MAX_TIMEOUT_SECONDS}`,
  },
  maxBytes: BYTES,
  allowPrivateAddresses: BOOLEAN,
  policyHandlers: {
    check: (value) =>
      isObject(value) && Object.values(value).every((handler) => typeof handler === 'function'),
    expected: 'an object of functions, by the members of policies that they judge',
  },
  fetch: FUNCTION,
  now: FUNCTION,
};

/** The checks of {@link PassportVerifierOptions}. `compilePolicy` checks the content of the policy. */
export const PASSPORT_VERIFIER_OPTIONS: OptionChecks<PassportVerifierOptions> = {
  ...ISSUER_ACCESS_OPTIONS,
  registry: required(objectWith('decide')),
  policy: { check: isObject, expected: 'a trust policy, as an object', required: true },
  audience: required(TEXT),
  replayStore: objectWith('claim'),
};

/** The checks of {@link PassportClientOptions}. */
export const PASSPORT_CLIENT_OPTIONS: OptionChecks<PassportClientOptions> = {
  ...ISSUER_ACCESS_OPTIONS,
  trust: { check: isObject, expected: 'an object with a registry and a policy' },
  audience: TEXT,
};

/** The registry and the trust policy that decide which issuers are trusted. */
export type TrustOptions = NonNullable<PassportClientOptions['trust']>;

/** The checks of the member `trust` of {@link PassportClientOptions}. */
export const TRUST_OPTIONS: OptionChecks<TrustOptions> = {
  registry: PASSPORT_VERIFIER_OPTIONS.registry,
  policy: PASSPORT_VERIFIER_OPTIONS.policy,
};

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
      // Timers take whole milliseconds.
      timeout: Math.ceil(milliseconds(options.timeout, 5)),
      maxBytes: options.maxBytes ?? LIMITS.issuerDocument,
      allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    },
  };
}
