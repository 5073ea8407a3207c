import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sharesIn } from '../../../build/custody/holder-signing/signature-shares.js';
import { Ceremony, claimsIn, errorOf, signMessage } from '../../support/ceremony.js';
import {
  attach,
  commit,
  each,
  holders,
  holdersAt,
  messageOf,
  newRequest,
  records,
  registry,
  request,
  sign,
} from '../../support/signing-holders.js';
import { cli, good } from '../../support/workspace.js';

describe('the claims of a message', () => {
  it.each([
    null,
    'x',
    { '1-2': null },
    { '1-2': 'x' },
    { '1-2': { commitments: 'x' } },
    { '1-2': { commitments: 'x', shares: null } },
    { '1-2': { commitments: 'x', shares: [] } },
    { '1-2': { commitments: 7, shares: {} } },
  ])('are not shares of a session: %j', (sessions) => {
    const message = { holder: 2, claims: { sessions }, text: '', sha256: '' };
    expect(sharesIn(message, '1-2')).toBeUndefined();
  });
});

describe('a wrong message', () => {
  beforeEach(async () => {
    await holdersAt('signed by all');
  });

  /** Signs the shares of a holder again, with other claims. */
  async function resign(name: string, changes: Record<string, unknown>): Promise<void> {
    const file = messageOf('shares', name);
    const { messageKey } = await holders.secretsOf(name);
    const claims = { ...claimsIn(file), ...changes };
    writeFileSync(file, signMessage('registry-signing-shares+jwt', claims, messageKey));
  }

  /** Replaces the shares of Bo in all sessions. */
  async function forge(change: (share: string, session: string) => string): Promise<void> {
    const { sessions } = claimsIn(messageOf('shares', 'Bo'));
    for (const [session, { shares }] of Object.entries<{ shares: Record<string, string> }>(sessions)) {
      for (const type of Object.keys(shares)) shares[type] = change(shares[type] ?? '', session);
    }
    await resign('Bo', { sessions });
  }

  const flip = (share: string) => {
    const bytes = Buffer.from(share, 'base64url');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return bytes.toString('base64url');
  };

  it('names the holder of a wrong signature share, and publishes with the others', async () => {
    await forge(flip);
    const attached = await good(attach());
    expect(attached.stderr).toContain('WARNING: shares-2.jwt, by Bo');
  });

  it('names the holder if nobody else is left', async () => {
    await forge(flip);
    rmSync(messageOf('shares', 'Cy'));
    expect(errorOf(await attach())).toMatchObject({ code: 'ERR_SIGNATURE_SHARE', holder: 'Bo' });
    await forge(() => 'not a share');
    expect(errorOf(await attach())).toMatchObject({ code: 'ERR_HOLDER_MESSAGE', holder: 'Bo' });
    expect(existsSync(join(registry, 'dist'))).toBe(false);
  });

  it('stops nobody, whatever it is', async () => {
    // Without Anna's shares for the session with Bo, whose verification takes long.
    const { '1-3': kept, ...rest } = claimsIn(messageOf('shares', 'Anna')).sessions;
    expect(Object.keys(rest)).toEqual(['1-2']);
    await resign('Anna', { sessions: { '1-3': kept } });
    const session = claimsIn(messageOf('shares', 'Bo')).sessions['1-2'];
    for (const sessions of [null, { '1-2': { ...session, shares: { list: {}, publication: null } } }]) {
      await resign('Bo', { sessions });
      await good(attach());
    }
    rmSync(messageOf('shares', 'Bo'));
    mkdirSync(messageOf('shares', 'Bo'));
    // A planted signature of the list does not count.
    writeFileSync(join(request, 'issuers.sig'), 'AAAA');
    expect((await good(attach())).stderr).toContain('the message of Bo cannot be read');
  });

  it.each([null, 'x', { '1-2': null }, { '1-2': { list: null, publication: ['x', 'y'] } }])(
    'blames the holder of malformed commitments: %j',
    async (commitments) => {
      const { messageKey } = await holders.secretsOf('Bo');
      const changed = { ...claimsIn(messageOf('commitments', 'Bo')), commitments };
      const text = signMessage('registry-signing-commitments+jwt', changed, messageKey);
      writeFileSync(messageOf('commitments', 'Bo'), text);
      rmSync(messageOf('shares', 'Cy'));
      expect(errorOf(await attach())).toMatchObject({ code: 'ERR_HOLDER_MESSAGE', holder: 'Bo' });
    },
  );

  it('blames nobody if commitments were replaced after others had signed', async () => {
    await good(commit('Bo', request, '--again'));
    rmSync(messageOf('shares', 'Cy'));
    const { code, holder } = errorOf(await attach());
    expect({ code, holder }).toEqual({ code: 'ERR_COMMITMENTS_CHANGED', holder: undefined });
  });

  it.each(['commitments', 'shares'] as const)('refuses one flipped bit in %s', async (kind) => {
    const file = messageOf(kind, 'Bo');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text.slice(0, -9)}${text.at(-9) === 'A' ? 'B' : 'A'}${text.slice(-8)}`);
    rmSync(messageOf('shares', 'Cy'));
    expect(errorOf(await attach())).toMatchObject({ code: 'ERR_HOLDER_MESSAGE', holder: 'Bo' });
    expect(errorOf(await sign('Bo'))).toEqual(
      kind === 'shares'
        ? expect.objectContaining({ code: 'ERR_NONCES_USED' })
        : expect.objectContaining({ holder: 'Bo' }),
    );
  });

  it('refuses shares and commitments of another request', async () => {
    const kept = {
      shares: readFileSync(messageOf('shares', 'Bo')),
      commitments: readFileSync(messageOf('commitments', 'Bo')),
    };
    await good(attach());
    records({ alpha: {}, beta: {} });
    await newRequest();
    await each(commit, 'Anna', 'Bo');
    await good(sign('Anna'));
    writeFileSync(messageOf('shares', 'Bo'), kept.shares);
    expect(errorOf(await attach())).toMatchObject({ code: 'ERR_REQUEST_CHANGED', holder: 'Bo' });
    writeFileSync(messageOf('commitments', 'Bo'), kept.commitments);
    expect(errorOf(await sign('Bo'))).toMatchObject({ code: 'ERR_REQUEST_CHANGED', holder: 'Bo' });
  });

  it('refuses the holders, the share and the messages of another ceremony', async () => {
    const others = new Ceremony(['Bo', 'Cy']);
    await others.whole(2);
    const record = join(others.shared, 'holders.json');
    const other = await cli(
      ['attach', 'request', '--root-key', 'root.json', '--holders', record, '--json'],
      registry,
    );
    expect(errorOf(other)).toMatchObject({ code: 'ERR_OTHER_KEY' });
    const stranger = await others.as('Cy', ['sign', request, '--yes', '--json']);
    expect([stranger.code, errorOf(stranger).code]).toEqual([3, 'ERR_OTHER_KEY']);
  });
});
