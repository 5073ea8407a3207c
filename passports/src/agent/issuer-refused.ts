import { RegistryError } from '@passport-registry/verifier';

/** An issuer refused a request (docs/protocol/passports.md#issuer-errors). */
export class IssuerRefused extends RegistryError {
  declare readonly code: 'ERR_ISSUER_REFUSED';
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
    super('ERR_ISSUER_REFUSED', message);
    this.status = status;
    this.error = error;
    this.retryAfter = retryAfter;
  }
}
