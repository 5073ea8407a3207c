import { instantOf } from '../date-time.js';
import type { PassportVerifier } from '../passport/passport-verifier.js';
import { PASSPORT_REASONS } from '../passport/reasons.js';
import type { PassportVerdict } from '../passport/verdict.js';

/** What an MCP server learns of a bearer token: `AuthInfo` of its SDK. */
export interface McpAuthInfo {
  token: string;
  /** The passport's DID. */
  clientId: string;
  /** The scope of the mandate; none where there is no mandate, or one with a policy, which only an action can be judged by. */
  scopes: string[];
  /** Seconds since 1970: when the passport or its mandate ends. */
  expiresAt: number;
  extra: { verdict: PassportVerdict };
}

/** The errors of the SDK that its bearer authentication knows. */
export interface McpErrors {
  /** Answered with 401. */
  readonly InvalidTokenError: new (
    message: string,
  ) => Error;
}

/**
 * The token verifier that the bearer authentication of MCP servers takes (`requireBearerAuth` of
 * `@modelcontextprotocol/sdk`), so that agents authenticate by their passports. It shows whose passport it is. As with
 * every bearer token, who has stolen it can use it: for single actions, demand a proof.
 *
 * @example
 * ```ts
 * import { mcpTokenVerifier } from '@passport-registry/verifier/mcp';
 * import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
 *
 * const verifier = {
 *   verifyPassport: async () => ({ accepted: false, reasons: [{ code: 'token-expired', message: 'it has expired' }] }),
 * };
 * const tokenVerifier = mcpTokenVerifier(verifier, { InvalidTokenError });
 * await tokenVerifier.verifyAccessToken('x').catch((error) => console.log(error.message)); // token-expired
 * ```
 */
export function mcpTokenVerifier(
  verifier: Pick<PassportVerifier, 'verifyPassport'>,
  { InvalidTokenError }: McpErrors,
): { verifyAccessToken(token: string): Promise<McpAuthInfo> } {
  return {
    verifyAccessToken: async (token) => {
      const verdict = await verifier.verifyPassport(token);
      const { accepted, passport, mandate, reasons } = verdict;
      if (!accepted || passport === undefined) {
        const codes = reasons.map(({ code }) => code);
        const passing = codes.some(
          (code) => (PASSPORT_REASONS as Record<string, string>)[code] === 'unavailable',
        );
        // The codes only: the SDK puts the message into a header.
        throw new (passing ? Error : InvalidTokenError)(codes.join(', '));
      }
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
