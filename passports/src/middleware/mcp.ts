import { instantOf } from '@passport-registry/verifier/core';
import { kindOf, type ReasonKind } from '../passport/rejection.js';
import { unconditionalScope } from '../passport/scope.js';
import type { PassportVerifier } from '../verification/passport-verifier.js';
import type { AcceptedPassport } from '../verification/verdict.js';

/** `AuthInfo` of the MCP SDK. */
export interface McpAuthInfo {
  token: string;
  /** The passport's DID. */
  clientId: string;
  /**
   * The scope of the mandate. Empty without a mandate, and for a mandate with further conditions, which can be checked
   * only for an action.
   */
  scopes: string[];
  /** When the passport or its mandate expires, whichever is earlier, in seconds since 1970. */
  expiresAt: number;
  extra: { verdict: AcceptedPassport };
}

/** The error classes of the SDK's bearer authentication. */
export interface McpErrors {
  /** Leads to a response with status 401: another passport helps. */
  readonly InvalidTokenError: new (
    message: string,
  ) => Error;
  /** Leads to a response with status 403: another passport of the same issuer does not help. */
  readonly InsufficientScopeError: new (
    message: string,
  ) => Error;
}

/**
 * Creates a token verifier for the bearer authentication of MCP servers (`requireBearerAuth` of
 * `@modelcontextprotocol/sdk`). Agents then authenticate with their passports. Like every bearer token, a stolen
 * passport can be used by anyone. For single actions, require a proof.
 *
 * @example
 * ```ts
 * import { createPassportVerifier } from '@passport-registry/passports';
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { mcpTokenVerifier } from '@passport-registry/passports/mcp';
 * import { InsufficientScopeError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
 * import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['certified'] },
 *   audience: 'https://mail.example',
 * });
 * const tokenVerifier = mcpTokenVerifier(verifier, { InsufficientScopeError, InvalidTokenError });
 * const bearerAuth = requireBearerAuth({ verifier: tokenVerifier });
 * await tokenVerifier.verifyAccessToken('x').catch((error) => console.log(error.message)); // token-malformed
 * ```
 */
export function mcpTokenVerifier(
  verifier: Pick<PassportVerifier, 'verifyPassport'>,
  errors: McpErrors,
): { verifyAccessToken(token: string): Promise<McpAuthInfo> } {
  return {
    verifyAccessToken: async (token) => {
      const verdict = await verifier.verifyPassport(token);
      if (!verdict.accepted) {
        const codes = verdict.reasons.map(({ code }) => code);
        const Refused = errorFor(kindOf(codes[0] ?? ''), errors);
        // The message contains only codes, because the SDK puts it into a header.
        throw new Refused(codes.join(', '));
      }
      const { passport, mandate } = verdict;
      const mandateEnds =
        mandate === undefined ? Number.POSITIVE_INFINITY : instantOf(mandate.expires_at) / 1000;
      return {
        token,
        clientId: passport.sub,
        scopes: [...unconditionalScope(mandate)],
        expiresAt: Math.floor(Math.min(passport.exp, mandateEnds)),
        extra: { verdict },
      };
    },
  };
}

/** Returns the class of the error for a refused passport. The SDK answers every other error with status 500. */
function errorFor(kind: ReasonKind, { InvalidTokenError, InsufficientScopeError }: McpErrors) {
  switch (kind) {
    case 'unavailable':
      return Error;
    case 'issuer':
      return InsufficientScopeError;
    default:
      return InvalidTokenError;
  }
}
