import { InsufficientScopeError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { mcpTokenVerifier } from '@passport-registry/passports/mcp';
import express from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentKeys,
  answering,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  mandate,
  passportOf,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';
import { instant, seconds } from '../../support/times.js';

let world: IssuerWorld;
let passport: TestPassport;
let base: string;

/** A server whose bearer authentication is that of the MCP SDK. */
beforeAll(async () => {
  world = await issuerWorld('alpha', await issuerKey());
  passport = await passportOf(world, await agentKeys());
  const verifier = mcpTokenVerifier(await verifierOf([world], { statusMaxAge: 0, cooldown: 0 }), {
    InsufficientScopeError,
    InvalidTokenError,
  });
  const app = express();
  app.post('/mcp', requireBearerAuth({ verifier, requiredScopes: ['email.send'] }), (request, response) => {
    const { extra: _left, ...auth } = (request as unknown as { auth: { extra: unknown } }).auth;
    response.json(auth);
  });
  base = await listen(app);
});

const call = async (claims: Record<string, unknown> = {}) => {
  const token = await tokenOf(world, { claims: { ...passport.claims, ...claims } });
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    body: await response.json(),
    token,
  };
};

describe('the bearer authentication of the MCP SDK', () => {
  it('lets a passport through, and learns its holder and scope', async () => {
    const { status, body, token } = await call();
    expect(status).toBe(200);
    expect(body).toEqual({
      token,
      clientId: passport.did,
      scopes: ['email.send', 'calendar.*'],
      expiresAt: passport.claims['exp'],
    });
  });

  it('ends with the mandate where that ends sooner', async () => {
    const expires_at = instant(60);
    const { body } = await call({ mandate: mandate({ expires_at }) });
    expect(body.expiresAt).toBe(Math.floor(Date.parse(expires_at) / 1000));
  });

  it.each([
    ['that has expired', { exp: seconds(-60) }, 401, 'token-expired'],
    ['of an unknown issuer', { issuer_id: 'gamma' }, 403, 'issuer-unknown'],
    ['whose mandate has expired', { mandate: mandate({ expires_at: instant(-60) }) }, 401, 'mandate-expired'],
    ['without a mandate', { mandate: undefined }, 403, 'Insufficient scope'],
    ['whose mandate has a policy', { mandate: mandate({ policy: { x: 1 } }) }, 403, 'Insufficient scope'],
    ['whose mandate covers less', { mandate: mandate({ scope: ['email.read'] }) }, 403, 'Insufficient scope'],
  ])('refuses a passport %s', async (_name, claims, code, description) => {
    const { status, challenge } = await call(claims);
    expect(status).toBe(code);
    expect(challenge).toContain(`error_description="${description}"`);
  });

  it('answers with 500, not 401, where the issuer cannot be reached', async () => {
    const recover = answering(world, 'passports', 500);
    expect((await call()).status).toBe(500);
    recover();
    expect((await call()).status).toBe(200);
  });
});
