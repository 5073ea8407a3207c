import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCeremony } from '../../../build/custody/ceremony/ceremony-file.js';
import { parseHolders } from '../../../build/custody/ceremony/holders-file.js';
import { fingerprintWords, isFingerprint } from '../../../build/custody/shared-key/fingerprint.js';
import { allBytes, Ceremony, claimsIn, errorOf, signMessage } from '../../support/ceremony.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { cli, keyPair, temporaryFolder } from '../../support/workspace.js';

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
describe('a ceremony of 2 of 3 holders', () => {
  let ceremony: Ceremony;

  beforeAll(async () => {
    ceremony = await Ceremony.of('whole');
  });

  it('makes one key, which all holders name', async () => {
    const root = JSON.parse(read(ceremony.shared, 'root.json'));
    expect(root).toEqual({ kty: 'OKP', crv: 'Ed25519', x: root.x, kid: root.kid });
    for (const { folder } of ceremony.holders) {
      const label = JSON.parse(read(folder, 'own.share'));
      expect(label).toMatchObject({ root: root.kid, threshold: 2, holders: 3 });
      expect(statSync(join(folder, 'own.share')).mode & 0o777).toBe(0o600);
    }
    expect(await ceremony.status()).toMatchObject({ step: 'live', root: root.kid, waitingFor: [] });
  });

  it('writes a record that proves whose messages made the key', async () => {
    const text = read(ceremony.shared, 'holders.json');
    const group = await parseHolders(text, 'holders.json');
    expect(group.rootKey.thumbprint).toBe(JSON.parse(read(ceremony.shared, 'root.json')).kid);
    const record = JSON.parse(text);
    for (const member of Object.keys(record)) {
      const { [member]: _left, ...without } = record;
      await expect(parseHolders(JSON.stringify(without), 'it')).rejects.toMatchObject({
        code: 'ERR_HOLDER_MESSAGE',
      });
    }
    for (const changed of [
      { ...record, ceremony: { ...record.ceremony, holders: ['Anna', 'Bo', 'Di'] } },
      { ...record, join: record.join.toReversed() },
      { ...record, parts: record.parts.toReversed() },
      { ...record, parts: [...record.parts.slice(1), '\ud800'] },
      { ...record, receipts: [record.receipts[0], record.receipts[0], record.receipts[2]] },
      { ...record, test: `${record.test.slice(0, -3)}AA=` },
      { ...record, test: { toString: null } },
      { ...record, parts: ['\ud800', ...record.parts.slice(1)] },
      { ...record, receipts: null },
    ]) {
      await expect(parseHolders(JSON.stringify(changed), 'it')).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_/),
      });
    }
  });

  it('may be repeated: no file of the folder changes', async () => {
    const before = allBytes(ceremony.shared);
    for (const name of ['Anna', 'Cy']) {
      expect((await ceremony.join(name)).code).toBe(0);
      expect((await ceremony.finish(name, 'not asked again')).code).toBe(0);
    }
    expect(allBytes(ceremony.shared)).toEqual(before);
  });

  it('leaves no secret in any file', async () => {
    const opened = await Promise.all(ceremony.holders.map(({ name }) => ceremony.secretsOf(name)));
    const secrets = opened.flatMap((secret) => {
      const { scalar, messageKey } = secret;
      return [scalar, `${messageKey.d}`].map((text) => Buffer.from(text, 'base64url'));
    });
    expect(secrets).toHaveLength(6);
    for (const [file, bytes] of allBytes(ceremony.home)) {
      for (const secret of secrets) {
        const reversed = Buffer.from(secret).reverse();
        for (const form of [
          secret,
          reversed,
          secret.toString('hex'),
          reversed.toString('hex'),
          secret.toString('base64'),
          secret.toString('base64url'),
        ]) {
          expect(bytes.includes(form), file).toBe(false);
        }
      }
    }
  });

  it('refuses a wrong passphrase, one flipped bit, and a label of another holder', async () => {
    const { folder } = ceremony.machine('Anna');
    const file = join(folder, 'own.share');
    const text = read(file);
    const passphrase = read(folder, 'passphrase');
    const finish = () => ceremony.finish('Anna', '');
    const refused = async (what: string) => {
      const outcome = await finish();
      expect(outcome.code).toBe(3);
      expect(errorOf(outcome)).toMatchObject({ code: 'ERR_SHARE_UNREADABLE' });
      expect(errorOf(outcome).message).toContain(what);
    };
    writeFileSync(join(folder, 'passphrase'), 'another long passphrase\n');
    await refused('the passphrase is wrong');
    writeFileSync(join(folder, 'passphrase'), passphrase);
    const label = JSON.parse(text);
    const flipped = Buffer.from(label.encrypted);
    flipped[flipped.length - 30] = (flipped.at(-30) ?? 0) === 65 ? 66 : 65;
    writeFileSync(file, JSON.stringify({ ...label, encrypted: flipped.toString() }));
    await refused('cannot be decrypted');
    writeFileSync(file, JSON.stringify({ ...label, name: 'Bo' }));
    await refused('names another holder');
    writeFileSync(file, text);
    expect((await finish()).code).toBe(0);
  });
});

describe('who may share a key', () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => `Holder ${index + 1}`);
  const start = (names: readonly string[], threshold: number) =>
    startCeremony(join(temporaryFolder(), 'c'), { names, threshold, splits: undefined });
  const expectRefused = (names: readonly string[], threshold: number, fact: string) =>
    expect(() => start(names, threshold)).toThrow(
      expect.objectContaining({ code: 'ERR_USAGE', message: expect.stringContaining(fact) }),
    );

  it.each([
    [2, 2],
    [7, 3],
    [7, 4],
    [8, 2],
    [8, 6],
    [16, 16],
    [16, 15],
  ])('accepts %i holders and a threshold of %i', (holders, threshold) => {
    start(named(holders), threshold);
  });

  it.each([
    [1, 1, '2 to 16 holders'],
    [3, 1, 'from 2 to the number of holders, 3'],
    [3, 4, 'from 2 to the number of holders, 3'],
    [3, 2.5, 'from 2 to the number of holders, 3'],
    [8, 3, '56 groups'],
    [9, 2, '36 groups'],
    [17, 17, '2 to 16 holders'],
  ])('refuses %i holders and a threshold of %d', (holders, threshold, fact) => {
    expectRefused(named(holders), threshold, fact);
  });

  it.each([
    [['Anna', 'anna'], 'two holders have one name'],
    [['Anna', ''], 'letters'],
    [['Anna', ' Bo'], 'letters'],
    [['Anna', 'Bo\nCy'], 'letters'],
    [['Anna', 'B'.repeat(65)], 'letters'],
    // Names that people cannot tell apart.
    [['Anna', 'Anna\ufe0f'], 'letters'],
    [['Anna', 'An\u034fna'], 'letters'],
    [['José', 'Jose\u0301'], 'letters'],
    [['Anna', '\u0410nna'], 'letters'],
    [['Anna', 'Ａnna'], 'two holders have one name'],
    [['\u115f', '\u1160'], 'letters'],
    [['Anna, Bo', 'Cy'], 'letters'],
    [['Anna', 'the dealer'], 'letters'],
    [['Anna', `B${'\u0323'.repeat(40)}`], 'letters'],
  ])('refuses the names %j', (names, fact) => {
    expectRefused(names, 2, fact);
  });

  it('accepts names in any script', () => {
    start(['Zoë d’Arc', '山田 花子', 'B'.repeat(64), 'o_o@bank.example'], 2);
  });

  /** Starts a ceremony in the folder `c` by the command. */
  const startIn = (folder: string, threshold: string) =>
    cli(['keys', 'ceremony', 'start', 'c', 'Anna', 'Bo', '--threshold', threshold], folder);

  it.each(['2.5', 'two', '2e0'])('has a threshold that is a number, and not %s', async (threshold) => {
    const { code, stderr } = await startIn(temporaryFolder(), threshold);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--threshold')]);
  });

  it('is said once: a ceremony is not overwritten', async () => {
    const folder = temporaryFolder();
    expect((await startIn(folder, '2')).code).toBe(0);
    const before = allBytes(join(folder, 'c'));
    for (const threshold of ['2', '3']) expect((await startIn(folder, threshold)).code).toBe(2);
    expect(allBytes(join(folder, 'c'))).toEqual(before);
  });
});

describe('a hostile or careless ceremony', () => {
  let ceremony: Ceremony;

  beforeEach(async () => {
    ceremony = await Ceremony.of('started');
  });

  const file = (name: string) => join(ceremony.shared, name);

  it('waits for all holders, in any order', async () => {
    await ceremony.join('Cy');
    expect(JSON.parse((await ceremony.join('Anna')).stdout)).toEqual({
      ok: true,
      name: 'Anna',
      done: false,
      waitingFor: ['Bo'],
    });
    const early = await ceremony.finish('Anna', '');
    expectCommandError(early, 'ERR_USAGE', 'second round');
    expect((await ceremony.status()).waitingFor).toEqual(['Bo']);
    await ceremony.join('Bo');
    const waiting = await ceremony.finish('Bo', '');
    expect(errorOf(waiting)).toMatchObject({ code: 'ERR_HOLDERS_MISSING' });
    expect(errorOf(waiting).message).toContain('Anna and Cy');
  });

  it('refuses a name that is not a holder, and a name that is taken', async () => {
    const other = await ceremony.as('Anna', [
      'keys',
      'ceremony',
      'join',
      ceremony.shared,
      '--as',
      'Eve',
      '--json',
    ]);
    expectCommandError(other, 'ERR_USAGE', '--as', 'Anna, Bo, Cy');
    await ceremony.join('Anna');
    const taken = await ceremony.as('Bo', [
      'keys',
      'ceremony',
      'join',
      ceremony.shared,
      '--as',
      'Anna',
      '--json',
    ]);
    expectCommandError(taken, 'ERR_USAGE', 'Anna has joined');
  });

  it('refuses a short passphrase', async () => {
    writeFileSync(join(ceremony.machine('Anna').folder, 'passphrase'), 'elevenchars\n');
    const short = await ceremony.join('Anna');
    expectCommandError(short, 'ERR_KEY_REJECTED', '12 characters');
    writeFileSync(join(ceremony.machine('Anna').folder, 'passphrase'), 'twelve chars\n');
    expect((await ceremony.join('Anna')).code).toBe(0);
  });

  it('notices that ceremony.json was changed after a holder joined', async () => {
    await ceremony.join('Anna');
    const content = JSON.parse(read(file('ceremony.json')));
    writeFileSync(file('ceremony.json'), JSON.stringify({ ...content, threshold: 3 }));
    expect(errorOf(await ceremony.join('Anna'))).toMatchObject({ code: 'ERR_OTHER_KEY' });
    // Another holder sees that the message of Anna was for other terms.
    expect(errorOf(await ceremony.join('Bo'))).toMatchObject({ code: 'ERR_OTHER_KEY', holder: 'Anna' });
  });

  it('notices a replaced message, at its author and at everybody who has seen the first one', async () => {
    for (const name of ['Cy', 'Anna', 'Bo']) await ceremony.join(name);
    await ceremony.join('Anna');
    const eve = new Ceremony(['Bo']);
    const folder = join(eve.home, 'own');
    cpSync(ceremony.shared, folder, { recursive: true });
    for (const name of ['join-2.jwt', 'parts-2.jwt']) rmSync(join(folder, name));
    expect((await eve.join('Bo', folder)).code).toBe(0);
    cpSync(join(folder, 'join-2.jwt'), file('join-2.jwt'));
    expect(errorOf(await ceremony.join('Bo'))).toMatchObject({ code: 'ERR_CEREMONY_CHANGED' });
    expect(errorOf(await ceremony.join('Anna'))).toMatchObject({
      code: 'ERR_CEREMONY_CHANGED',
      holder: 'Bo',
    });
    // Cy has not seen the first one. The parts by Anna tell him that she has.
    expect((await ceremony.join('Cy')).code).toBe(0);
    cpSync(ceremony.shared, folder, { recursive: true });
    rmSync(join(folder, 'parts-2.jwt'));
    expect((await eve.join('Bo', folder)).code).toBe(0);
    cpSync(join(folder, 'parts-2.jwt'), file('parts-2.jwt'));
    const seen = errorOf(await ceremony.finish('Cy', ''));
    expect(seen.code).toBe('ERR_CEREMONY_CHANGED');
    expect(seen.message).toContain('another join-2.jwt, by Bo');
    // Anna may have lied, or Bo, or whoever passed the folder on.
    expect(seen.holder).toBeUndefined();
  });

  it('shows other words to each side if whoever passes the folder around swaps keys', async () => {
    ceremony = new Ceremony(['Anna', 'Bo']);
    await ceremony.start(2);
    // The coordinator plays Bo towards Anna, and Anna towards Bo: two ceremonies with the same names and terms.
    const annas = join(ceremony.home, 'to-anna');
    const bos = join(ceremony.home, 'to-bo');
    for (const copy of [annas, bos]) cpSync(ceremony.shared, copy, { recursive: true });
    const eve = new Ceremony(['Anna', 'Bo']);
    const run = async (name: string, real: string, folder: string) =>
      expect((await (name === real ? ceremony : eve).join(name, folder)).code).toBe(0);
    for (const [real, folder] of [
      ['Anna', annas],
      ['Bo', bos],
    ] as const) {
      // One machine per ceremony: Eve's machines start anew.
      for (const { folder: machine } of eve.holders) rmSync(join(machine, 'own.share'), { force: true });
      for (const _round of [1, 2]) for (const name of ['Anna', 'Bo']) await run(name, real, folder);
    }
    const toAnna = await ceremony.words(annas);
    const toBo = await ceremony.words(bos);
    expect(toAnna).not.toBe(toBo);
    const refused = await ceremony.finish('Anna', toBo, annas);
    expect(errorOf(refused)).toMatchObject({ code: 'ERR_FINGERPRINT' });
    expect((await ceremony.secretsOf('Anna')).stage).toBe('joining');
    expect(existsSync(join(annas, 'receipt-1.jwt'))).toBe(false);
  });

  it('accepts the words in any case and spacing, and no other words', async () => {
    ceremony = await Ceremony.of('rounds');
    const words = await ceremony.words();
    expect(words.split(' ')).toHaveLength(16);
    const reversed = words.split(' ').toReversed().join(' ');
    expect(errorOf(await ceremony.finish('Anna', reversed)).code).toBe('ERR_FINGERPRINT');
    const spoken = ` ${words.toUpperCase().replaceAll(' ', ',  \n')} `;
    expect((await ceremony.finish('Anna', spoken)).code).toBe(0);
  });

  it('takes no fewer and no more words', () => {
    const digest = '0123456789abcdef'.repeat(4);
    const words = fingerprintWords(digest);
    const areAccepted = (...spoken: readonly string[]) => isFingerprint(spoken.join(' '), digest);
    expect(areAccepted(...words)).toBe(true);
    expect(areAccepted(...words.slice(1))).toBe(false);
    expect(areAccepted(...words.slice(0, -1))).toBe(false);
    expect(areAccepted(...words, words[0] as string)).toBe(false);
    expect(areAccepted()).toBe(false);
  });

  it.each(['join', 'parts', 'receipt'])(
    'refuses one flipped bit in a %s message, and names its author',
    async (kind) => {
      ceremony = await Ceremony.of('compared');
      const path = file(`${kind}-2.jwt`);
      const text = read(path);
      const at = text.length - 40;
      writeFileSync(path, `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`);
      const { code, holder } = errorOf(await ceremony.finish('Anna', ceremony.spoken));
      expect({ code, holder }).toEqual({ code: 'ERR_HOLDER_MESSAGE', holder: 'Bo' });
    },
  );

  it('names the holder who sends a wrong part of the key', async () => {
    ceremony = await Ceremony.of('rounds');
    const { messageKey } = await ceremony.secretsOf('Bo');
    const claims = claimsIn(file('parts-2.jwt'));
    const sign = (parts: unknown) =>
      writeFileSync(
        file('parts-2.jwt'),
        signMessage('registry-ceremony-parts+jwt', { ...claims, parts }, messageKey),
      );
    const other = claimsIn(file('parts-3.jwt'));
    for (const parts of [
      { ...claims.parts, 1: other.parts[1] },
      { ...claims.parts, 1: claims.parts[3] },
      { ...claims.parts, 1: undefined },
      { ...claims.parts, 1: 'x' },
    ]) {
      sign(JSON.parse(JSON.stringify(parts)));
      const { code, holder } = errorOf(await ceremony.finish('Anna', ceremony.spoken));
      expect({ code, holder }).toEqual({ code: 'ERR_KEY_PART', holder: 'Bo' });
    }
  });

  it('refuses a receipt for another fingerprint, and a share of another ceremony', async () => {
    ceremony = await Ceremony.of('compared');
    const { messageKey } = await ceremony.secretsOf('Bo');
    const claims = { ...claimsIn(file('receipt-2.jwt')), digest: '0'.repeat(64) };
    writeFileSync(file('receipt-2.jwt'), signMessage('registry-ceremony-receipt+jwt', claims, messageKey));
    expect(errorOf(await ceremony.finish('Anna', ceremony.spoken))).toMatchObject({
      code: 'ERR_CEREMONY_CHANGED',
      holder: 'Bo',
    });
    const other = new Ceremony(['Anna', 'Bo', 'Cy']);
    await other.start(2);
    expect(errorOf(await ceremony.finish('Bo', '', other.shared))).toMatchObject({ code: 'ERR_OTHER_KEY' });
  });

  it.each([
    ['join', { proof: { toString: null, valueOf: null } }],
    ['join', { proof: null }],
    ['join', { commitments: null }],
    ['join', { commitments: [null, {}] }],
    ['join', { encryption: null }],
    ['parts', { joined: 'x' }],
    ['parts', { joined: [null, null, null] }],
    ['parts', { parts: null }],
    ['parts', { parts: { 1: { a: 1 } } }],
    ['receipt', { digest: null }],
  ])('refuses a %s message with %j without an internal error', async (kind, changed) => {
    ceremony = await Ceremony.of('compared');
    const { messageKey } = await ceremony.secretsOf('Bo');
    const claims = { ...claimsIn(file(`${kind}-2.jwt`)), ...changed };
    const type = `registry-ceremony-${kind}+jwt` as 'registry-ceremony-join+jwt';
    writeFileSync(file(`${kind}-2.jwt`), signMessage(type, claims, messageKey));
    expect([0, 3]).toContain((await ceremony.join('Anna')).code);
    expect((await cli(['keys', 'ceremony', 'status', ceremony.shared], ceremony.home)).code).not.toBe(70);
    const finished = await ceremony.finish('Anna', ceremony.spoken);
    expect(finished.code).toBe(3);
    expect(errorOf(finished).code).toMatch(/^ERR_(HOLDER_MESSAGE|CEREMONY_CHANGED|KEY_PART)$/);
  });

  it.each(['\ud800', { a: [1] }, 'not json'])(
    'refuses the terms %j without an internal error',
    async (splits) => {
      const content = JSON.parse(read(file('ceremony.json')));
      writeFileSync(
        file('ceremony.json'),
        splits === 'not json' ? splits : JSON.stringify({ ...content, splits }),
      );
      expect(errorOf(await ceremony.join('Anna'))).toMatchObject({ code: 'ERR_HOLDER_MESSAGE' });
    },
  );

  it('is live only with the files that it has made', async () => {
    ceremony = await Ceremony.of('whole');
    const before = allBytes(ceremony.shared);
    for (const damage of [
      () => rmSync(file('root.json')),
      () => writeFileSync(file('root.json'), read(file('root.json')).replace(/"x": "..../, '"x": "AAAA')),
      () => writeFileSync(file('holders.json'), '{}'),
    ]) {
      for (const [path, bytes] of before) writeFileSync(path, bytes);
      damage();
      expect(await ceremony.status()).toMatchObject({ step: 'record' });
    }
    for (const [path, bytes] of before) writeFileSync(path, bytes);
    writeFileSync(file('root.json'), read(file('root.json')).replace(/"x": "..../, '"x": "AAAA'));
    await ceremony.finish('Cy', ceremony.spoken);
    expect(allBytes(ceremony.shared)).toEqual(before);
    expect(await ceremony.status()).toMatchObject({ step: 'live' });
  });

  it('makes a contribution prove that its holder knows the secret', async () => {
    ceremony = await Ceremony.of('rounds');
    const { messageKey } = await ceremony.secretsOf('Cy');
    const claims = claimsIn(file('join-3.jwt'));
    const { commitments } = claimsIn(file('join-1.jwt'));
    for (const changed of [{ commitments }, { proof: claims.proof.replace(/^.{4}/, 'AAAA') }]) {
      const text = signMessage('registry-ceremony-join+jwt', { ...claims, ...changed }, messageKey);
      writeFileSync(file('join-3.jwt'), text);
      const { code, holder } = errorOf(await ceremony.join('Anna'));
      expect({ code, holder }).toEqual({ code: 'ERR_KEY_PART', holder: 'Cy' });
    }
  });
});

describe('splitting an existing key', () => {
  const ceremony = new Ceremony(['Anna', 'Bo', 'Cy']);
  const split = (...args: string[]) =>
    cli(['keys', 'ceremony', 'split', ceremony.shared, ...args], ceremony.home);
  const refused = async (code: number, fact: string, ...args: string[]) =>
    expect(await split(...args)).toMatchObject({ code, stderr: expect.stringContaining(fact) });

  beforeAll(async () => {
    for (const name of ['root', 'other']) await keyPair(ceremony.home, name);
    await keyPair(ceremony.home, 'p256', '--alg', 'P-256');
  });

  it('refuses a P-256 key', async () => {
    const { code, stderr } = await ceremony.start(2, '--splits', 'p256.json');
    expect(code).toBe(2);
    expect(stderr).toContain('only Ed25519 keys can be shared');
  });

  it('gives the holders shares of the same root key', async () => {
    expect((await ceremony.start(2, '--splits', 'root.json')).code).toBe(0);
    await refused(3, 'Anna, Bo and Cy', '--key', 'root.pem');
    for (const { name } of ceremony.holders) await ceremony.join(name);
    await refused(3, 'key is not', '--key', 'other.pem');
    const spoken = await ceremony.words();
    for (const { name } of ceremony.holders) {
      expect((await ceremony.join(name)).stderr).toContain(spoken.split(' ').slice(0, 4).join(' '));
    }
    await refused(2, '--words', '--key', 'root.pem');
    expect(existsSync(join(ceremony.shared, 'split.jwt'))).toBe(false);
    const done = await split('--key', 'root.pem', '--words', spoken);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('DESTROY the original key');
    await refused(2, 'has been split', '--key', 'root.pem');
    const words = await ceremony.words();
    for (const _round of [1, 2]) {
      for (const { name } of ceremony.holders) expect((await ceremony.finish(name, words)).code).toBe(0);
    }
    const { kid } = JSON.parse(read(ceremony.home, 'root.json'));
    expect(JSON.parse(read(ceremony.shared, 'root.json')).kid).toBe(kid);
    const group = await parseHolders(read(ceremony.shared, 'holders.json'), 'holders.json');
    expect(group).toMatchObject({ rootKey: { thumbprint: kid } });
  });

  it('notices before the key is split that somebody else has joined under the names of the holders', async () => {
    const victim = new Ceremony(['Anna', 'Bo', 'Cy']);
    await victim.start(2, '--splits', join(ceremony.home, 'root.json'));
    // Whoever passes the folder around shows its owner other join messages than the holders have written.
    const shown = join(victim.home, 'shown');
    cpSync(victim.shared, shown, { recursive: true });
    const eve = new Ceremony(['Anna', 'Bo', 'Cy']);
    for (const { name } of victim.holders) {
      await victim.join(name);
      await (name === 'Cy' ? victim.as('Cy', ['keys', 'ceremony', 'join', shown]) : eve.join(name, shown));
    }
    const args = ['keys', 'ceremony', 'split', shown, '--key', 'root.pem', '--words', await victim.words()];
    const { code, stderr } = await cli(args, ceremony.home);
    expect([code, stderr]).toEqual([3, expect.stringContaining('the words are not')]);
    expect(existsSync(join(shown, 'split.jwt'))).toBe(false);
  });

  it('refuses to split a key in a ceremony that makes a new one', async () => {
    const other = new Ceremony(['Anna', 'Bo']);
    await other.start(2);
    const args = ['keys', 'ceremony', 'split', other.shared, '--key', join(ceremony.home, 'root.pem')];
    const { code, stderr } = await cli(args, other.home);
    expect([code, stderr]).toEqual([2, expect.stringContaining('new key')]);
  });
});
