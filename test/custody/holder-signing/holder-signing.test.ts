import fs, { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { takeNonces } from '../../../build/custody/holder-signing/nonce-store.js';
import { describeInChromium, open, verdict } from '../../support/browser.js';
import { allBytes, Ceremony, errorOf, QUICK_KEYS } from '../../support/ceremony.js';
import { CLI } from '../../support/paths.js';
import { serve } from '../../support/serving.js';
import {
  at,
  attach,
  attachWith,
  commit,
  each,
  good,
  holders,
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
import { cli, run, temporaryFolder, writeFiles } from '../../support/workspace.js';

beforeEach(start);

/** A request for a rotation from the key of the holders. */
async function rotationTo(next: string): Promise<void> {
  cpSync(join(registry, 'root.json'), join(registry, 'old.json'));
  rmSync(request, { recursive: true, force: true });
  const keys = ['--root-key', 'root.json', '--next-root-key', next];
  await good(cli(['keys', 'rotate', '--unsigned', 'request', ...keys], registry));
}

async function expectRotated(next: string): Promise<void> {
  for (const key of ['old.json', next])
    expect((await cli(['verify', '--trust-anchor', key], registry)).stdout).toContain('dist is valid');
}

describe('two of three holders', () => {
  it.each([
    ['Anna', 'Bo'],
    ['Cy', 'Anna'],
    ['Bo', 'Cy'],
  ])('%s and %s publish a list, as one ordinary root key', async (...names) => {
    await publish(...names);
    const verified = await cli(['verify', '--trust-anchor', 'root.json'], registry);
    expect(verified.stdout).toContain('dist is valid');
  });

  it('publish with all three, too, and in any order', async () => {
    await at('asked');
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
    await at('signed');
    const refused = await attachWith();
    expect(refused.code).toBe(2);
    expect(errorOf(refused).message).toContain('--holders');
    expect(JSON.parse((await good(attach())).stdout)).toMatchObject({ issuers: 1 });
  });

  it('leave no trace in the tree', async () => {
    await at('published');
    for (const [path, bytes] of allBytes(join(registry, 'dist')))
      expect([path, bytes.includes('Anna')]).toEqual([path, false]);
  });

  it('see what they sign, and the verdict of the rules', async () => {
    await at('published');
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
    await at('committed');
    const settings = { 'registry.yaml': 'signer: { key: gone.pem, passphrase_file: gone }\n' };
    writeFiles(holders.machine('Anna').folder, settings);
    const { code, stderr } = await holders.as('Anna', ['sign', request]);
    expect(code).toBe(2);
    expect(stderr).toContain('give --yes');
    expect(existsSync(messageOf('shares', 'Anna'))).toBe(false);
  });

  it('may repeat every step', async () => {
    await at('asked');
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

  it('sign a rotation from their key to an ordinary one', async () => {
    await at('published');
    const next = ['keys', 'generate', '--no-passphrase', '--private', 'next.pem', '--public', 'next.json'];
    await good(cli(next, registry));
    await rotationTo('next.json');
    await each(commit, 'Anna', 'Bo');
    await each(sign, 'Anna', 'Bo');
    const signs = ['sign', 'request', '--key', 'next.pem', '--root-key', 'next.json', '--yes'];
    await good(cli([...signs, '--previous-root-key', 'root.json', '--memory', 'memory'], registry));
    await good(attach());
    await expectRotated('next.json');
  });

  it('sign a rotation to a key that they share, too', async () => {
    await at('published');
    const next = new Ceremony(['Anna', 'Bo'], temporaryFolder());
    await next.whole(2);
    for (const file of ['root.json', 'holders.json'])
      cpSync(join(next.shared, file), join(registry, `next-${file}`));
    await rotationTo('next-root.json');
    await each(commit, 'Anna', 'Bo');
    const previous = ['--previous-root-key', join(registry, 'root.json')];
    const byNext = (name: string) => next.as(name, ['sign', request, '--json', '--yes', ...previous]);
    await each(byNext, 'Anna', 'Bo');
    await each(byNext, 'Anna', 'Bo');
    await each(sign, 'Anna', 'Bo');
    await good(attach('next-holders.json'));
    await expectRotated('next-root.json');
  });

  it('renew the checkpoint', async () => {
    await at('published');
    const before = statementIn(join(registry, 'dist'), 'checkpoint');
    await newRequest();
    await each(commit, 'Anna', 'Bo');
    await each(sign, 'Anna', 'Bo');
    await good(attach());
    expect(statementIn(join(registry, 'dist'), 'checkpoint')).not.toBe(before);
  });
});

describeInChromium('the page of a registry with a shared root key', () => {
  it('is verified in a browser', async () => {
    await at('published');
    const { page, wrong } = await open(await serve(join(registry, 'dist')));
    expect(await verdict(page)).toBe('Verified in your browser');
    expect(wrong).toEqual([]);
  });
});

describe('what is missing', () => {
  it('is named: commitments, and shares', async () => {
    await at('asked');
    await good(commit('Anna'));
    const alone = errorOf(await sign('Anna'));
    expect(alone).toMatchObject({ code: 'ERR_HOLDERS_MISSING' });
    expect(alone.message).toContain('missing: Bo and Cy');
    await good(commit('Bo'));
    await good(sign('Anna'));
    const one = errorOf(await attach());
    expect(one).toMatchObject({ code: 'ERR_HOLDERS_MISSING' });
    expect(one.message).toContain('missing: Bo and Cy');
    expect(existsSync(join(registry, 'dist'))).toBe(false);
  });

  it('does not count as signed, so that a later request can be signed', async () => {
    await at('asked');
    await good(commit('Anna'));
    expect(errorOf(await sign('Anna'))).toMatchObject({ code: 'ERR_HOLDERS_MISSING' });
    records({ alpha: {}, beta: {} });
    await publish('Anna', 'Bo');
  });

  it('is named by its file: shares whose commitments were not brought', async () => {
    await at('signed');
    rmSync(messageOf('commitments', 'Anna'));
    const { code, message } = errorOf(await attach());
    expect(code).toBe('ERR_HOLDERS_MISSING');
    expect(message).toContain('commitments-1.jwt of Anna');
  });

  it('stops nothing, as long as enough others are there', async () => {
    await at('signed by all');
    rmSync(messageOf('shares', 'Anna'));
    await good(attach());
  });
});

describe('a request that was changed between the holders', () => {
  it('is refused by whoever has committed to the other one', async () => {
    await at('committed');
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

describe('a request that a holder must not sign', () => {
  const refused = async (code: string, name = 'Anna') => {
    for (const outcome of [await commit(name), await sign(name)]) {
      expect(errorOf(outcome)).toMatchObject({ code });
    }
    expect(existsSync(messageOf('shares', name))).toBe(false);
  };

  beforeEach(() => at('asked'));

  const inputOf = (type: string) => join(request, `${type}.signing-input`);

  it('says something else than its list demands', async () => {
    const text = readFileSync(inputOf('publication'), 'utf8');
    const [header = '', claims = ''] = text.split('.');
    const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), issuers: 2 };
    const encoded = Buffer.from(JSON.stringify(changed)).toString('base64url');
    writeFileSync(inputOf('publication'), `${header}.${encoded}`);
    await refused('ERR_REQUEST_PAYLOAD');
  });

  it('has a payload of an unknown type', async () => {
    cpSync(inputOf('publication'), inputOf('surprise'));
    await refused('ERR_REQUEST_UNKNOWN');
  });

  it('follows an older publication than the holder has verified', async () => {
    await at('published');
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
    const cys = await commit('Cy', old);
    expect(cys.code).toBe(0);
  });
});

describe('nonces', () => {
  const state = (name: string) => join(holders.machine(name).folder, 'state');
  const nonceFiles = (name: string) =>
    [...allBytes(state(name)).keys()].filter((file) => file.includes('nonces') && !file.endsWith('.jwt'));

  it('are used once, also if the request is shown with another list of commitments', async () => {
    await at('committed');
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
    await at('committed');
    const copies = ['one', 'two'].map((name) => join(registry, name));
    for (const copy of copies) cpSync(request, copy, { recursive: true });
    await good(commit('Bo', copies[1], '--again'));
    const own = ['--share', 'own.share', '--passphrase-file', 'passphrase'];
    const signs = (copy: string) => ['--import', QUICK_KEYS, CLI, 'sign', copy, '--yes', '--json', ...own];
    const { folder } = holders.machine('Anna');
    const outcomes = await Promise.all(
      copies.map((copy) => run(process.execPath, signs(copy), folder, { XDG_STATE_HOME: state('Anna') })),
    );
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 3]);
    expect(copies.filter((copy) => existsSync(messageOf('shares', 'Anna', copy)))).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.code !== 0) expect(errorOf(outcome)).toMatchObject({ code: 'ERR_NONCES_USED' });
    }
  });

  it('are never made for commitments of another machine, or for other payloads, unless the holder says so', async () => {
    await at('committed');
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
    await at('committed');
    const file = messageOf('commitments', 'Anna');
    const committed = readFileSync(file);
    rmSync(file);
    expect(JSON.parse((await good(sign('Anna'))).stdout)).toMatchObject({ isNew: false, signed: [] });
    expect([readFileSync(file), existsSync(messageOf('shares', 'Anna'))]).toEqual([committed, false]);
    await good(sign('Anna'));
  });

  it('stay on their machine, encrypted, and are deleted when they are used', async () => {
    await at('committed');
    await good(commit('Cy'));
    await good(commit('Anna', request, '--again'));
    expect(nonceFiles('Anna')).toHaveLength(2);
    const secrets: Buffer[] = [];
    const { number, scalar } = await holders.secretsOf('Anna');
    const share = { number, scalar: Buffer.from(scalar, 'base64url') };
    const folder = join(nonceFiles('Anna')[0] as string, '..');
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
    await at('committed');
    const kept = join(registry, 'disk image');
    cpSync(state('Anna'), kept, { recursive: true });
    await good(sign('Anna'));
    rmSync(state('Anna'), { recursive: true });
    cpSync(kept, state('Anna'), { recursive: true });
    rmSync(messageOf('shares', 'Anna'));
    const { readFileSync } = fs;
    fs.readFileSync = ((path: string, ...more: []) =>
      path === '/proc/sys/kernel/random/boot_id' ? 'another boot' : readFileSync(path, ...more)) as never;
    syncBuiltinESMExports();
    const restarted = await sign('Anna').finally(() => {
      fs.readFileSync = readFileSync;
      syncBuiltinESMExports();
    });
    expect(errorOf(restarted)).toMatchObject({ code: 'ERR_NONCES_USED' });
    expect(errorOf(restarted).message).toContain('restarted');
    expect(existsSync(messageOf('shares', 'Anna'))).toBe(false);
  });
});
