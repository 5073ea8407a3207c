/** The codes of SPEC B9's errors, each with its HTTP status. */
const STATUSES = {
  bad_request: 400,
  unauthorized: 401,
  proof_of_possession_failed: 401,
  not_found: 404,
  key_has_passport: 409,
  passport_revoked: 409,
  too_large: 413,
  busy: 503,
} as const;

/** Why a proof of possession failed. */
export type PossessionFailure =
  | 'nonce_unknown'
  | 'nonce_expired'
  | 'nonce_of_another_request'
  | 'nonce_for_another_key'
  | 'signature_invalid';

/** A request that the issuer refuses; it is answered in the form of SPEC B9. */
export class Refused extends Error {
  readonly code: keyof typeof STATUSES;
  readonly status: (typeof STATUSES)[keyof typeof STATUSES];
  readonly details: { readonly reason?: PossessionFailure; readonly pointer?: string };
  /** After how many seconds to try again. */
  readonly retryAfter: number | undefined;

  constructor(
    code: keyof typeof STATUSES,
    message: string,
    { details = {}, retryAfter }: { details?: Refused['details']; retryAfter?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.status = STATUSES[code];
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** A proof of possession that fails. */
export function possessionFailed(reason: PossessionFailure, message: string): Refused {
  return new Refused('proof_of_possession_failed', message, { details: { reason } });
}
