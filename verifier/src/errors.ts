/**
 * Everything that this library throws on purpose. Each class has one stable `code`; switch on it, not on the
 * message, which is for people and may change.
 *
 * @example
 * ```ts
 * import { RegistryError, importRootKey } from '@passport-registry/verifier';
 *
 * try {
 *   await importRootKey({ kty: 'RSA' });
 * } catch (error) {
 *   if (error instanceof RegistryError) console.log(error.code); // ERR_ROOT_KEY_INVALID
 * }
 * ```
 */
export abstract class RegistryError extends Error {
  /** Stable name of what went wrong. */
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The root key is no public Ed25519 or P-256 JWK (SPEC B2), or carries a private member. */
export class RootKeyInvalid extends RegistryError {
  readonly code = 'ERR_ROOT_KEY_INVALID';
}

/** The signature is not 64 bytes in base64url without padding (SPEC B2): it was not even tried. */
export class SignatureMalformed extends RegistryError {
  readonly code = 'ERR_SIGNATURE_MALFORMED';
}

/** The signature is not one over these bytes by the root key. */
export class SignatureInvalid extends RegistryError {
  readonly code = 'ERR_SIGNATURE_INVALID';
}

/** The bytes of the list are not UTF-8, or not JSON. */
export class ListMalformed extends RegistryError {
  readonly code = 'ERR_LIST_MALFORMED';
}

/** The list, or a record in it, is not what the JSON Schemas of the registry say. */
export class ListNonconforming extends RegistryError {
  readonly code = 'ERR_LIST_NONCONFORMING';

  /** Where in the list, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;

  constructor(message: string, pointer: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** An id stands in the list twice, or the list is not sorted by id (SPEC B1). */
export class ListUnsorted extends RegistryError {
  readonly code = 'ERR_LIST_UNSORTED';
}

/** The list is not in the canonical form of RFC 8785; a duplicate JSON key shows here, too. */
export class ListNotCanonical extends RegistryError {
  readonly code = 'ERR_LIST_NOT_CANONICAL';
}

/** The value has no canonical form: it is not I-JSON data (RFC 7493). */
export class NotCanonicalizable extends RegistryError {
  readonly code = 'ERR_NOT_CANONICALIZABLE';
}

/** The trust policy is not what schemas/trust-policy.schema.json says. It is refused whole: a typing error must not open a door. */
export class PolicyInvalid extends RegistryError {
  readonly code = 'ERR_POLICY_INVALID';
}

/** A source, or an issuer, cannot be reached. */
export class SourceUnreachable extends RegistryError {
  readonly code = 'ERR_SOURCE_UNREACHABLE';
}

/** A source, or an issuer, did not answer in time. */
export class SourceTimeout extends RegistryError {
  readonly code = 'ERR_SOURCE_TIMEOUT';
}

/** A source, or an issuer, broke off in the middle of an answer. */
export class SourceTruncated extends RegistryError {
  readonly code = 'ERR_SOURCE_TRUNCATED';
}

/** A source, or an issuer, sent more than the limit. */
export class SourceTooLarge extends RegistryError {
  readonly code = 'ERR_SOURCE_TOO_LARGE';
}

/** A source, or an issuer, redirected. Registries are served where they are; a redirect leads elsewhere. */
export class SourceRedirected extends RegistryError {
  readonly code = 'ERR_SOURCE_REDIRECTED';
}

/** A source answered with an HTTP status that is no answer, or does not have a file that every registry has. */
export class SourceStatus extends RegistryError {
  readonly code = 'ERR_SOURCE_STATUS';
}

/** A source answered with an HTML page: a captive portal, an error page with status 200. */
export class SourceContent extends RegistryError {
  readonly code = 'ERR_SOURCE_CONTENT';
}

/** The list is older than one that was accepted before, or another one with the same time (SPEC B6). */
export class ListRolledBack extends RegistryError {
  readonly code = 'ERR_LIST_ROLLED_BACK';
}

/** The list is older than the maximum age, and no checkpoint vouches for it. */
export class ListExpired extends RegistryError {
  readonly code = 'ERR_LIST_EXPIRED';
}

/** The list or a statement about it is dated further in the future than clocks differ. */
export class NotYetValid extends RegistryError {
  readonly code = 'ERR_NOT_YET_VALID';
}

/** There is no checkpoint where there must be one: it was demanded, or this registry had one before. */
export class CheckpointMissing extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_MISSING';
}

/** The checkpoint is malformed, or nobody signed it who may. */
export class CheckpointInvalid extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_INVALID';
}

/** The checkpoint has expired: the source is frozen. */
export class CheckpointExpired extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_EXPIRED';
}

/** The checkpoint names another list. */
export class CheckpointMismatch extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_MISMATCH';
}

/** The delegation is malformed, or the root key did not sign it. */
export class DelegationInvalid extends RegistryError {
  readonly code = 'ERR_DELEGATION_INVALID';
}

/** The delegation has expired. */
export class DelegationExpired extends RegistryError {
  readonly code = 'ERR_DELEGATION_EXPIRED';
}

/** The chain of root keys is malformed, or longer than 64 steps (SPEC B7). */
export class RotationInvalid extends RegistryError {
  readonly code = 'ERR_ROTATION_INVALID';
}

/** The chain of root keys has a step that does not follow the one before. */
export class RotationGap extends RegistryError {
  readonly code = 'ERR_ROTATION_GAP';
}

/** The chain of root keys comes back to a key that it has left. */
export class RotationLoop extends RegistryError {
  readonly code = 'ERR_ROTATION_LOOP';
}

/** A step in the chain of root keys is not signed by the outgoing key. */
export class RotationSignature extends RegistryError {
  readonly code = 'ERR_ROTATION_SIGNATURE';
}

/** What a store or a bundle holds is not of the form that this version writes. */
export class BundleInvalid extends RegistryError {
  readonly code = 'ERR_BUNDLE_INVALID';
}

/** No source had an acceptable list. `errors` says why, source by source. */
export class NoUsableSource extends RegistryError {
  readonly code = 'ERR_NO_USABLE_SOURCE';
  /** What was wrong with each source, by its address. */
  readonly errors: Readonly<Record<string, RegistryError>>;

  constructor(errors: Readonly<Record<string, RegistryError>>) {
    const each = Object.entries(errors).map(
      ([source, { code, message }]) => `${source}: ${code}, ${message}`,
    );
    super(`no source has an acceptable list (${each.join('; ')})`);
    this.errors = errors;
  }
}

/** Nothing has been loaded yet: wait for `ready()`. */
export class RegistryNotReady extends RegistryError {
  readonly code = 'ERR_REGISTRY_NOT_READY';
}

/** The list that is held is no longer fresh, the grace is over, and no newer one could be had. */
export class RegistryStale extends RegistryError {
  readonly code = 'ERR_REGISTRY_STALE';
  /** Since when the list has not been fresh. */
  readonly since: Date;

  constructor(since: Date) {
    super(`the registry has not been fresh since ${since.toISOString()}, and no source has a newer list`);
    this.since = since;
  }
}

/** An address is not one at which an issuer can be asked: not https, and not http on this machine. */
export class AddressInvalid extends RegistryError {
  readonly code = 'ERR_ADDRESS_INVALID';
}

/** A key pair is neither Ed25519 nor P-256, or its public key cannot be exported. */
export class AgentKeyInvalid extends RegistryError {
  readonly code = 'ERR_AGENT_KEY_INVALID';
}

/** An issuer refused a request. `status` is the HTTP status, `error` the issuer's own code (SPEC B9). */
export class IssuerRefused extends RegistryError {
  readonly code = 'ERR_ISSUER_REFUSED';
  /** The HTTP status. */
  readonly status: number;
  /** The issuer's own code. */
  readonly error: string;
  /** After how many seconds to try again, where the issuer said so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, answer: { status: number; error: string; retryAfter: number | undefined }) {
    super(message);
    this.status = answer.status;
    this.error = answer.error;
    this.retryAfter = answer.retryAfter;
  }
}

/** An issuer's answer is not what SPEC B9 says. */
export class IssuerAnswerInvalid extends RegistryError {
  readonly code = 'ERR_ISSUER_ANSWER_INVALID';
}

/** The union of all errors; its `code` narrows it. */
export type AnyRegistryError =
  | RootKeyInvalid
  | SignatureMalformed
  | SignatureInvalid
  | ListMalformed
  | ListNonconforming
  | ListUnsorted
  | ListNotCanonical
  | NotCanonicalizable
  | PolicyInvalid
  | SourceUnreachable
  | SourceTimeout
  | SourceTruncated
  | SourceTooLarge
  | SourceRedirected
  | SourceStatus
  | SourceContent
  | ListRolledBack
  | ListExpired
  | NotYetValid
  | CheckpointMissing
  | CheckpointInvalid
  | CheckpointExpired
  | CheckpointMismatch
  | DelegationInvalid
  | DelegationExpired
  | RotationInvalid
  | RotationGap
  | RotationLoop
  | RotationSignature
  | BundleInvalid
  | NoUsableSource
  | RegistryNotReady
  | RegistryStale
  | AddressInvalid
  | AgentKeyInvalid
  | IssuerRefused
  | IssuerAnswerInvalid;

/** Every stable code of this library. */
export type RegistryErrorCode = AnyRegistryError['code'];
