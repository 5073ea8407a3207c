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

/** The union of all errors; its `code` narrows it. */
export type AnyRegistryError =
  | RootKeyInvalid
  | SignatureMalformed
  | SignatureInvalid
  | ListMalformed
  | ListNonconforming
  | ListUnsorted
  | ListNotCanonical
  | NotCanonicalizable;

/** Every stable code of this library. */
export type RegistryErrorCode = AnyRegistryError['code'];
