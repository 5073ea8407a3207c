/**
 * The base class of the errors that only this package has. Compare the `code`, which never changes: the message is for
 * people, and may change. What this package shares with the verifier, such as a request that fails or an invalid option, is a
 * `RegistryError` of `@passport-registry/verifier`.
 *
 * @example
 * ```ts
 * import { PassportClient, PassportError } from '@passport-registry/passports';
 *
 * try {
 *   new PassportClient('what the agent sent', 'http://issuer.example');
 * } catch (error) {
 *   if (error instanceof PassportError) console.log(error.code); // ERR_ADDRESS_INVALID
 * }
 * ```
 */
export class PassportError extends Error {
  /** The stable name of the error. */
  readonly code: PassportErrorCode;

  constructor(code: PassportErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PassportError';
    this.code = code;
  }
}

/** All codes of {@link PassportError}. */
export type PassportErrorCode =
  /** The URL of an issuer is neither an https URL nor an http URL on this machine. */
  | 'ERR_ADDRESS_INVALID'
  /** A key pair is neither Ed25519 nor P-256, or its public key cannot be exported. */
  | 'ERR_AGENT_KEY_INVALID'
  /** An issuer refused a request (docs/protocol/passports.md#issuer-errors). */
  | 'ERR_ISSUER_REFUSED'
  /** An issuer's response is not as specified (docs/protocol/passports.md#mint). */
  | 'ERR_ISSUER_ANSWER_INVALID';

/** What an issuer said when it refused a request. */
interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly retryAfter: number | undefined;
}

/** An issuer refused a request (docs/protocol/passports.md#issuer-errors). */
export class IssuerRefused extends PassportError {
  declare readonly code: 'ERR_ISSUER_REFUSED';
  /** The HTTP status. */
  readonly status: number;
  /** The issuer's own error code. */
  readonly error: string;
  /** How many seconds to wait before a retry. Undefined if the issuer did not say. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { status, error, retryAfter }: Refusal) {
    super('ERR_ISSUER_REFUSED', message);
    this.status = status;
    this.error = error;
    this.retryAfter = retryAfter;
  }
}
