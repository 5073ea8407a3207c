/**
 * The base class of all errors of this library. Compare its `code`, which never changes: the message is for people, and
 * may. A sub-class has the fields of one code.
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
export class RegistryError extends Error {
  /** The stable name of the error. */
  readonly code: RegistryErrorCode;

  constructor(code: RegistryErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'RegistryError';
    this.code = code;
  }
}

/** Whether a value is an error of this library with one of some codes. */
export function hasCode(error: unknown, ...codes: readonly RegistryErrorCode[]): error is RegistryError {
  return error instanceof RegistryError && codes.includes(error.code);
}

/** All error codes of this library. When a verifier of lists has which: docs/protocol/clients.md#error-codes. */
export type RegistryErrorCode =
  /** An option is missing, unknown, or invalid. */
  | 'ERR_OPTIONS_INVALID'
  /** The root key is not a public Ed25519 or P-256 JWK (docs/protocol.md#public-key), or contains a private member. */
  | 'ERR_ROOT_KEY_INVALID'
  /**
   * The signature is not 64 bytes in base64url without padding (docs/protocol.md#signature-form). It was not verified.
   */
  | 'ERR_SIGNATURE_MALFORMED'
  /** The root key did not sign these bytes. */
  | 'ERR_SIGNATURE_INVALID'
  /** The list is not UTF-8, or not JSON. */
  | 'ERR_LIST_MALFORMED'
  /** The list, or a record in it, does not conform to the JSON Schemas of the registry. */
  | 'ERR_LIST_NONCONFORMING'
  /** The list is not sorted by id, or contains an id twice (docs/protocol.md#list-order). */
  | 'ERR_LIST_UNSORTED'
  /** The list is not in the canonical form of RFC 8785. A duplicate member name also causes this error. */
  | 'ERR_LIST_NOT_CANONICAL'
  /** The value has no canonical form: it is not I-JSON data (RFC 7493). */
  | 'ERR_NOT_CANONICALIZABLE'
  /**
   * The trust policy does not conform to schemas/trust-policy.schema.json. One misspelled member invalidates the policy.
   */
  | 'ERR_POLICY_INVALID'
  /**
   * The trust anchor does not conform to schemas/trust-anchor.schema.json (docs/protocol.md#trust-anchor), needs a newer
   * version of this library (docs/protocol.md#trust-anchor-closed), or its root key is not a public Ed25519 or P-256 key.
   */
  | 'ERR_TRUST_ANCHOR_INVALID'
  /** A host cannot be reached. */
  | 'ERR_SOURCE_UNREACHABLE'
  /** A host did not respond in time. */
  | 'ERR_SOURCE_TIMEOUT'
  /** A host closed the connection before the end of its response. */
  | 'ERR_SOURCE_TRUNCATED'
  /** A host sent a response above the size limit. */
  | 'ERR_SOURCE_TOO_LARGE'
  /** A host responded with a redirect. Redirects are never followed. */
  | 'ERR_SOURCE_REDIRECTED'
  /** A source responded with an unexpected HTTP status, or lacks a required file. */
  | 'ERR_SOURCE_STATUS'
  /** A source responded with an HTML page, such as a captive portal or an error page with status 200. */
  | 'ERR_SOURCE_CONTENT'
  /**
   * The list is older than the accepted list, or differs from it but has the same time (docs/protocol.md#list-rollback).
   */
  | 'ERR_LIST_ROLLED_BACK'
  /** An offline copy is older than its maximum age. */
  | 'ERR_LIST_EXPIRED'
  /** The list or a statement has a time in the future, beyond the clock tolerance. */
  | 'ERR_NOT_YET_VALID'
  /** `statements.json` is not strict JSON, or lacks a statement (docs/protocol.md#statements-file). */
  | 'ERR_STATEMENTS_INVALID'
  /** The checkpoint is malformed, valid for too long, or not signed by the root key or an online key of the publication. */
  | 'ERR_CHECKPOINT_INVALID'
  /** The checkpoint has expired: the source serves stale data. */
  | 'ERR_CHECKPOINT_EXPIRED'
  /** The checkpoint is for another publication statement (docs/protocol/clients.md#statement-checkpoint). */
  | 'ERR_CHECKPOINT_MISMATCH'
  /** The checkpoint is older than the accepted one of the same publication, or releases an issuer although it is not newer. */
  | 'ERR_CHECKPOINT_ROLLED_BACK'
  /** The publication statement is malformed, or the root key did not sign it (docs/protocol.md#statement-form). */
  | 'ERR_PUBLICATION_INVALID'
  /**
   * The publication statement is older than the accepted one, has its sequence but other claims, or withdraws the log.
   */
  | 'ERR_PUBLICATION_ROLLED_BACK'
  /** The list is not the list that the publication statement names. */
  | 'ERR_PUBLICATION_MISMATCH'
  /**
   * The log does not contain the publication statement, or the source does not prove it
   * (docs/protocol/log.md#log-proof): the proof is missing or malformed, of another log, or not signed by the key of
   * the log.
   */
  | 'ERR_NOT_LOGGED'
  /**
   * Fewer witnesses than the quorum have cosigned the head of the log, or not recently enough
   * (docs/protocol/log.md#log-quorum).
   */
  | 'ERR_TOO_FEW_COSIGNATURES'
  /**
   * The log is not an extension of the log that was accepted before (docs/protocol/log.md#log-rollback): it is smaller,
   * or has other entries. Somebody shows different logs, or an old one.
   */
  | 'ERR_LOG_INCONSISTENT'
  /**
   * A sums file is malformed (docs/protocol/look-up.md#sums-form), although its hash is right: the operator published
   * it so.
   */
  | 'ERR_SUMS_INVALID'
  /** A sums file or a record does not have the hash that the file above it names. */
  | 'ERR_SUMS_MISMATCH'
  /** A record is not the canonical form of an issuer with the id of its path, although its hash is right. */
  | 'ERR_RECORD_INVALID'
  /** The chain of root keys is malformed, or has more than 64 steps (docs/protocol/rotation.md#rotation-read). */
  | 'ERR_ROTATION_INVALID'
  /** A step in the chain of root keys does not follow the previous step. */
  | 'ERR_ROTATION_GAP'
  /** The chain of root keys returns to an earlier key. */
  | 'ERR_ROTATION_LOOP'
  /** A step in the chain of root keys is not signed by the outgoing key. */
  | 'ERR_ROTATION_SIGNATURE'
  /**
   * A step in the chain of root keys leads to a key that the root key before is not committed to
   * (docs/protocol/rotation.md#commitment-followed): the trust anchor or the step before names the keys that may follow
   * (`next_roots`), and this key is not among them.
   */
  | 'ERR_ROTATION_NOT_COMMITTED'
  /**
   * A root key has two valid successors (docs/protocol/rotation.md#rotation-fork): its owner or an attacker signed two
   * rotations. A client refuses the source that departs from what it has accepted. Beyond that, it refuses all sources.
   */
  | 'ERR_ROTATION_FORK'
  /** The content of a store or a bundle does not have the format that this version reads. */
  | 'ERR_BUNDLE_INVALID'
  /** No source is acceptable. `errors` contains the error of each source. */
  | 'ERR_NO_USABLE_SOURCE'
  /** The client has no list yet. Wait for `ready()`. */
  | 'ERR_REGISTRY_NOT_READY'
  /** The client has been closed and sends no more requests. */
  | 'ERR_REGISTRY_CLOSED'
  /** The list is stale: the grace period has ended, and no source has a newer list. */
  | 'ERR_REGISTRY_STALE';

/** An option is missing, unknown, or invalid. */
export class OptionsInvalid extends RegistryError {
  declare readonly code: 'ERR_OPTIONS_INVALID';
  /** The invalid option. Undefined if the options are not an object. */
  readonly option: string | undefined;

  constructor(caller: string, option: string | undefined, problem: string) {
    super('ERR_OPTIONS_INVALID', `${caller}: ${option === undefined ? '' : `${option}: `}${problem}`);
    this.option = option;
  }
}

/** The list, or a record in it, does not conform to the JSON Schemas of the registry. */
export class ListNonconforming extends RegistryError {
  declare readonly code: 'ERR_LIST_NONCONFORMING';
  /** The location in the list, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;

  constructor(message: string, pointer: string) {
    super('ERR_LIST_NONCONFORMING', message);
    this.pointer = pointer;
  }
}

/** A host responded with a redirect. Redirects are never followed. */
export class SourceRedirected extends RegistryError {
  declare readonly code: 'ERR_SOURCE_REDIRECTED';
  /** The HTTP status. Always 0 in browsers, which hide the status of a redirect. */
  readonly status: number;
  /** The Location header. */
  readonly location: string | undefined;

  constructor(url: string, status: number, location: string | undefined) {
    // A URL object escapes what could move the cursor of a terminal.
    const target =
      location !== undefined && URL.canParse(location, url) ? new URL(location, url).href : 'an unknown URL';
    super('ERR_SOURCE_REDIRECTED', `${url} responded with status ${status}, a redirect to ${target}`);
    this.status = status;
    this.location = location;
  }
}

/** No source is acceptable. `errors` contains the error of each source. */
export class NoUsableSource extends RegistryError {
  declare readonly code: 'ERR_NO_USABLE_SOURCE';
  /** The error of each source, by URL. */
  readonly errors: Readonly<Record<string, RegistryError>>;

  constructor(errors: Readonly<Record<string, RegistryError>>) {
    const each = Object.entries(errors).map(
      ([source, { code, message }]) => `${source}: ${code}, ${message}`,
    );
    super('ERR_NO_USABLE_SOURCE', `no source is acceptable: ${each.join('; ')}`);
    this.errors = errors;
  }
}

/** The list is stale: the grace period has ended, and no source has a newer list. */
export class RegistryStale extends RegistryError {
  declare readonly code: 'ERR_REGISTRY_STALE';
  /** When the list stopped being fresh. */
  readonly since: Date;

  constructor(since: Date) {
    super('ERR_REGISTRY_STALE', `the registry has not been fresh since ${since.toISOString()}`);
    this.since = since;
  }
}
