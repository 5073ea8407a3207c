import type { PassportVerifier } from '../passport/passport-verifier.js';
import type { ActionVerdict } from '../passport/verdict.js';
import { missing, type Refusal, refusalOf } from './refusal.js';

/** The header in which a request carries the proof of its action. */
export const PROOF_HEADER = 'Action-Proof';

/** What is demanded of requests. */
export interface RequirePassportOptions<Request> {
  /** From `createPassportVerifier`. */
  readonly verifier: Pick<PassportVerifier, 'verifyAction'>;
  /** Which action a request is: `email.send`, or what tells it from the request. */
  readonly action: string | ((request: Request) => string | Promise<string>);
  /**
   * What the agent signed for a request. Default: the JSON object in its body; for a request without a body, its query
   * as an object of texts, and arrays of texts where a name stands more than once.
   */
  readonly payload?: (request: Request) => unknown;
  /** Largest body, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
}

/** A request as it presents itself. */
export interface Presented {
  readonly authorization: string | null | undefined;
  readonly proof: string | null | undefined;
}

/** The passport and the proof of a request, or the refusal of one that does not bring both. */
export function presentedBy({ authorization, proof }: Presented): { token: string; proof: string } | Refusal {
  const [, token] = /^Bearer +([A-Za-z0-9._-]+) *$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) return missing('passport');
  if (typeof proof !== 'string' || proof === '') return missing('proof');
  return { token, proof };
}

/** The verdict on a request that may go ahead, or the refusal of one that may not. */
export async function admit(
  verifier: Pick<PassportVerifier, 'verifyAction'>,
  request: { token: string; proof: string; action: string; payload: unknown },
): Promise<ActionVerdict | Refusal> {
  const verdict = await verifier.verifyAction(request);
  return verdict.allowed ? verdict : refusalOf(verdict, request.action);
}

/** Whether the outcome of a step is a refusal. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'status' in outcome;
}
