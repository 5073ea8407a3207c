import { createPassportVerifier, PassportClient } from '@passport-registry/passports';
import { createIssuerLookup } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  AUDIENCE,
  agentKeys,
  fetchOf,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  PAYLOAD,
  passportOf,
  requestOf,
  type TestPassport,
  tokenOf,
} from '../../support/passport-world.js';
import { publish, statementClaims, type TestKey, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { timeFromNow } from '../../support/times.js';

let root: TestKey;
let world: IssuerWorld;
let stranger: IssuerWorld;
let passport: TestPassport;
let host: RegistryHost;

beforeEach(async () => {
  root = await testKey();
  world = await issuerWorld('alpha', await issuerKey());
  stranger = await issuerWorld('stranger', await issuerKey());
  passport = await passportOf(world, await agentKeys());
  host = await registryHost(publish(root, [world.record]));
});

function lookup(refreshInterval = 60) {
  const { jwk } = root.rootKey;
  return closedAfterTest(createIssuerLookup({ sources: [host.base], rootKey: jwk, refreshInterval }));
}
const policy = { tiers: ['certified' as const] };
const verifierWith = (registry: ReturnType<typeof lookup>) =>
  createPassportVerifier({ registry, policy, audience: AUDIENCE, fetch: fetchOf([world, stranger]) });

describe('a passport verifier with a look-up of single issuers', () => {
  it('allows an action, and says which list names the issuer', async () => {
    const verdict = await verifierWith(lookup()).verifyAction(await requestOf(world, passport));
    const { updated_at, sha256 } = statementClaims(host.files);
    expect(verdict).toMatchObject({ allowed: true, registry: { updatedAt: updated_at, sha256 } });
    expect(host.log.some((line) => line.startsWith('issuers.json'))).toBe(false);
  });

  it('rejects an issuer whose absence is proven', async () => {
    const unknown = await passportOf(stranger, await agentKeys());
    const verdict = await verifierWith(lookup()).verifyAction(await requestOf(stranger, unknown));
    expect(verdict).toMatchObject({
      allowed: false,
      reasons: [{ code: 'issuer-unknown' }],
      registry: { sha256: statementClaims(host.files)['sha256'] },
    });
    expect(stranger.log).toEqual([]);
  });

  it('names the list of the proof, even if a refresh replaces it meanwhile', async () => {
    const registry = lookup();
    await registry.ready();
    const { updated_at, sha256 } = statementClaims(host.files);
    const record = host.files.get('issuers/alpha') as Buffer;
    const waiting: (() => void)[] = [];
    host.intercept = (path, _request, response) => {
      if (path === 'issuers/alpha') waiting.push(() => response.end(record));
      return path === 'issuers/alpha';
    };
    const verifying = verifierWith(registry).verifyPassport(await tokenOf(world, passport));
    await expect.poll(() => [waiting.length, host.log.includes('sums/root 200')]).toEqual([1, true]);
    host.files = publish(root, [world.record, stranger.record], { updatedAt: timeFromNow(-30), levels: 0 });
    await registry.refresh();
    expect(registry.sha256).not.toBe(sha256);
    for (const respond of waiting) respond();
    expect(await verifying).toMatchObject({ accepted: true, registry: { updatedAt: updated_at, sha256 } });
  });

  it('names the list that a client of the whole list had when it decided', async () => {
    const list = { updatedAt: timeFromNow(-60), sha256: '0'.repeat(64) };
    const registry = {
      ...list,
      decide: () => {
        // A client may replace its list between any two steps.
        queueMicrotask(() =>
          Object.assign(registry, { updatedAt: timeFromNow(-30), sha256: '1'.repeat(64) }),
        );
        return { accepted: false, reasons: [{ code: 'issuer-unknown', message: '' }], issuer: undefined };
      },
    };
    const verdict = await verifierWith(registry as never).verifyPassport(await tokenOf(world, passport));
    expect(verdict).toMatchObject({ accepted: false, registry: list });
  });

  it('rejects once the issuer is revoked', async () => {
    const registry = lookup();
    const verifier = verifierWith(registry);
    expect((await verifier.verifyPassport(await tokenOf(world, passport))).accepted).toBe(true);
    const record = { ...world.record, status: 'revoked' as const };
    host.files = publish(root, [record], { updatedAt: timeFromNow(-30) });
    await registry.refresh();
    const verdict = await verifier.verifyPassport(await tokenOf(world, passport));
    expect(verdict).toMatchObject({ accepted: false, reasons: [{ code: 'status-revoked' }] });
  });

  it('rejects without a proof: a registry that cannot be reached, and a file that is missing', async () => {
    const request = await requestOf(world, passport);
    host.files.delete('issuers/alpha');
    for (let attempt = 0; attempt < 2; attempt++) {
      const verdict = await verifierWith(lookup()).verifyAction(request);
      expect(verdict).toMatchObject({ allowed: false, reasons: [{ code: 'registry-unavailable' }] });
      host.files = new Map();
    }
  });

  it('serves PassportClient', async () => {
    const client = new PassportClient(await tokenOf(world, passport), world.url, {
      trust: { registry: lookup(), policy },
      fetch: fetchOf([world]),
    });
    expect(await client.verifyAction('email.send', PAYLOAD)).toMatchObject({ allowed: true });
  });
});
