import {
  assertOptions,
  BYTES,
  FUNCTION,
  type OptionChecks,
  objectWith,
  required,
} from '@passport-registry/verifier/core';
import { isAction } from '../passport/scope.js';
import type { PassportVerifier } from '../verification/passport-verifier.js';
import type { AllowedAction } from '../verification/verdict.js';
import type { Read } from './payload.js';
import { missing, type Refusal, refusalOf } from './refusal.js';

/** The request header that contains the proof of the action. */
export const PROOF_HEADER = 'Action-Proof';

/** Options of `requirePassport`. */
export interface RequirePassportOptions<Request> {
  /** The verifier, from `createPassportVerifier`. */
  readonly verifier: Pick<PassportVerifier, 'verifyAction'>;
  /** The action of a request, such as `email.send`, or a function that derives it from the request. */
  readonly action: string | ((request: Request) => string | Promise<string>);
  /**
   * Returns the payload that the agent signed. Default: the JSON object in the body of the request. If the body is
   * empty, the payload is the query, as an object of strings. If a name occurs more than once, its value is an array of
   * strings.
   */
  readonly payload?: (request: Request) => unknown;
  /** The maximum size of the body in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
}

/** An admitted request: the verdict on the action, and the payload that the agent signed. */
export interface Admission extends AllowedAction {
  /** The verified payload. Use this value, and do not parse the request again. */
  readonly payload: Readonly<Record<string, unknown>>;
}

const REQUIRE_PASSPORT_OPTIONS: OptionChecks<RequirePassportOptions<never>> = {
  verifier: required(objectWith('verifyAction')),
  action: {
    check: (value) => isAction(value) || typeof value === 'function',
    expected: 'an action such as email.send, or a function of the request',
    required: true,
  },
  payload: FUNCTION,
  maxBodyBytes: BYTES,
};

/** Checks the options of every adapter. @throws {@link OptionsInvalid} */
export function assertRequireOptions(options: object): void {
  assertOptions<RequirePassportOptions<never>>(options, REQUIRE_PASSPORT_OPTIONS, 'requirePassport');
}

/** The parts of a request that an adapter presents. */
interface Presented<Request> {
  readonly request: Request;
  readonly authorization: string | null | undefined;
  readonly proof: string | null | undefined;
  /** Reads the payload. Called only without the option `payload`. */
  readonly readPayload: () => Promise<Read<unknown>>;
}

/** Admits or refuses a request. */
export async function admit<Request>(
  { request, authorization, proof, readPayload }: Presented<Request>,
  { verifier, action, payload }: RequirePassportOptions<Request>,
): Promise<Admission | Refusal> {
  const token = bearerToken(authorization);
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

/** Returns the token of an `Authorization` header. Undefined if there is none, or more than one. */
export function bearerToken(authorization: string | null | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Returns whether the outcome of a step is a refusal. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'status' in outcome;
}
