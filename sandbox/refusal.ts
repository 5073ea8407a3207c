/** The error codes, each with its HTTP status (rule issuer-errors). */
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
type PossessionFailure =
  | 'nonce_unknown'
  | 'nonce_expired'
  | 'nonce_of_another_request'
  | 'nonce_for_another_key'
  | 'signature_invalid';

/** The parts of a refusal besides the code and the message. */
interface RefusalOptions {
  readonly details?: { readonly reason?: PossessionFailure; readonly pointer?: string };
  /** The time in seconds after which the client should retry. */
  readonly retryAfter?: number;
}

/** The error for a request that the issuer refuses. */
export class Refusal extends Error {
  readonly code: keyof typeof STATUSES;
  readonly details: NonNullable<RefusalOptions['details']>;
  readonly retryAfter: number | undefined;

  constructor(code: keyof typeof STATUSES, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfter = options.retryAfter;
  }

  get status(): (typeof STATUSES)[keyof typeof STATUSES] {
    return STATUSES[this.code];
  }
}

/** Creates the refusal for a failed proof of possession. */
export function possessionFailed(reason: PossessionFailure, message: string): Refusal {
  return new Refusal('proof_of_possession_failed', message, { details: { reason } });
}
