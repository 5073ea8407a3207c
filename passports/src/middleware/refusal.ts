import { kindOf, type ReasonKind, type VerdictReason } from '../passport/rejection.js';
import type { VerdictDetails } from '../verification/verdict.js';

/** An HTTP response that refuses a request. The body has the form of an issuer's errors (rule issuer-errors). */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 413 | 415 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    /** A stable code. */
    readonly error: string;
    /** A message for people. */
    readonly message: string;
    readonly details: { readonly reasons?: readonly VerdictReason[] };
  };
}

/**
 * The response to each cause (RFC 6750, section 3.1). `invalid_proof` and `untrusted_issuer` are additions to the RFC. With
 * 401 another passport or proof helps, with 403 none from the same issuer and principal.
 */
const RESPONSES: Readonly<Record<ReasonKind, { status: Refusal['status']; error: string }>> = {
  passport: { status: 401, error: 'invalid_token' },
  issuer: { status: 403, error: 'untrusted_issuer' },
  proof: { status: 401, error: 'invalid_proof' },
  mandate: { status: 403, error: 'insufficient_scope' },
  request: { status: 400, error: 'invalid_request' },
  unavailable: { status: 503, error: 'temporarily_unavailable' },
};

const RETRY_AFTER_SECONDS = '5';

/** Creates a refusal. No cache may keep one: the next request may be admitted. */
function refuse(status: Refusal['status'], body: Refusal['body'], headers: Refusal['headers'] = {}): Refusal {
  return { status, headers: { ...headers, 'Cache-Control': 'no-store' }, body };
}

/** Creates the response to a request that a verdict refuses. @param action - the action, if the verdict is about one */
export function refusalOf({ reasons }: Pick<VerdictDetails, 'reasons'>, action?: string): Refusal {
  const [{ code, message } = { code: 'unknown', message: 'refused' }] = reasons;
  const kind = kindOf(code);
  // Without an action there is no proof, so the reason is about the token.
  const { status, error } = RESPONSES[kind === 'proof' && action === undefined ? 'passport' : kind];
  const scope = kind === 'mandate' && action !== undefined ? { scope: action } : {};
  const headers =
    status === 503
      ? { 'Retry-After': RETRY_AFTER_SECONDS }
      : { 'WWW-Authenticate': challenge({ error, error_description: code, ...scope }) };
  return refuse(status, { error: code, message, details: { reasons } }, headers);
}

/** Refuses a request without a token or a proof. Without a token, the challenge has no error (RFC 6750, 3.1). */
export function missing(what: 'passport' | 'token' | 'proof'): Refusal {
  const parameters = what === 'proof' ? { error: 'invalid_proof', error_description: 'proof-missing' } : {};
  const message =
    what === 'proof'
      ? 'the proof of the action is missing: send it as Action-Proof'
      : `the ${what} is missing: send it as Authorization: Bearer`;
  const headers = { 'WWW-Authenticate': challenge(parameters) };
  return refuse(401, { error: `${what}-missing`, message, details: {} }, headers);
}

/** Refuses a request whose payload cannot be read. */
export function unreadable(status: 400 | 413, error: string, message: string): Refusal {
  return refuse(status, { error, message, details: {} });
}

/**
 * Refuses a body with a content coding, such as gzip: the agent signed what the body is without it. Undefined without one.
 *
 * @param coding - the header `Content-Encoding`
 */
export function refuseCoding(coding: string | null | undefined): Refusal | undefined {
  const codings = (coding ?? '').split(',').map((name) => name.trim().toLowerCase());
  if (codings.every((name) => name === '' || name === 'identity')) return undefined;
  const message = 'the body has a Content-Encoding, such as gzip: send it without';
  return refuse(415, { error: 'body-encoded', message, details: {} }, { 'Accept-Encoding': 'identity' });
}

/** Creates a challenge. It contains only codes and actions: untrusted text must never get into a header. */
function challenge(parameters: Readonly<Record<string, string>>): string {
  const safe = Object.entries(parameters).filter(([, value]) => /^[A-Za-z0-9._-]+$/.test(value));
  return ['Bearer realm="agent passport"', ...safe.map(([name, value]) => `${name}="${value}"`)].join(', ');
}
