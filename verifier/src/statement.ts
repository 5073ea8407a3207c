import { errors, type JWTPayload, jwtVerify } from 'jose';
import { NotYetValid, type RegistryError } from './errors.js';
import type { RootKey } from './root-key.js';

/** What a registry's clock and ours may differ by, and what ours says. */
export interface Clock {
  /** Now, in milliseconds since 1970. */
  readonly now: number;
  /** Tolerance either way, in milliseconds. */
  readonly tolerance: number;
}

/** How a kind of statement fails. */
interface Failures {
  readonly invalid: (message: string, cause?: unknown) => RegistryError;
  readonly expired?: (message: string) => RegistryError;
}

const ALGORITHMS = { Ed25519: ['Ed25519', 'EdDSA'], ES256: ['ES256'] };

/**
 * Verifies a signed statement of the registry: a JWT with one type, by one key, under the algorithm of that key.
 *
 * @param clock - undefined when the statement has no expiry, or when the caller judges its age otherwise
 */
export async function verifyStatement(
  jwt: string,
  typ: string,
  key: RootKey,
  clock: Clock | undefined,
  { invalid, expired }: Failures,
): Promise<JWTPayload> {
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(jwt, key.cryptoKey, {
      typ,
      algorithms: ALGORITHMS[key.algorithm],
      requiredClaims: expired === undefined ? ['iat'] : ['iat', 'exp'],
      // Without a clock, the beginning of time: nothing has expired then.
      currentDate: new Date(clock?.now ?? 0),
      clockTolerance: (clock?.tolerance ?? 0) / 1000,
    }));
  } catch (cause) {
    if (cause instanceof errors.JWTExpired && expired !== undefined) {
      throw expired(`it expired at ${new Date(Number(cause.payload.exp) * 1000).toISOString()}`);
    }
    throw invalid((cause as Error).message, cause);
  }
  const issued = Number(payload.iat) * 1000;
  if (!Number.isFinite(issued)) throw invalid('iat is no time');
  if (clock !== undefined && issued > clock.now + clock.tolerance) {
    throw new NotYetValid(`a ${typ} was issued at ${new Date(issued).toISOString()}, which is yet to come`);
  }
  return payload;
}
