import { instantOf } from '../list/date-time.js';
import { PASSPORT_REASONS } from '../passport/reasons.js';
import type { PassportVerifier } from '../verification/passport-verifier.js';
import type { AcceptedPassport } from '../verification/verdict.js';

/** `AuthInfo` of the MCP SDK. */
export interface McpAuthInfo {
  token: string;
  /** The passport's DID. */
  clientId: string;
  /** The scope of the mandate. Empty without a mandate, and for a mandate with a policy, which only applies to an action. */
  scopes: string[];
  /** Seconds since 1970: when the passport or its mandate ends. */
  expiresAt: number;
  extra: { verdict: AcceptedPassport };
}

/** The SDK's error class for its bearer authentication. */
export interface McpErrors {
  /** Answered with 401. */
  readonly InvalidTokenError: new (
    message: string,
  ) => Error;
}

/**
 * The token verifier that the bearer authentication of MCP servers takes (`requireBearerAuth` of
 * `@modelcontextprotocol/sdk`), so that agents authenticate by their passports. It shows whose passport it is. As with
 * every bearer token, a thief can use it: for single actions, require a proof.
 *
 * @example
 * ```ts
 * import { createPassportVerifier, createRegistryClient } from '@passport-registry/verifier';
 * import { mcpTokenVerifier } from '@passport-registry/verifier/mcp';
 * import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
 * import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['certified'] },
 *   audience: 'https://mail.example',
 * });
 * const tokenVerifier = mcpTokenVerifier(verifier, { InvalidTokenError });
 * const bearerAuth = requireBearerAuth({ verifier: tokenVerifier });
 * await tokenVerifier.verifyAccessToken('x').catch((error) => console.log(error.message)); // token-malformed
 * ```
 */
export function mcpTokenVerifier(
  verifier: Pick<PassportVerifier, 'verifyPassport'>,
  { InvalidTokenError }: McpErrors,
): { verifyAccessToken(token: string): Promise<McpAuthInfo> } {
  return {
    verifyAccessToken: async (token) => {
      const verdict = await verifier.verifyPassport(token);
      if (!verdict.accepted) {
        const codes = verdict.reasons.map(({ code }) => code);
        const passing = codes.some(
          (code) => (PASSPORT_REASONS as Record<string, string>)[code] === 'unavailable',
        );
        // The codes only: the SDK puts the message into a header.
        throw new (passing ? Error : InvalidTokenError)(codes.join(', '));
      }
      const { passport, mandate } = verdict;
      const mandateEnds =
        mandate === undefined ? Number.POSITIVE_INFINITY : instantOf(mandate.expires_at) / 1000;
      const judged = Object.keys(mandate?.policy ?? {}).length === 0;
      return {
        token,
        clientId: passport.sub,
        scopes: judged ? [...(mandate?.scope ?? [])] : [],
        expiresAt: Math.floor(Math.min(passport.exp, mandateEnds)),
        extra: { verdict },
      };
    },
  };
}
