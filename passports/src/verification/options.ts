import {
  type IssuerLookup,
  OptionsInvalid,
  type Registry,
  type TrustPolicy,
} from '@passport-registry/verifier';
import {
  assertOptions,
  BOOLEAN,
  BYTES,
  FUNCTION,
  INTERVAL,
  isListOf,
  isObject,
  isValidIssuerId,
  LIMITS,
  milliseconds,
  type OptionCheck,
  type OptionChecks,
  objectWith,
  oneOf,
  required,
  SECONDS,
  TIMEOUT,
} from '@passport-registry/verifier/core';
import type { PolicyHandler } from '../passport/mandate.js';
import { mediaTypeOf } from '../passport/passport-jws.js';
import { type CompleteProfile, completeProfile, type TokenProfile } from '../passport/token-profile.js';
import type { ReplayStore } from '../replay/replay-store.js';

/** How to send requests to issuers, and how to use their responses. Times are in seconds. */
export interface IssuerAccessOptions {
  /** The maximum difference between clocks. Default: 30. */
  readonly clockTolerance?: number;
  /** How long the verifier uses the status of a passport after it arrived. Default: 30. */
  readonly statusMaxAge?: number;
  /** How long the verifier uses an issuer's metadata and keys. Default: 300. */
  readonly metadataMaxAge?: number;
  /**
   * How long the verifier continues to use an old response while the issuer is unreachable. Default: 0, which rejects
   * at once.
   */
  readonly grace?: number;
  /**
   * The minimum time between two requests after the issuer failed. An unknown key is requested at once, but an issuer is asked
   * for its keys at most twice in two of these times. Default: 10.
   */
  readonly cooldown?: number;
  /** The maximum time for one response of an issuer, and for the replay store. Default: 5. */
  readonly timeout?: number;
  /** The maximum size of one response of an issuer, in bytes. Default: 256 KiB. */
  readonly maxBytes?: number;
  /** Whether to allow issuers in a private network. Default: false. */
  readonly allowPrivateAddresses?: boolean;
  /** Handlers for the members of a mandate's `policy`, by name. A member without a handler causes a rejection. */
  readonly policyHandlers?: Readonly<Record<string, PolicyHandler>>;
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Options of a {@link PassportClient}. */
export interface PassportClientOptions extends IssuerAccessOptions {
  /** Requires that the policy trusts the issuer. Without this option, the caller must trust the issuer. */
  readonly trust?: { readonly registry: Registry | IssuerLookup; readonly policy: TrustPolicy };
  /** The audience that the `aud` of an access token must contain. */
  readonly audience?: string;
}

/** Options of {@link createPassportVerifier}. */
export interface PassportVerifierOptions extends IssuerAccessOptions {
  /** The registry: a client, an open copy, or a look-up of single issuers. */
  readonly registry: Registry | IssuerLookup;
  /**
   * The trust policy, which decides which issuers are trusted. A function is called for each decision, so that a program can
   * change its policy: it must return a policy that {@link assertTrustPolicy} accepts.
   */
  readonly policy: TrustPolicy | (() => TrustPolicy);
  /**
   * The name of this verifier, such as `https://mail.example`. Proofs for this verifier have the name as their `aud`.
   */
  readonly audience: string;
  /** The profiles of {@link PassportVerifier.verifyToken}, by name. Default: none. */
  readonly tokenProfiles?: Readonly<Record<string, TokenProfile>>;
  /** Stores the ids of used proofs. Default: a store in memory. A fleet needs a shared store. */
  readonly replayStore?: ReplayStore;
}

const STRING: OptionCheck = {
  check: (value) => typeof value === 'string' && value !== '',
  expected: 'a string that is not empty',
};

/** The form of a `typ`: the name of a media type, perhaps with `application/`, and without parameters. */
const TYPE = /^(?:application\/)?[a-z0-9][a-z0-9._+-]{0,126}$/i;

/** Types that any token may have, and the types of this protocol, which prove something else. */
const REFUSED_TYPES =
  /^application\/(?:jwt|jose|jose\+json|(?:passport|passport-nonce|mandate|action|registry-.*)\+jwt)$/;

/** The checks of {@link IssuerAccessOptions}. */
const ISSUER_ACCESS_OPTIONS: OptionChecks<IssuerAccessOptions> = {
  clockTolerance: SECONDS,
  statusMaxAge: SECONDS,
  metadataMaxAge: SECONDS,
  grace: SECONDS,
  cooldown: SECONDS,
  timeout: TIMEOUT,
  maxBytes: BYTES,
  allowPrivateAddresses: BOOLEAN,
  policyHandlers: {
    check: (value) =>
      isObject(value) && Object.values(value).every((handler) => typeof handler === 'function'),
    expected: 'an object of functions, by the names of the policy members that they check',
  },
  fetch: FUNCTION,
  now: FUNCTION,
};

/** The checks of {@link PassportVerifierOptions}. `assertTrustPolicy` checks the content of the trust policy. */
export const PASSPORT_VERIFIER_OPTIONS: OptionChecks<PassportVerifierOptions> = {
  ...ISSUER_ACCESS_OPTIONS,
  registry: required(objectWith('decide')),
  policy: {
    check: (value) => isObject(value) || typeof value === 'function',
    expected: 'a trust policy, as an object, or a function that returns one',
    required: true,
  },
  audience: required(STRING),
  tokenProfiles: {
    check: (value) => isObject(value) && !(value instanceof Map) && Object.values(value).every(isObject),
    expected: 'an object of token profiles, by their names',
  },
  replayStore: objectWith('claim'),
};

/** The checks of a {@link TokenProfile}. */
const TOKEN_PROFILE: OptionChecks<TokenProfile> = {
  type: {
    check: (value) =>
      typeof value === 'string' && TYPE.test(value) && !REFUSED_TYPES.test(mediaTypeOf(value)),
    expected:
      'the typ of a token, other than JWT and the types of passports, mandates, proofs and registries',
    required: true,
  },
  audience: STRING,
  maxAge: INTERVAL,
  algorithms: {
    check: (value) => isListOf(value, oneOf(['Ed25519', 'ES256'])) && value.length > 0,
    expected: 'an array of Ed25519, ES256 or both',
  },
  requiredClaims: {
    check: (value) => isListOf(value, STRING.check),
    expected: 'an array of names of claims',
  },
  issuerId: { check: isValidIssuerId, expected: 'the issuer_id of a record' },
};

/**
 * Returns the profiles of tokens with their defaults, by name. They must be valid, and the registry must be able to find
 * the issuers of their tokens. Later changes to the objects of the caller have no effect.
 */
export function readTokenProfiles({
  tokenProfiles = {},
  registry,
  audience,
}: PassportVerifierOptions): ReadonlyMap<string, CompleteProfile> {
  const read = (name: string, given: TokenProfile): CompleteProfile => {
    const caller = `createPassportVerifier: tokenProfiles: ${name}`;
    // Each member is read once: what is checked is what is used.
    const profile = { ...given };
    assertOptions<TokenProfile>(profile, TOKEN_PROFILE, caller);
    if (profile.issuerId === undefined && !holdsList(registry)) {
      const problem = 'is required, because a look-up of single issuers cannot find an issuer by iss';
      throw new OptionsInvalid(caller, 'issuerId', problem);
    }
    return completeProfile(profile, audience);
  };
  return new Map(Object.entries(tokenProfiles).map(([name, given]) => [name, read(name, given)]));
}

/** Returns whether a registry holds the whole list. A look-up of single issuers does not. */
export function holdsList(registry: TrustOptions['registry']): registry is Registry {
  return 'list' in registry;
}

/** The checks of {@link PassportClientOptions}. */
export const PASSPORT_CLIENT_OPTIONS: OptionChecks<PassportClientOptions> = {
  ...ISSUER_ACCESS_OPTIONS,
  trust: { check: isObject, expected: 'an object with a registry and a policy' },
  audience: STRING,
};

/** The registry and the trust policy that decide which issuers are trusted. */
export type TrustOptions = NonNullable<PassportClientOptions['trust']>;

/** The checks of the member `trust` of {@link PassportClientOptions}. */
export const TRUST_OPTIONS: OptionChecks<TrustOptions> = {
  registry: PASSPORT_VERIFIER_OPTIONS.registry,
  policy: { check: isObject, expected: 'a trust policy, as an object', required: true },
};

/** The maximum number of tokens in a cache. Each takes about 6 kB, and at most ten times as much. */
export const MAX_CACHED_TOKENS = 2_000;

/** Returns the registry and the policy of a verifier. Each read of the policy returns the current one. */
export function trustOf({ registry, policy }: PassportVerifierOptions): TrustOptions {
  return {
    registry,
    get policy() {
      return typeof policy === 'function' ? policy() : policy;
    },
  };
}

/** Adds the defaults to the options. Times in the result are in milliseconds. */
export function withDefaults(options: IssuerAccessOptions) {
  const { now = Date.now } = options;
  return {
    clock: {
      /** Each check reads the time, because requests may lie between two checks. */
      get now() {
        return now();
      },
      tolerance: milliseconds(options.clockTolerance, 30_000),
    },
    statusMaxAge: milliseconds(options.statusMaxAge, 30_000),
    metadataMaxAge: milliseconds(options.metadataMaxAge, 300_000),
    grace: milliseconds(options.grace, 0),
    cooldown: milliseconds(options.cooldown, 10_000),
    policyHandlers: options.policyHandlers ?? {},
    host: {
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
      timeout: milliseconds(options.timeout, 5000),
      maxBytes: options.maxBytes ?? LIMITS.issuerDocument,
      allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    },
  };
}
