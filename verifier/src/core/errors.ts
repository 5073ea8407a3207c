/**
 * The base class of all errors of this library. Each class has one stable `code`. Compare the `code`: the message is
 * for people and may change.
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
  /** The stable name of the error. */
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option is missing, unknown, or invalid. */
export class OptionsInvalid extends RegistryError {
  readonly code = 'ERR_OPTIONS_INVALID';
  /** The invalid option. Undefined if the options are not an object. */
  readonly option: string | undefined;

  constructor(caller: string, option: string | undefined, problem: string) {
    super(`${caller}: ${option === undefined ? '' : `${option}: `}${problem}`);
    this.option = option;
  }
}

/** The root key is not a public Ed25519 or P-256 JWK (docs/protocol.md#public-key), or contains a private member. */
export class RootKeyInvalid extends RegistryError {
  readonly code = 'ERR_ROOT_KEY_INVALID';
}

/**
 * The signature is not 64 bytes in base64url without padding (docs/protocol.md#signature-form). It was not verified.
 */
export class SignatureMalformed extends RegistryError {
  readonly code = 'ERR_SIGNATURE_MALFORMED';
}

/** The root key did not sign these bytes. */
export class SignatureInvalid extends RegistryError {
  readonly code = 'ERR_SIGNATURE_INVALID';
}

/** The list is not UTF-8, or not JSON. */
export class ListMalformed extends RegistryError {
  readonly code = 'ERR_LIST_MALFORMED';
}

/** The list, or a record in it, does not conform to the JSON Schemas of the registry. */
export class ListNonconforming extends RegistryError {
  readonly code = 'ERR_LIST_NONCONFORMING';

  /** The location in the list, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;

  constructor(message: string, pointer: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** The list is not sorted by id, or contains an id twice (docs/protocol.md#list-order). */
export class ListUnsorted extends RegistryError {
  readonly code = 'ERR_LIST_UNSORTED';
}

/** The list is not in the canonical form of RFC 8785. A duplicate member name also causes this error. */
export class ListNotCanonical extends RegistryError {
  readonly code = 'ERR_LIST_NOT_CANONICAL';
}

/** The value has no canonical form: it is not I-JSON data (RFC 7493). */
export class NotCanonicalizable extends RegistryError {
  readonly code = 'ERR_NOT_CANONICALIZABLE';
}

/**
 * The trust policy does not conform to schemas/trust-policy.schema.json. One misspelled member invalidates the policy.
 */
export class PolicyInvalid extends RegistryError {
  readonly code = 'ERR_POLICY_INVALID';
}

/**
 * The trust anchor does not conform to schemas/trust-anchor.schema.json (docs/protocol.md#trust-anchor), needs a newer
 * version of this library (docs/protocol.md#trust-anchor-closed), or its root key is not a public Ed25519 or P-256 key.
 */
export class TrustAnchorInvalid extends RegistryError {
  readonly code = 'ERR_TRUST_ANCHOR_INVALID';
}

/** A source or an issuer cannot be reached. */
export class SourceUnreachable extends RegistryError {
  readonly code = 'ERR_SOURCE_UNREACHABLE';
}

/** A source or an issuer did not respond in time. */
export class SourceTimeout extends RegistryError {
  readonly code = 'ERR_SOURCE_TIMEOUT';
}

/** A source or an issuer closed the connection before the end of its response. */
export class SourceTruncated extends RegistryError {
  readonly code = 'ERR_SOURCE_TRUNCATED';
}

/** A source or an issuer sent a response above the size limit. */
export class SourceTooLarge extends RegistryError {
  readonly code = 'ERR_SOURCE_TOO_LARGE';
}

/** A source or an issuer responded with a redirect. Redirects are never followed. */
export class SourceRedirected extends RegistryError {
  readonly code = 'ERR_SOURCE_REDIRECTED';
  /** The HTTP status. Always 0 in browsers, which hide the status of a redirect. */
  readonly status: number;
  /** The Location header. */
  readonly location: string | undefined;

  constructor(url: string, status: number, location: string | undefined) {
    super(`${url} responded with status ${status}, a redirect to ${location ?? 'an unknown URL'}`);
    this.status = status;
    this.location = location;
  }
}

/** A source responded with an unexpected HTTP status, or lacks a required file. */
export class SourceStatus extends RegistryError {
  readonly code = 'ERR_SOURCE_STATUS';
}

/** A source responded with an HTML page, such as a captive portal or an error page with status 200. */
export class SourceContent extends RegistryError {
  readonly code = 'ERR_SOURCE_CONTENT';
}

/**
 * The list is older than the accepted list, or differs from it but has the same time (docs/protocol.md#list-rollback).
 */
export class ListRolledBack extends RegistryError {
  readonly code = 'ERR_LIST_ROLLED_BACK';
}

/** The list is older than the maximum age and has no checkpoint. */
export class ListExpired extends RegistryError {
  readonly code = 'ERR_LIST_EXPIRED';
}

/** The list or a statement has a time in the future, beyond the clock tolerance. */
export class NotYetValid extends RegistryError {
  readonly code = 'ERR_NOT_YET_VALID';
}

/** A checkpoint is missing, although an option requires it or the registry had one before. */
export class CheckpointMissing extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_MISSING';
}

/** The checkpoint is malformed, or not signed by an authorized key. */
export class CheckpointInvalid extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_INVALID';
}

/** The checkpoint has expired: the source serves stale data. */
export class CheckpointExpired extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_EXPIRED';
}

/** The checkpoint names a different list. */
export class CheckpointMismatch extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_MISMATCH';
}

/** The delegation is malformed, or the root key did not sign it. */
export class DelegationInvalid extends RegistryError {
  readonly code = 'ERR_DELEGATION_INVALID';
}

/** The checkpoint is older than the last accepted checkpoint, or releases an issuer at the same time. */
export class CheckpointRolledBack extends RegistryError {
  readonly code = 'ERR_CHECKPOINT_ROLLED_BACK';
}

/**
 * The delegation is older than the last accepted delegation under the same root key
 * (docs/protocol.md#delegation-rollback).
 */
export class DelegationRolledBack extends RegistryError {
  readonly code = 'ERR_DELEGATION_ROLLED_BACK';
}

/** The delegation has expired. */
export class DelegationExpired extends RegistryError {
  readonly code = 'ERR_DELEGATION_EXPIRED';
}

/**
 * The publication statement is missing, although a client has accepted one before, the trust anchor requires one, the
 * checkpoint names its sequence, or a look-up of one issuer needs one (docs/protocol.md#statement-required).
 */
export class PublicationMissing extends RegistryError {
  readonly code = 'ERR_PUBLICATION_MISSING';
}

/** The publication statement is malformed, or the root key did not sign it (docs/protocol.md#statement-form). */
export class PublicationInvalid extends RegistryError {
  readonly code = 'ERR_PUBLICATION_INVALID';
}

/** The publication statement has expired. */
export class PublicationExpired extends RegistryError {
  readonly code = 'ERR_PUBLICATION_EXPIRED';
}

/**
 * The publication statement is older than the accepted one, has its sequence but other claims, or withdraws checkpoints
 * or the log.
 */
export class PublicationRolledBack extends RegistryError {
  readonly code = 'ERR_PUBLICATION_ROLLED_BACK';
}

/** The list is not the list that the publication statement names. */
export class PublicationMismatch extends RegistryError {
  readonly code = 'ERR_PUBLICATION_MISMATCH';
}

/**
 * The log does not contain the publication statement, or the source does not prove it (docs/protocol.md#log-proof): the
 * proof is missing or malformed, of another log, or not signed by the key of the log.
 */
export class NotLogged extends RegistryError {
  readonly code = 'ERR_NOT_LOGGED';
}

/**
 * Fewer witnesses than the quorum have cosigned the head of the log, or not recently enough
 * (docs/protocol.md#log-quorum).
 */
export class TooFewCosignatures extends RegistryError {
  readonly code = 'ERR_TOO_FEW_COSIGNATURES';
}

/**
 * The log is not an extension of the log that was accepted before (docs/protocol.md#log-rollback): it is smaller, or
 * has other entries. Somebody shows different logs, or an old one.
 */
export class LogInconsistent extends RegistryError {
  readonly code = 'ERR_LOG_INCONSISTENT';
}

/** A sums file is malformed (docs/protocol.md#sums-form), although its hash is right: the operator published it so. */
export class SumsInvalid extends RegistryError {
  readonly code = 'ERR_SUMS_INVALID';
}

/** A sums file or a record does not have the hash that the file above it names. */
export class SumsMismatch extends RegistryError {
  readonly code = 'ERR_SUMS_MISMATCH';
}

/** A record is not the canonical form of an issuer with the id of its path, although its hash is right. */
export class RecordInvalid extends RegistryError {
  readonly code = 'ERR_RECORD_INVALID';
}

/** The chain of root keys is malformed, or has more than 64 steps (docs/protocol.md#rotation-read). */
export class RotationInvalid extends RegistryError {
  readonly code = 'ERR_ROTATION_INVALID';
}

/** A step in the chain of root keys does not follow the previous step. */
export class RotationGap extends RegistryError {
  readonly code = 'ERR_ROTATION_GAP';
}

/** The chain of root keys returns to an earlier key. */
export class RotationLoop extends RegistryError {
  readonly code = 'ERR_ROTATION_LOOP';
}

/** A step in the chain of root keys is not signed by the outgoing key. */
export class RotationSignature extends RegistryError {
  readonly code = 'ERR_ROTATION_SIGNATURE';
}

/**
 * A step in the chain of root keys leads to a key that the root key before is not committed to
 * (docs/protocol.md#commitment-followed): the trust anchor or the step before names the keys that may follow
 * (`next_roots`), and this is none of them.
 */
export class RotationNotCommitted extends RegistryError {
  readonly code = 'ERR_ROTATION_NOT_COMMITTED';
}

/**
 * A root key has two valid successors (docs/protocol.md#rotation-fork): its owner or an attacker signed two rotations.
 * Both are refused.
 */
export class RotationFork extends RegistryError {
  readonly code = 'ERR_ROTATION_FORK';
}

/** The operations statement, which no verifier decides by, is malformed, or not signed by the root key or a delegated key. */
export class OperationsInvalid extends RegistryError {
  readonly code = 'ERR_OPERATIONS_INVALID';
}

/** The operations statement has expired. */
export class OperationsExpired extends RegistryError {
  readonly code = 'ERR_OPERATIONS_EXPIRED';
}

/** The content of a store or a bundle does not have the format that this version reads. */
export class BundleInvalid extends RegistryError {
  readonly code = 'ERR_BUNDLE_INVALID';
}

/** No source is acceptable. `errors` contains the error of each source. */
export class NoUsableSource extends RegistryError {
  readonly code = 'ERR_NO_USABLE_SOURCE';
  /** The error of each source, by URL. */
  readonly errors: Readonly<Record<string, RegistryError>>;

  constructor(errors: Readonly<Record<string, RegistryError>>) {
    const each = Object.entries(errors).map(
      ([source, { code, message }]) => `${source}: ${code}, ${message}`,
    );
    super(`no source is acceptable (${each.join('; ')})`);
    this.errors = errors;
  }
}

/** The client has no list yet. Wait for `ready()`. */
export class RegistryNotReady extends RegistryError {
  readonly code = 'ERR_REGISTRY_NOT_READY';
}

/** The client has been closed and sends no more requests. */
export class RegistryClosed extends RegistryError {
  readonly code = 'ERR_REGISTRY_CLOSED';

  constructor() {
    super('the client has been closed: create a new one');
  }
}

/** The list is stale: the grace period has ended, and no source has a newer list. */
export class RegistryStale extends RegistryError {
  readonly code = 'ERR_REGISTRY_STALE';
  /** When the list stopped being fresh. */
  readonly since: Date;

  constructor(since: Date) {
    super(`the registry has not been fresh since ${since.toISOString()}, and no source has a newer list`);
    this.since = since;
  }
}

/** The URL of an issuer is neither an https URL nor an http URL on this machine. */
export class AddressInvalid extends RegistryError {
  readonly code = 'ERR_ADDRESS_INVALID';
}

/** A key pair is neither Ed25519 nor P-256, or its public key cannot be exported. */
export class AgentKeyInvalid extends RegistryError {
  readonly code = 'ERR_AGENT_KEY_INVALID';
}

/** An issuer refused a request (docs/protocol.md#issuer-errors). */
export class IssuerRefused extends RegistryError {
  readonly code = 'ERR_ISSUER_REFUSED';
  /** The HTTP status. */
  readonly status: number;
  /** The issuer's own error code. */
  readonly error: string;
  /** How many seconds to wait before a retry. Undefined if the issuer did not say. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    { status, error, retryAfter }: { status: number; error: string; retryAfter: number | undefined },
  ) {
    super(message);
    this.status = status;
    this.error = error;
    this.retryAfter = retryAfter;
  }
}

/** An issuer's response is not as specified (docs/protocol.md#mint). */
export class IssuerAnswerInvalid extends RegistryError {
  readonly code = 'ERR_ISSUER_ANSWER_INVALID';
}

/** The union of all error classes. TypeScript narrows it by `code`. */
export type AnyRegistryError =
  | OptionsInvalid
  | RootKeyInvalid
  | SignatureMalformed
  | SignatureInvalid
  | ListMalformed
  | ListNonconforming
  | ListUnsorted
  | ListNotCanonical
  | NotCanonicalizable
  | PolicyInvalid
  | TrustAnchorInvalid
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
  | CheckpointRolledBack
  | DelegationInvalid
  | DelegationRolledBack
  | DelegationExpired
  | PublicationMissing
  | PublicationInvalid
  | PublicationExpired
  | PublicationRolledBack
  | PublicationMismatch
  | NotLogged
  | TooFewCosignatures
  | LogInconsistent
  | SumsInvalid
  | SumsMismatch
  | RecordInvalid
  | RotationInvalid
  | RotationGap
  | RotationLoop
  | RotationSignature
  | RotationNotCommitted
  | RotationFork
  | OperationsInvalid
  | OperationsExpired
  | BundleInvalid
  | NoUsableSource
  | RegistryNotReady
  | RegistryClosed
  | RegistryStale
  | AddressInvalid
  | AgentKeyInvalid
  | IssuerRefused
  | IssuerAnswerInvalid;

/** All error codes of this library. */
export type RegistryErrorCode = AnyRegistryError['code'];
