import { describe, expect, it } from 'vitest';
import {
  agentKeys,
  issuerKey,
  issuerWorld,
  passportOf,
  requestOf,
  verifierOf,
} from '../../support/passport-world.js';

describe('an agent that renews its passport', () => {
  it.each(['Ed25519', 'P-256'] as const)(
    'goes on with its %s key, and nobody else can',
    async (algorithm) => {
      const world = await issuerWorld('alpha', await issuerKey());
      const [agent, thief] = await Promise.all([agentKeys(algorithm), agentKeys(algorithm)]);
      const verifier = await verifierOf([world]);
      const outcome = async (passport: Awaited<ReturnType<typeof passportOf>>, keys = passport.keys) => {
        const { reasons } = await verifier.verifyAction(await requestOf(world, { ...passport, keys }));
        return reasons[0]?.code;
      };
      expect(await outcome(await passportOf(world, agent))).toBe('verified');
      const renewed = await passportOf(world, agent);
      expect(await outcome(renewed, thief)).toBe('proof-signature-invalid');
      expect(await outcome(renewed)).toBe('verified');
      // A known key in a passport that the issuer has not signed, and another key in one that it has.
      const forger = { ...world, key: await issuerKey('ed25519', world.key.kid) };
      const forged = await verifier.verifyAction(await requestOf(forger, await passportOf(world, agent)));
      expect(forged.reasons[0]?.code).toBe('token-signature-invalid');
      expect(await outcome(await passportOf(world, thief), agent)).toBe('proof-signature-invalid');
      expect(await outcome(await passportOf(world, thief))).toBe('verified');
    },
  );

  it('is refused with members that its known key has not', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    const agent = await agentKeys();
    const verifier = await verifierOf([world]);
    const passport = await passportOf(world, agent);
    expect((await verifier.verifyAction(await requestOf(world, passport))).allowed).toBe(true);
    const { jwk } = passport.claims['cnf'] as { jwk: object };
    for (const more of [{ d: 'AA' }, { y: 'AA' }, { crv: 'P-256' }]) {
      const changed = await passportOf(world, agent, { cnf: { jwk: { ...jwk, ...more } } });
      const { reasons } = await verifier.verifyAction(await requestOf(world, changed));
      expect(reasons[0]?.code).toBe('token-claims');
    }
  });
});
