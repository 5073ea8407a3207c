import { type Refusal, unreadable } from '../middleware/refusal.js';
import { unconditionalScope } from '../passport/scope.js';
import type { AcceptedPassport, AcceptedToken, AllowedAction } from '../verification/verdict.js';

/** What a request has proven. */
export type Proven = 'token' | 'passport' | 'action';

/** The value of a header if nothing was proven for it. */
const NONE = 'none';

/** The maximum size of the headers, names included. */
const MAX_BYTES = 2048;

/** The headers of an admitted request. */
export type IdentityHeaders = Readonly<Record<string, string>>;

/** Returns the headers for a passport. An agent that proves an action proves this action, and not its whole mandate. */
export function passportHeaders(
  { issuer, passport, mandate }: Pick<AcceptedPassport | AllowedAction, 'issuer' | 'passport' | 'mandate'>,
  action?: string,
): IdentityHeaders | Refusal {
  return headersOf(action === undefined ? 'passport' : 'action', {
    Issuer: issuer.issuer_id,
    Tier: issuer.tier,
    Principal: passport.principal_id,
    Agent: passport.sub,
    Scope: action ?? unconditionalScope(mandate).join(' '),
  });
}

/** Returns the headers for another token of an issuer, which proves neither an agent nor a principal. */
export function tokenHeaders({ issuer }: Pick<AcceptedToken, 'issuer'>): IdentityHeaders | Refusal {
  return headersOf('token', {
    Issuer: issuer.issuer_id,
    Tier: issuer.tier,
    Principal: '',
    Agent: '',
    Scope: '',
  });
}

/** Returns the headers, or a refusal if they would be too large, or if a value is not Unicode. */
function headersOf(proven: Proven, facts: Readonly<Record<string, string>>): IdentityHeaders | Refusal {
  try {
    const encoded = Object.entries(facts).map(([name, value]) => [`Passport-${name}`, encode(value)]);
    const headers = Object.fromEntries([...encoded, ['Passport-Proven', proven]]);
    const size = Object.entries<string>(headers).reduce(
      (sum, [name, value]) => sum + name.length + value.length,
      0,
    );
    return size <= MAX_BYTES ? headers : tooLong();
  } catch (error) {
    if (error instanceof URIError) return tooLong();
    throw error;
  }
}

function tooLong(): Refusal {
  return unreadable(400, 'identity-too-long', 'the headers that say what was proven would exceed 2 KiB');
}

/** Encodes a value in ASCII: what is not visible, and the percent sign, as in a URL. Single spaces separate scopes. */
function encode(value: string): string {
  if (value === '') return NONE;
  if (value === NONE) return '%6Eone';
  return value.replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent).replace(/^ | $/g, '%20');
}
