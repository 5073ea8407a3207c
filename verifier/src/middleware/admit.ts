import { BYTES, FUNCTION, type OptionChecks, objectWith, required } from '../encoding/options.js';
import { isAction } from '../passport/scope.js';
import type { PassportVerifier } from '../verification/passport-verifier.js';
import type { AllowedAction } from '../verification/verdict.js';
import type { Read } from './payload.js';
import { missing, type Refusal, refusalOf } from './refusal.js';

/** The header in which a request carries the proof of its action. */
export const PROOF_HEADER = 'Action-Proof';

/** Options of `requirePassport`. */
export interface RequirePassportOptions<Request> {
  /** From `createPassportVerifier`. */
  readonly verifier: Pick<PassportVerifier, 'verifyAction'>;
  /** The action of a request, such as `email.send`, or a function that derives it from the request. */
  readonly action: string | ((request: Request) => string | Promise<string>);
  /**
   * What the agent signed for a request. Default: the JSON object in its body; for a request whose body is empty, its
   * query as an object of texts, and arrays of texts if a name occurs more than once.
   */
  readonly payload?: (request: Request) => unknown;
  /** Largest body that is read, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
}

/** An admitted request: the verdict on its action, and the payload that the agent signed. */
export interface Admission extends AllowedAction {
  /** The verified value. Use it instead of parsing the request again. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The checks of the options of `requirePassport`, for every adapter. */
export const REQUIRE_PASSPORT_OPTIONS: OptionChecks<RequirePassportOptions<never>> = {
  verifier: required(objectWith('verifyAction')),
  action: {
    check: (value) => isAction(value) || typeof value === 'function',
    expected: 'an action such as email.send, or a function of the request',
    required: true,
  },
  payload: FUNCTION,
  maxBodyBytes: BYTES,
};

/** A request, as an adapter sees it. */
export interface Presented<Request> {
  readonly request: Request;
  readonly authorization: string | null | undefined;
  readonly proof: string | null | undefined;
  /** Reads the payload, if the application has no `payload` option. */
  readonly readPayload: () => Promise<Read<unknown>>;
}

/** The admission of a request, or its refusal. */
export async function admit<Request>(
  { request, authorization, proof, readPayload }: Presented<Request>,
  { verifier, action, payload }: RequirePassportOptions<Request>,
): Promise<Admission | Refusal> {
  const [, token] = /^Bearer +([A-Za-z0-9._-]+) *$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) return missing('passport');
  if (typeof proof !== 'string' || proof === '') return missing('proof');
  const read = payload === undefined ? await readPayload() : { value: await payload(request) };
  if (isRefusal(read)) return read;
  const name = typeof action === 'string' ? action : await action(request);
  const verdict = await verifier.verifyAction({ token, proof, action: name, payload: read.value });
  if (!verdict.allowed) return refusalOf(verdict, name);
  // An allowed action always has an object as its payload.
  return { ...verdict, payload: read.value as Admission['payload'] };
}

/** Whether the outcome of a step is a refusal. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'status' in outcome;
}
