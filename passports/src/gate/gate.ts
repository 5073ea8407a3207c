import { OptionsInvalid } from '@passport-registry/verifier';
import {
  assertOptions,
  BYTES,
  FUNCTION,
  hashHex,
  OBJECT,
  type OptionChecks,
  objectWith,
  required,
} from '@passport-registry/verifier/core';
import { admit, bearerToken, isRefusal, PROOF_HEADER } from '../middleware/admit.js';
import { MAX_BODY_BYTES } from '../middleware/payload.js';
import { missing, type Refusal, refusalOf, unreadable } from '../middleware/refusal.js';
import { isAction } from '../passport/scope.js';
import type { PassportVerifier } from '../verification/passport-verifier.js';
import {
  type AskedRequest,
  askedRequest,
  type Check,
  GATEWAYS,
  type GatewayName,
  readPayload,
} from './gateways.js';
import { type IdentityHeaders, type Proven, passportHeaders, tokenHeaders } from './identity.js';

/** What a request must prove. Without `action` and `token`, a passport. */
export interface GateProfile {
  /** The verifier, from `createPassportVerifier`. Profiles can share one. */
  readonly verifier: PassportVerifier;
  /** Requires a passport, and the proof of this action, such as `email.send`. */
  readonly action?: string;
  /** Requires a token under the profile of this name among the `tokenProfiles` of the verifier, instead of a passport. */
  readonly token?: string;
}

/** Options of {@link createGate}. */
export interface GateOptions {
  /** The gateway that asks: it decides how the door learns of the request, and which statuses it can answer with. */
  readonly gateway: GatewayName;
  /** The profiles, by the names under which the gateway asks for them. */
  readonly profiles: Readonly<Record<string, GateProfile>>;
  /** The maximum size of the body in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Called with each answer, for logs and metrics. */
  readonly onAnswer?: (answer: AnsweredCheck) => void;
}

/** An answer of the door. */
export interface AnsweredCheck {
  /** The profile. Undefined if there is no such profile. */
  readonly profile: string | undefined;
  /** The status before it was adapted to the gateway: nginx gets 403 in place of 503. */
  readonly status: 200 | 401 | 403 | 503;
  /** What the request has proven. Undefined if it was refused. */
  readonly proven: Proven | undefined;
  /** The cause, as in `Passport-Error`, and its description for people. Undefined if the request was admitted. */
  readonly error: string | undefined;
  readonly message: string | undefined;
}

/**
 * Answers a gateway.
 *
 * @param request - the check of the gateway, at `/verify/<profile>`
 * @param target - the request target exactly as sent. Platforms normalize `request.url`: `/verify/mail/../x` becomes
 *   `/verify/x`. Required for Envoy, which appends the path of its client
 */
export type Gate = (request: Request, target?: string) => Promise<Response>;

const GATE_OPTIONS: OptionChecks<GateOptions> = {
  gateway: {
    check: (value) => typeof value === 'string' && Object.hasOwn(GATEWAYS, value),
    expected: `one of ${Object.keys(GATEWAYS).join(', ')}`,
    required: true,
  },
  profiles: required(OBJECT),
  maxBodyBytes: BYTES,
  onAnswer: FUNCTION,
};

const GATE_PROFILE: OptionChecks<GateProfile> = {
  verifier: required(objectWith('verifyPassport', 'verifyAction', 'verifyToken')),
  action: { check: isAction, expected: 'an action such as email.send' },
  token: { check: (value) => typeof value === 'string', expected: 'the name of a profile of the verifier' },
};

const PROFILE_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/**
 * Creates a door that gateways ask before each request (docs/gateways.md): nginx, Caddy, Traefik or Envoy. The
 * configuration of the gateway chooses the profile, and never the request. An answer with status 200 has all of the headers
 * `Passport-Issuer`, `-Tier`, `-Principal`, `-Agent`, `-Scope` and `-Proven`, with `none` for what was not proven.
 * Everything else refuses the request, with the cause in `Passport-Error`.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { createPassportVerifier } from '@passport-registry/passports';
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { createGate } from '@passport-registry/passports/gate';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['certified'] },
 *   audience: 'https://mail.example',
 * });
 * const gate = createGate({ gateway: 'nginx', profiles: { site: { verifier } } });
 * const { status, headers } = await gate(new Request('http://127.0.0.1/verify/site'));
 * console.log(status, headers.get('passport-error')); // 401 passport-missing
 * ```
 */
export function createGate(options: GateOptions): Gate {
  assertOptions<GateOptions>(options, GATE_OPTIONS, 'createGate');
  const { gateway, onAnswer } = options;
  const profiles = readProfiles(options.profiles);

  return async (request, target) => {
    const called = readTarget(request, { gateway, target });
    const profile = called && profiles.get(called.name);
    const outcome =
      called === undefined || profile === undefined
        ? unreadable(400, 'profile-unknown', 'the gateway asks for a profile that does not exist')
        : await verify(profile, { request, rest: called.rest }, options);
    const name = profile && called?.name;
    if (!isRefusal(outcome)) {
      const proven = outcome['Passport-Proven'] as Proven;
      onAnswer?.({ profile: name, status: 200, proven, error: undefined, message: undefined });
      // nginx closes a connection after an answer without a length, and would connect for each request.
      return new Response(null, {
        headers: { ...outcome, 'Cache-Control': 'no-store', 'Content-Length': '0' },
      });
    }
    const { error, message } = outcome.body;
    const status = statusOf(outcome);
    onAnswer?.({ profile: name, status, proven: undefined, error, message });
    const isAdapted = status === 503 && 'isLimited' in GATEWAYS[gateway];
    return Response.json(outcome.body, {
      status: isAdapted ? 403 : status,
      headers: { ...outcome.headers, 'Passport-Error': error },
    });
  };
}

function readProfiles(given: GateOptions['profiles']): ReadonlyMap<string, GateProfile> {
  for (const [name, profile] of Object.entries(given)) {
    const caller = `createGate: profiles: ${name}`;
    if (!PROFILE_NAME.test(name)) {
      throw new OptionsInvalid(
        'createGate',
        'profiles',
        `has the name ${JSON.stringify(name)}: use a-z, 0-9 and -`,
      );
    }
    assertOptions<GateProfile>(profile, GATE_PROFILE, caller);
    if (profile.action !== undefined && profile.token !== undefined) {
      throw new OptionsInvalid(caller, 'token', 'is not possible with action: a token has no proof');
    }
  }
  return new Map(Object.entries(given).map(([name, profile]) => [name, { ...profile }]));
}

/** Reads the profile from a target. Only Envoy appends something to the path: the path of its client. */
function readTarget(
  { url }: Request,
  { gateway, target }: { gateway: GatewayName; target: string | undefined },
): { name: string; rest: string } | undefined {
  const isAppended = gateway === 'envoy';
  if (isAppended && target === undefined) return undefined;
  const sent = target ?? url.slice(new URL(url).origin.length);
  const [, name, rest] = /^\/verify\/([a-z0-9-]+)((?:[/?].*)?)$/s.exec(sent) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  return isAppended || !rest.startsWith('/') ? { name, rest } : undefined;
}

/** Verifies a request under a profile. Returns the headers that say what was proven. */
async function verify(
  { verifier, action, token }: GateProfile,
  check: Check,
  options: GateOptions,
): Promise<IdentityHeaders | Refusal> {
  if (action !== undefined) return verifyAction({ verifier, action }, check, options);
  const presented = bearerToken(check.request.headers.get('authorization'));
  if (presented === undefined) return missing(token === undefined ? 'passport' : 'token');
  if (token !== undefined) {
    const verdict = await verifier.verifyToken(presented, token);
    return verdict.accepted ? tokenHeaders(verdict) : refusalOf(verdict);
  }
  const verdict = await verifier.verifyPassport(presented);
  return verdict.accepted ? passportHeaders(verdict) : refusalOf(verdict);
}

async function verifyAction(
  { verifier, action }: Required<Pick<GateProfile, 'verifier' | 'action'>>,
  check: Check,
  { gateway: name, maxBodyBytes: maxBytes = MAX_BODY_BYTES }: GateOptions,
): Promise<IdentityHeaders | Refusal> {
  const { headers } = check.request;
  const asked = askedRequest(name, check);
  if (isRefusal(asked)) return asked;
  const proof = headers.get(PROOF_HEADER);
  const requestId = requestIdOf(asked, proof);
  const presented = {
    request: check.request,
    authorization: headers.get('authorization'),
    proof,
    readPayload: () => readPayload(asked, check, { name, maxBytes }),
  };
  const once: Pick<PassportVerifier, 'verifyAction'> = {
    verifyAction: (request) => verifier.verifyAction({ ...request, requestId }),
  };
  const admitted = await admit(presented, { verifier: once, action });
  return isRefusal(admitted) ? admitted : passportHeaders(admitted, action);
}

/** Names one request, so that the gateway can ask for it again: the same proof, method, URI and host under the same id. */
function requestIdOf({ id, method, uri, host }: AskedRequest, proof: string | null): string | undefined {
  if (id === undefined) return undefined;
  return hashHex(JSON.stringify([id, proof, method, uri, host]));
}

/** Returns the status of a refusal. A gateway can only forbid a request that is malformed. */
function statusOf({ status }: Refusal): 401 | 403 | 503 {
  return status === 400 || status === 413 || status === 415 ? 403 : status;
}
