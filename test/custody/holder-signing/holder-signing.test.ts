import fs, { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { takeNonces } from '../../../build/custody/holder-signing/nonce-store.js';
import { allBytes, errorOf } from '../../support/ceremony.js';
import { withFs } from '../../support/patched-fs.js';
import {
  attach,
  attachWith,
  commit,
  each,
  holders,
  holdersAt,
  messageOf,
  newRequest,
  publish,
  records,
  registry,
  request,
  sign,
  start,
} from '../../support/signing-holders.js';
import { statementIn } from '../../support/statements.js';
import { good, goodCli, temporaryFolder, writeFiles } from '../../support/workspace.js';

beforeEach(start);

describe('two of three holders', () => {
  // Anna and Bo publish below.
  it.each([
    ['Cy', 'Anna'],
    ['Bo', 'Cy'],
  ])('%s and %s publish a list, as one ordinary root key', async (...names) => {
    await publish(...names);
    await goodCli(['verify', '--trust-anchor', 'root.json'], registry);
  });

  it('publish with all three, too, and in any order', async () => {
    await holdersAt('asked');
    await good(commit('Cy'));
    await good(commit('Anna'));
    expect(JSON.parse((await good(sign('Anna'))).stdout)).toMatchObject({ sessions: 1, waitingFor: ['Bo'] });
    await good(commit('Bo'));
    // The nonces of the groups with Bo were kept.
    expect(JSON.parse((await good(sign('Anna'))).stdout)).toMatchObject({ sessions: 2, waitingFor: [] });
    await good(sign('Bo'));
    await good(attach());
  });

  it('are named by a record', async () => {
    await holdersAt('signed');
    const refused = await attachWith();
    expect(refused.code).toBe(2);
    expect(errorOf(refused).message).toContain('--holders');
    expect(JSON.parse((await good(attach())).stdout)).toMatchObject({ issuers: 1 });
  });

  it('leave no trace in the tree', async () => {
    await holdersAt('published');
    for (const [path, bytes] of allBytes(join(registry, 'dist')))
      expect([path, bytes.includes('Anna')]).toEqual([path, false]);
  });

  it('see what they sign, and the verdict of the rules', async () => {
    await holdersAt('published');
    records({ alpha: { status: 'revoked', last_audit: '2026-01-01T00:00:00Z' }, beta: {} });
    await newRequest();
    const shown = await good(commit('Anna'));
    expect(shown.stderr).toContain('~ alpha: status "active" -> "revoked"');
    expect(shown.stderr).toContain('+ beta: new');
    await good(commit('Bo'));
    expect((await good(sign('Anna'))).stderr).toContain('~ alpha: status "active" -> "revoked"');
    await good(sign('Bo'));
    await good(attach());
    records({ alpha: {}, beta: {} });
    await newRequest('--override', 'alpha:revoked-is-final');
    for (const refused of [await commit('Anna'), await sign('Anna')]) {
      expect(refused.code).toBe(1);
      expect(errorOf(refused)).toMatchObject({ code: 'ERR_RECORDS_REJECTED' });
    }
  });

  it('sign only after they said yes, also where registry.yaml names a key that is no share', async () => {
    await holdersAt('committed');
    const settings = { 'registry.yaml': 'signer: { key: gone.pem, passphrase_file: gone }\n' };
    writeFiles(holders.machine('Anna').folder, settings);
    const { code, stderr } = await holders.as('Anna', ['sign', request]);
    expect(code).toBe(2);
    expect(stderr).toContain('give --yes');
    expect(existsSync(messageOf('shares', 'Anna'))).toBe(false);
  });

  it('may repeat every step', async () => {
    await holdersAt('asked');
    await good(commit('Anna'));
    const committed = allBytes(request);
    for (const again of [await commit('Anna'), await sign('Anna')]) {
      expect([again.code, errorOf(again)]).toEqual([
        3,
        expect.objectContaining({
          code: 'ERR_HOLDERS_MISSING',
          message: expect.stringContaining('missing: Bo and Cy'),
        }),
      ]);
    }
    expect(allBytes(request)).toEqual(committed);
    await good(commit('Bo'));
    await each(sign, 'Anna', 'Bo');
    const signed = allBytes(request);
    await each(sign, 'Anna', 'Bo');
    expect(allBytes(request)).toEqual(signed);
    await good(attach());
    await good(attach());
  });

  it('renew the checkpoint', async () => {
    await holdersAt('published');
    const before = statementIn(join(registry, 'dist'), 'checkpoint');
    await newRequest();
    await each(commit, 'Anna', 'Bo');
    await each(sign, 'Anna', 'Bo');
    await good(attach());
    expect(statementIn(join(registry, 'dist'), 'checkpoint')).not.toBe(before);
  });
});

describe('what is missing', () => {
  it('does not count as signed, so that a later request can be signed', async () => {
    await holdersAt('asked');
    await good(commit('Anna'));
    expect(errorOf(await sign('Anna'))).toMatchObject({ code: 'ERR_HOLDERS_MISSING' });
    records({ alpha: {}, beta: {} });
    await publish('Anna', 'Bo');
  });

  it('is named: shares, and commitments without which shares are of no use', async () => {
    await holdersAt('committed');
    await good(sign('Anna'));
    const missing = async (what: string) =>
      expect(errorOf(await attach())).toEqual(
        expect.objectContaining({ code: 'ERR_HOLDERS_MISSING', message: expect.stringContaining(what) }),
      );
    await missing('missing: Bo and Cy');
    expect(existsSync(join(registry, 'dist'))).toBe(false);
    await good(sign('Bo'));
    rmSync(messageOf('commitments', 'Anna'));
    await missing('commitments-1.jwt of Anna');
  });
});

describe('a request that was changed between the holders', () => {
  it('is refused by whoever has committed to the other one', async () => {
    await holdersAt('committed');
    const messages = ['Anna', 'Bo'].map((name) => readFileSync(messageOf('commitments', name)));
    records({ alpha: { tier: 'registered' } });
    await newRequest();
    for (const [index, name] of ['Anna', 'Bo'].entries()) {
      writeFileSync(messageOf('commitments', name), messages[index] as Buffer);
    }
    expect(errorOf(await sign('Anna'))).toMatchObject({ code: 'ERR_REQUEST_CHANGED', holder: 'Anna' });
    // Whoever is asked to commit to the changed one sees that the others have another one.
    await good(commit('Cy'));
    expect(errorOf(await sign('Cy'))).toMatchObject({ code: 'ERR_REQUEST_CHANGED' });
  });
});

// What a key must not sign, a share must not: custody/offline-signing.
describe('a request that follows an older publication than the holder has verified', () => {
  it('is not signed', async () => {
    await holdersAt('published');
    const old = join(registry, 'old');
    records({ alpha: { tier: 'registered' } });
    await newRequest();
    cpSync(request, old, { recursive: true });
    records({ alpha: { status: 'suspended', last_audit: '2026-01-01T00:00:00Z' } });
    await publish('Anna', 'Bo');
    // The routine request from before would lift the suspension.
    for (const step of [commit, sign]) {
      expect(errorOf(await step('Anna', old))).toMatchObject({ code: 'ERR_REQUEST_OUTDATED' });
    }
    // Cy has signed nothing, but the machine with the registry has the newest list.
    await good(commit('Cy', old));
  });
});

describe('nonces', () => {
  const state = (name: string) => join(holders.machine(name).folder, 'state');
  const nonceFiles = (name: string) =>
    [...allBytes(state(name)).keys()].filter((file) => file.includes('nonces') && !file.endsWith('.jwt'));
  /** Where the nonces of a holder are, with the share that decrypts them. */
  const storeOf = async (name: string) => {
    const { number, scalar } = await holders.secretsOf(name);
    const share = { number, scalar: Buffer.from(scalar, 'base64url') };
    return { folder: dirname(nonceFiles(name)[0] as string), share };
  };

  it('are used once, also if the request is shown with another list of commitments', async () => {
    await holdersAt('committed');
    const second = join(registry, 'second');
    cpSync(request, second, { recursive: true });
    await good(commit('Bo', second, '--again'));
    await good(sign('Anna'));
    expect(errorOf(await sign('Anna', second))).toMatchObject({ code: 'ERR_NONCES_USED' });
    expect(existsSync(messageOf('shares', 'Anna', second))).toBe(false);
    await good(commit('Anna', second, '--again'));
    await good(sign('Anna', second));
    // The first list belongs to nonces that are gone.
    expect(errorOf(await sign('Anna'))).toMatchObject({ code: 'ERR_COMMITMENTS_CHANGED', holder: 'Anna' });
  });

  it('are used by one of two processes that sign at once', async () => {
    await holdersAt('committed');
    const store = await storeOf('Anna');
    const { readFileSync } = fs;
    const takeOne = () => takeNonces(store, ['1-2']);
    let isAsked = false;
    let other: ReturnType<typeof takeOne> | undefined;
    /** Asks for the nonces, as another process, in the moment in which they are read. */
    const reading = ((file: string, ...more: []) => {
      if (file.startsWith(store.folder) && !isAsked) {
        isAsked = true;
        other = takeOne();
      }
      return readFileSync(file, ...more);
    }) as typeof readFileSync;
    const first = await withFs({ readFileSync: reading }, takeOne);
    expect([[...first.keys()], [...((await other)?.keys() ?? ['not asked'])]]).toEqual([['1-2'], []]);
  });

  it('are never made for commitments of another machine, or for other payloads, unless the holder says so', async () => {
    await holdersAt('committed');
    const file = messageOf('commitments', 'Anna');
    const committed = readFileSync(file);
    rmSync(state('Anna'), { recursive: true });
    expect(errorOf(await sign('Anna'))).toMatchObject({ code: 'ERR_NONCES_USED' });
    expect(errorOf(await commit('Anna'))).toMatchObject({ code: 'ERR_NONCES_USED' });
    expect([readFileSync(file), existsSync(state('Anna'))]).toEqual([committed, false]);
    expect(JSON.parse((await good(commit('Anna', request, '--again'))).stdout)).toEqual({
      ok: true,
      committed: file,
      isNew: true,
      signed: [],
    });
    expect(readFileSync(file)).not.toEqual(committed);
  });

  it('stay as they are if only the commitments are lost, which are written again', async () => {
    await holdersAt('committed');
    const file = messageOf('commitments', 'Anna');
    const committed = readFileSync(file);
    rmSync(file);
    expect(JSON.parse((await good(sign('Anna'))).stdout)).toMatchObject({ isNew: false, signed: [] });
    expect([readFileSync(file), existsSync(messageOf('shares', 'Anna'))]).toEqual([committed, false]);
    await good(sign('Anna'));
  });

  it('stay on their machine, encrypted, and are deleted when they are used', async () => {
    await holdersAt('committed');
    await good(commit('Cy'));
    await good(commit('Anna', request, '--again'));
    expect(nonceFiles('Anna')).toHaveLength(2);
    const secrets: Buffer[] = [];
    const { folder, share } = await storeOf('Anna');
    const copy = join(temporaryFolder(), 'nonces');
    cpSync(folder, copy, { recursive: true });
    for (const session of (await takeNonces({ folder: copy, share }, ['1-2', '1-3'])).values()) {
      for (const { hiding, binding } of Object.values(session))
        secrets.push(Buffer.from(hiding), Buffer.from(binding));
    }
    // A group with Bo and one with Cy, each with two nonces for list, statement and checkpoint.
    expect(secrets).toHaveLength(12);
    expect(readdirSync(copy)).toEqual(['commitments.jwt']);
    const outputs = [await good(sign('Anna')), await good(sign('Bo'))];
    await good(attach());
    const everything = new Map([...allBytes(holders.home), ...allBytes(registry)]);
    everything.set('output', Buffer.from(outputs.map(({ stdout, stderr }) => stdout + stderr).join()));
    for (const secret of [...secrets, share.scalar]) {
      for (const [file, bytes] of everything) {
        for (const form of [
          secret,
          secret.toString('hex'),
          secret.toString('base64'),
          secret.toString('base64url'),
        ]) {
          expect(bytes.includes(form), file).toBe(false);
        }
      }
    }
    expect(nonceFiles('Anna')).toEqual([]);
    expect(nonceFiles('Cy')).toHaveLength(2);
  });

  it('do not survive a restart of the machine, so that a copy of the disk brings none back', async () => {
    await holdersAt('committed');
    const kept = join(registry, 'disk image');
    cpSync(state('Anna'), kept, { recursive: true });
    await good(sign('Anna'));
    rmSync(state('Anna'), { recursive: true });
    cpSync(kept, state('Anna'), { recursive: true });
    rmSync(messageOf('shares', 'Anna'));
    const { readFileSync } = fs;
    const rebooted = ((path: string, ...more: []) =>
      path === '/proc/sys/kernel/random/boot_id' ? 'another boot' : readFileSync(path, ...more)) as never;
    const restarted = await withFs({ readFileSync: rebooted }, () => sign('Anna'));
    expect(errorOf(restarted)).toMatchObject({ code: 'ERR_NONCES_USED' });
    expect(errorOf(restarted).message).toContain('restarted');
    expect(existsSync(messageOf('shares', 'Anna'))).toBe(false);
  });
});
