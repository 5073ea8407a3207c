import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { exportSPKI, importJWK } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { commandsBelow } from '../support/documents.js';
import { SCRIPTS } from '../support/protocol.js';
import { type Files, issuer, sha256, type TestKey, testKey } from '../support/publication.js';
import { listen, serve } from '../support/serving.js';
import { rounds, sample } from '../support/soak.js';
import { readTreeFile, removeTreeFile, together } from '../support/statements.js';
import { claimsAbout, publishSummed, signedJwt } from '../support/summed-registry.js';
import { idBeside, placeOf } from '../support/sums.js';
import { cli, recordText, run, temporaryFolder, writeFiles } from '../support/workspace.js';

const DOCUMENT = SCRIPTS;
const ALGORITHMS = [
  ['Ed25519', 'One issuer: an Ed25519 root key'],
  ['P-256', 'One issuer: a P-256 root key'],
] as const;
const LAST = 'One issuer: present or absent';
/** The soak runs all cases, in all ways. A usual run takes some of them, each in another way: a script is 50 processes. */
const ALL = rounds({ usual: 0, soak: 1 }) === 1;

const script = (heading: string) =>
  ['One issuer', heading, 'One issuer: read the claims', LAST]
    .flatMap((one) => commandsBelow(DOCUMENT, one))
    .join('\n');

describeWith(['openssl', 'curl'], 'the script for one issuer in docs/verifiers/openssl.md', () => {
  it('is short', () => {
    expect(commandsBelow(DOCUMENT, LAST)[0]?.trim().split('\n').length).toBeLessThan(15);
  });

  /** The numbers of levels, and numbers of records that lead to them. */
  const SIZES = [
    [0, 2],
    [1, 65],
    [2, 1025],
  ] as const;
  const DAMAGES: readonly [name: string, damage: (bytes: Buffer) => Buffer | undefined][] = [
    ['no', () => undefined],
    ['another', (bytes) => Buffer.from(bytes).fill(bytes.at(40) === 48 ? '1' : '0', 40, 41)],
    ['a shorter', (bytes) => bytes.subarray(0, -1)],
  ];

  it.each(ALGORITHMS)(
    'proves one issuer, and an absence, with a %s root key',
    async (algorithm, heading) => {
      const folder = temporaryFolder();
      await cli(['keys', 'generate', '--no-passphrase', '--alg', algorithm, '--private', 'root.pem'], folder);
      for (const [levels, size] of SIZES) {
        if (!ALL && (levels === 1) !== (algorithm === 'P-256')) continue;
        const ids = Array.from({ length: size }, (_one, index) => `issuer.${index}`);
        for (const id of ids) writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id) });
        expect((await cli(['build', '--key', 'root.pem'], folder)).code).toBe(0);
        const dist = join(folder, 'dist');
        const [, payload = ''] = readTreeFile(join(dist, 'publication.jwt')).toString().split('.');
        expect(JSON.parse(Buffer.from(payload, 'base64url').toString()).levels).toBe(levels);
        for (const check of commandsBelow(DOCUMENT, 'A whole copy')) {
          expect(await run('sh', ['-c', check], dist)).toMatchObject({ code: 0, stdout: '', stderr: '' });
        }
        const registry = await serve(dist);
        const root = await run('openssl', ['pkey', '-in', 'root.pem', '-pubout'], folder);
        const prove = async (ID: string, REGISTRY = registry) => {
          const place = temporaryFolder();
          writeFiles(place, { 'root.pem': root.stdout });
          return run('sh', ['-c', script(heading)], place, { REGISTRY, ID });
        };
        for (const id of [ids[0] ?? '', ids.at(-1) ?? '']) {
          const { code, stdout } = await prove(id);
          expect(code).toBe(0);
          expect(stdout.endsWith(readFileSync(join(dist, 'issuers', id), 'utf8'))).toBe(true);
        }
        // A dot is no wildcard, and the beginning of an id is not the id.
        const like = ['issuer-0', 'issuer.', `issuer.${size}`];
        for (const id of ['nobody', ...(ALL || levels === 0 ? like : [])]) {
          const { code, stdout } = await prove(id);
          expect(code, id).toBe(0);
          expect(stdout, id).toContain(`${id} is not in the list\n`);
        }
        const idHash = createHash('sha256').update('issuer.0').digest('hex');
        const leaf = levels === 0 ? 'sums/root' : `sums/${idHash.slice(0, levels)}`;
        const paths = [leaf, 'sums/root', 'publication.jwt', 'issuers/issuer.0'];
        for (const [at, path] of sample([...paths.entries()], 4, levels)) {
          const bytes = readTreeFile(join(dist, path));
          for (const [name, damage] of ALL ? DAMAGES : [DAMAGES[(at + levels) % 3] as (typeof DAMAGES)[0]]) {
            const damaged = damage(bytes);
            if (damaged === undefined) removeTreeFile(join(dist, path));
            else writeFiles(dist, { [path]: damaged });
            expect((await prove('issuer.0')).code, `${name} ${path}`).not.toBe(0);
          }
          writeFiles(dist, { [path]: bytes });
        }
        expect((await prove('issuer.0')).code).toBe(0);
        const [other = ''] = readdirSync(join(dist, 'issuers')).filter((name) => /^issuer\.[1-9]/.test(name));
        rmSync(join(dist, 'issuers', other));
        const [, each = ''] = commandsBelow(DOCUMENT, 'A whole copy');
        expect((await run('sh', ['-c', each], dist)).code).not.toBe(0);
        rmSync(dist, { recursive: true });
      }
    },
    120_000,
  );
});

describeWith(['openssl', 'curl'], 'the script for one issuer, with a hostile registry', () => {
  const LEVELS = 2;
  const IDS = Array.from({ length: 30 }, (_one, index) => `issuer-${index}`);
  const ID = 'issuer-7';
  /** An id that is not in the list, and whose place is in the same leaf. */
  const ABSENT = idBeside(ID, LEVELS);

  let keys: Record<string, TestKey>;
  const files = new Map<string, Files>();
  const pems = new Map<string, string>();
  const served = new Map<string, { status?: number; bytes: Uint8Array | string }>();
  let registry: string;

  beforeAll(async () => {
    keys = { Ed25519: await testKey(), 'P-256': await testKey('p256') };
    for (const [algorithm, key] of Object.entries(keys)) {
      const alg = algorithm === 'P-256' ? 'ES256' : 'EdDSA';
      pems.set(algorithm, await exportSPKI((await importJWK(key.rootKey.jwk as object, alg)) as never));
      const tree = await publishSummed(
        key,
        IDS.map((id) => issuer(id)),
        { levels: LEVELS },
      );
      files.set(algorithm, tree);
    }
    registry = await listen((request, response) => {
      const { status = 200, bytes } = served.get(request.url ?? '') ?? { status: 404, bytes: '' };
      response.writeHead(status, { Location: '/elsewhere' }).end(bytes);
    });
  });

  /** What the script concludes: `present`, `absent` or `error`. */
  async function verdict(
    algorithm: string,
    tree: Files,
    ID: string,
    environment: Record<string, string> = {},
  ) {
    served.clear();
    for (const [path, bytes] of together(tree)) served.set(`/${path}`, { bytes });
    return verdictOfServed(algorithm, ID, environment);
  }

  async function verdictOfServed(algorithm: string, ID: string, environment: Record<string, string> = {}) {
    const place = temporaryFolder();
    writeFiles(place, { 'root.pem': pems.get(algorithm) ?? '' });
    const [, heading] = ALGORITHMS.find(([one]) => one === algorithm) ?? [];
    const { code, stdout } = await run('sh', ['-c', script(heading ?? '')], place, {
      ...{ REGISTRY: registry, ID },
      ...environment,
    });
    if (code !== 0) return 'error';
    return stdout.endsWith(`${ID} is not in the list\n`) ? 'absent' : 'present';
  }

  /** Expects an error with both ids in the soak, and in a usual run with the one or the other in turn. */
  async function expectError(algorithm: string, tree: Files, name: string) {
    turn += 1;
    for (const id of ALL ? [ID, ABSENT] : [turn % 2 === 0 ? ID : ABSENT])
      expect(await verdict(algorithm, tree, id), `${name}, ${id}`).toBe('error');
  }
  let turn = 0;
  /** The cases to try with an algorithm. A usual run takes other cases with the other algorithm. */
  const casesFor = <T>(algorithm: string, cases: readonly T[], every = 12): readonly T[] =>
    sample(cases, every, algorithm === 'P-256' ? every / 2 : 0);

  /** Signs a statement, written as publishers write it. */
  const signed = (algorithm: string, tree: Files, claims: object = {}, header: object = {}): Files => {
    const all = { ...claimsAbout(tree), levels: LEVELS, ...claims };
    const jwt = signedJwt(keys[algorithm] as TestKey, all, header);
    return new Map(tree).set('publication.jwt', Buffer.from(jwt));
  };
  const good = (algorithm: string, claims: object = {}, header: object = {}) =>
    signed(algorithm, files.get(algorithm) as Files, claims, header);
  const withJwt = (algorithm: string, change: (jwt: string) => Buffer | string): Files => {
    const tree = good(algorithm);
    return tree.set('publication.jwt', Buffer.from(change(String(tree.get('publication.jwt')))));
  };

  it.each(ALGORITHMS)('a valid tree, with a %s root key', async (algorithm) => {
    expect(await verdict(algorithm, good(algorithm), ID)).toBe('present');
    expect(await verdict(algorithm, good(algorithm), ABSENT)).toBe('absent');
    const empty = await publishSummed(keys[algorithm] as TestKey, []);
    expect(await verdict(algorithm, signed(algorithm, empty, { levels: 0 }), ID)).toBe('absent');
    expect(await verdict(algorithm, signed(algorithm, empty), ID)).toBe('absent');
  });

  it.each(ALGORITHMS)('a tool that is missing is an error, with a %s root key', async (algorithm) => {
    const TOOLS = 'basenc cat curl cut grep head od openssl sed sha256sum sort tail tr wc'.split(' ');
    const folder = temporaryFolder();
    const withTools = (name: string, tools: readonly string[]) => {
      const bin = join(folder, name);
      mkdirSync(bin);
      for (const tool of [...tools, 'sh']) symlinkSync(pathOf(tool), join(bin, tool));
      return { PATH: bin };
    };
    // The script needs no others, such as seq.
    const all = withTools('all', TOOLS);
    expect(await verdict(algorithm, good(algorithm), ID, all)).toBe('present');
    expect(await verdict(algorithm, good(algorithm), ABSENT, all)).toBe('absent');
    for (const tool of casesFor(algorithm, TOOLS)) {
      const some = withTools(
        `no-${tool}`,
        TOOLS.filter((one) => one !== tool),
      );
      // Without its tools, a script must never take one answer for the other.
      if (ALL) expect(await verdict(algorithm, good(algorithm), ID, some), tool).toMatch(/^(error|present)$/);
      expect(await verdict(algorithm, good(algorithm), ABSENT, some), tool).toMatch(/^(error|absent)$/);
    }
  });

  it.each(ALGORITHMS)('claims that are signed and wrong, with a %s root key', async (algorithm) => {
    const claims = { ...claimsAbout(files.get(algorithm) as Files), levels: LEVELS };
    const text = JSON.stringify(claims);
    const key = keys[algorithm] as TestKey;
    const texts = {
      'no levels': text.replace('"levels"', '"level"'),
      'levels twice': text.replace('{', '{"levels":0,'),
      'levels twice, the other order': text.replace('}', ',"levels":0}'),
      'levels in another claim': text.replace('}', ',"log":{"levels":0}}'),
      'an escaped name': text.replace('{', '{"\\u006cevels":0,'),
      'sums_sha256 twice': text.replace('{', `{"sums_sha256":"${sha256(Buffer.from(''))}",`),
      'sums_sha256 in upper case': text.replace(claims.sums_sha256, claims.sums_sha256.toUpperCase()),
      'sums_sha256 that is longer': text.replace(claims.sums_sha256, `${claims.sums_sha256}00`),
    };
    for (const [name, payload] of casesFor(algorithm, Object.entries(texts))) {
      const tree = new Map(files.get(algorithm)).set('publication.jwt', Buffer.from(signedJwt(key, payload)));
      await expectError(algorithm, tree, name);
    }
    for (const levels of casesFor(algorithm, [0, 1, 3, 8, 9, 12, 20, -1, 2.5, '2', null]))
      await expectError(algorithm, good(algorithm, { levels }), String(levels));
    for (const levels of casesFor(algorithm, [1, 2, 12])) {
      const flat = await publishSummed(keys[algorithm] as TestKey, [issuer(ID)]);
      expect(await verdict(algorithm, signed(algorithm, flat, { levels }), ABSENT)).toBe('error');
    }
    const headers = [{ crit: ['exp'] }, { typ: 'registry-checkpoint+jwt' }, { jwk: {} }, { b64: false }];
    for (const header of casesFor(algorithm, headers))
      expect(await verdict(algorithm, good(algorithm, {}, header), ABSENT)).toBe('error');
  });

  it.each(ALGORITHMS)('other forms of the statement, with a %s root key', async (algorithm) => {
    const parts = (jwt: string) => {
      const end = jwt.lastIndexOf('.') + 1;
      return [jwt.slice(0, end), Buffer.from(jwt.slice(end), 'base64url')] as const;
    };
    const forms: Record<string, (jwt: string) => Buffer | string> = {
      'a signature of 72 bytes': (jwt) => {
        const [input, raw] = parts(jwt);
        const [r, s] = [raw.subarray(0, 32), raw.subarray(32)];
        return input + Buffer.concat([r, Buffer.alloc(8, 1), s]).toString('base64url');
      },
      'a signature of 63 bytes': (jwt) => jwt.slice(0, -1),
      'a fourth part': (jwt) => `${jwt}.AAAA`,
      'an empty fourth part': (jwt) => `${jwt}.`,
      'a newline at the end': (jwt) => `${jwt}\n`,
      'a carriage return at the end': (jwt) => `${jwt}\r`,
      'a NUL at the end': (jwt) => `${jwt}\0`,
      'a line before': (jwt) => `x\n${jwt}`,
      padding: (jwt) => `${jwt}==`,
      'unused bits': (jwt) => jwt.slice(0, -1) + ('BRhx'['AQgw'.indexOf(jwt.at(-1) ?? '')] ?? 'B'),
      'a zero signature': (jwt) => parts(jwt)[0] + Buffer.alloc(64).toString('base64url'),
      'another payload': (jwt) => jwt.replace(/\.[^.]+\./, (payload) => `${payload.slice(0, -2)}A.`),
    };
    for (const [name, change] of casesFor(algorithm, Object.entries(forms), 6))
      await expectError(algorithm, withJwt(algorithm, change), name);
  });

  it('sums files that are signed and have another form', async () => {
    const tree = files.get('Ed25519') as Files;
    const path = (length: number) => `sums/${placeOf(ID).slice(0, length)}`;
    const leaf = String(tree.get(path(2)));
    const other = leaf.replaceAll(ID, 'zz');
    /** Changes the leaf, and computes the files above anew. */
    const withLeaf = (text: string | Buffer): Files => {
      const changed = new Map(tree).set(path(2), Buffer.from(text));
      for (const [above, below] of [
        [path(1), path(2)],
        ['sums/root', path(1)],
      ] as const) {
        const lines = String(changed.get(above)).replace(
          new RegExp(`^[0-9a-f]{64}(?=  ${below}$)`, 'm'),
          sha256(changed.get(below) as Buffer),
        );
        changed.set(above, Buffer.from(lines));
      }
      return signed('Ed25519', changed);
    };
    expect(await verdict('Ed25519', withLeaf(leaf), ID)).toBe('present');
    expect(await verdict('Ed25519', withLeaf(other), ID)).toBe('absent');
    const leaves: Record<string, string | Buffer> = {
      empty: '',
      'no newline at the end': other.trimEnd(),
      'an empty line': `${other}\n`,
      'a carriage return': other.replace('\n', '\r\n'),
      'a line twice': other + other,
      'out of order': other.replace(/^/, other.replace('zz', 'zzz')),
      'one space': other.replace('  ', ' '),
      'the mark of binary files': other.replace('  ', ' *'),
      'upper-case digits': other.replace(/^[0-9a-f]{64}/, (hash) => hash.toUpperCase()),
      'a sums file': other + other.replace(/ {2}.*/, '  sums/333'),
      'a NUL': Buffer.from(`${other}\0`),
      'not UTF-8': Buffer.concat([Buffer.from(other), Buffer.from([0xff, 10])]),
    };
    for (const [name, text] of sample(Object.entries(leaves), 6))
      await expectError('Ed25519', withLeaf(text), name);
    // The root lists a child of another file, so no child of its own.
    const stray = new Map(tree).set('sums/root', Buffer.from(`${'ab'.repeat(32)}  sums/33\n`));
    expect(await verdict('Ed25519', signed('Ed25519', stray), ID)).toBe('error');
  });

  it('files that a mirror has changed', async () => {
    const tree = good('Ed25519');
    const leaf = `sums/${placeOf(ID).slice(0, LEVELS)}`;
    const text = String(tree.get(leaf));
    const record = Buffer.from('{"status":"active"}');
    const line = `${sha256(record)}  issuers/${ABSENT}\n`;
    const added = {
      'a line': line,
      'a line with the mark of escaped names': `\\${line}`,
      'a line in upper case': line.replace(/^\w+/, (hash) => hash.toUpperCase()),
      'a line after a space': ` ${line}`,
      'a line after a NUL': `\0${line}`,
    };
    const forged = Object.entries(added).flatMap(([name, more]) => [
      [`${name} at the end`, text + more] as const,
      [`${name} at the beginning`, more + text] as const,
    ]);
    for (const [name, changed] of sample(forged, 10)) {
      const files = new Map(tree).set(leaf, Buffer.from(changed)).set(`issuers/${ABSENT}`, record);
      expect(await verdict('Ed25519', files, ABSENT), name).toBe('error');
    }
    const others = [text.trimEnd(), text + text, '', `${text}\n`, text.replace(/$/gm, '\r')];
    for (const changed of sample(others, 3)) {
      await expectError('Ed25519', new Map(tree).set(leaf, Buffer.from(changed)), changed);
    }
    expect(await verdict('Ed25519', new Map(tree).set(`issuers/${ID}`, record), ID)).toBe('error');
  });

  it('responses other than the file', async () => {
    const tree = together(good('Ed25519'));
    const paths = ['statements.json', 'sums/root', `sums/${placeOf(ID).slice(0, 1)}`];
    for (const [at, path] of paths.entries()) {
      // A success that is not 200 is no better than the others.
      for (const status of sample([203, 301, 404, 500], 4, at)) {
        served.clear();
        for (const [one, bytes] of tree) served.set(`/${one}`, { bytes });
        served.set(`/${path}`, { status, bytes: tree.get(path) as Buffer });
        expect(await verdictOfServed('Ed25519', ABSENT), `${path} ${status}`).toBe('error');
      }
    }
    const limit = 16_384;
    const bare = String(good('Ed25519', { note: '' }).get('publication.jwt')).length;
    const fits = 'x'.repeat(Math.floor(((limit - bare) * 3) / 4) - 2);
    expect(await verdict('Ed25519', good('Ed25519', { note: fits }), ABSENT)).toBe('absent');
    expect(await verdict('Ed25519', good('Ed25519', { note: `${fits}xxxxxx` }), ABSENT)).toBe('error');
  });
});

function pathOf(tool: string): string {
  const found = (process.env['PATH'] ?? '').split(':').find((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return join(found ?? '/usr/bin', tool);
}
