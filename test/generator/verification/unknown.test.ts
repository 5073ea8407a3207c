import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, statementHash } from '@passport-registry/verifier/core';
import { folderSource, type TreeReport, verifyTree } from 'passport-registry';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { monitoredHosts, serveOn } from '../../support/monitor.js';
import { statement, type TestKey, testKey } from '../../support/publication.js';
import { serve } from '../../support/serving.js';
import { resealed, restated, type SignedTree, signedTree } from '../../support/signed-tree.js';
import { treeIn } from '../../support/sources.js';
import { together } from '../../support/statements.js';
import { goodCli, temporaryFolder, writeFiles } from '../../support/workspace.js';

type Files = ReadonlyMap<string, Buffer>;

const audit = (files: Files) => verifyTree(treeIn(files));
const failed = ({ checks }: TreeReport) =>
  checks.flatMap(({ name, result, code }) => (result === 'failed' ? [`${name}: ${code}`] : []));
const noted = ({ notes }: { readonly notes: TreeReport['notes'] }) =>
  notes.map(({ code, path }) => `${code} ${path}`);

describe('a file that this version does not know', () => {
  let tree: SignedTree;
  beforeAll(async () => {
    tree = await signedTree();
  });

  const withFile = (path: string, files: Files = tree.files) => new Map(files).set(path, Buffer.from('x'));

  it('is in no tree of this version', async () => {
    expect(noted(await audit(tree.files))).toEqual([]);
  });

  it.each(['later.json', 'news.json', 'later-2.jwt', 'a.tlog-proof'])(
    'is reported, and not refused, if nothing lists it: %s',
    async (path) => {
      const report = await audit(withFile(path));
      expect([failed(report), noted(report)]).toEqual([[], [`file-unlisted ${path}`]]);
    },
  );

  it('is reported, and checked by its hash, if SHA256SUMS lists it', async () => {
    const files = await resealed(withFile('news.json'), tree.online);
    const report = await audit(files);
    expect([failed(report), noted(report)]).toEqual([[], ['file-unknown news.json']]);
    const changed = await audit(files.set('news.json', Buffer.from('y')));
    expect(failed(changed)).toEqual(['checksums: ERR_AUDIT_CHECKSUMS']);
    files.delete('news.json');
    expect(failed(await audit(files))).toEqual(['checksums: ERR_AUDIT_CHECKSUMS']);
  });

  /** Names that no version adds, in the top folder and below. */
  const REFUSED = [
    ...['keys/new.json', 'assets/new.html', 'new/issuers/acme'],
    ...['schemas/package.json', 'Keys/root.json', 'LOG/checkpoint', 'keys./root.json'],
    ...['ISSUERS.JSON', 'Checkpoint.jwt', 'sha256sums', 'unfit-for-production.txt', 'publication.jwt.gz'],
    ...['keys/root.json.gz', 'index.html.br', 'index.php', 'index.htm', 'index.json', '404.htm', '500.html'],
    ...['.user.ini', '.well-known/new', '_redirects', '_worker.js/index.js', 'web.config', 'new/.htaccess'],
    ...['issuers/.user.ini', 'log/.x/y', 'CNAME', 'now.json', 'package.json', 'middleware.js', 'vercel.ts'],
    ...[
      'staticwebapp.config.json',
      'routes.json',
      'netlify.toml',
      'wrangler.jsonc',
      'firebase.json',
      'app.yaml',
    ],
    ...['Caddyfile', 'Dockerfile', 'php.ini', 'global.asax', 'bin/x.dll', 'cgi-bin/x.cgi', 'api/issuers.js'],
    ...[
      'functions/issuers.json.js',
      'robots.txt',
      'sw.js',
      'root.pem',
      'about/en.json',
      'foo/index.html',
      '-',
    ],
    ...['witness/new', 'issuers.json.gz', 'new file', 'new\n', 'neu/größe', 'new//file'],
  ];

  it.each(REFUSED)('is never one that a host could read, or take for a known file: %s', async (path) => {
    const unlisted = await audit(withFile(path));
    expect(failed(unlisted)).toContain('checksums: ERR_AUDIT_CHECKSUMS');
    const listed = await audit(await resealed(withFile(path), tree.online));
    expect(failed(listed)).toContain('checksums: ERR_AUDIT_CHECKSUMS');
    const notes = [...noted(unlisted), ...noted(listed)];
    expect(notes.filter((note) => note.startsWith('file-'))).toEqual([]);
  });

  it.each(['lists/new.json', `lists/${'0'.repeat(64)}/new.json`])(
    'is no list that has not its hash as its name: %s',
    async (path) => {
      expect(failed(await audit(withFile(path)))).toContain('lists: ERR_AUDIT_LISTS');
    },
  );

  it('is neither a link nor a pipe', async () => {
    for (const [name, make] of [
      ['link.json', (path: string) => symlinkSync('issuers.json', path)],
      ['pipe.json', (path: string) => execFileSync('mkfifo', [path])],
    ] as const) {
      const folder = temporaryFolder();
      writeFiles(folder, Object.fromEntries(tree.files));
      make(join(folder, name));
      expect([name, failed(await verifyTree(folderSource(folder)))]).toEqual([
        name,
        ['checksums: ERR_AUDIT_CHECKSUMS'],
      ]);
    }
  });
});

describe('a part of statements that this version does not know', () => {
  let tree: SignedTree;
  beforeAll(async () => {
    tree = await signedTree();
  });

  it('is reported, and ignored, if it is a claim of any statement', async () => {
    const stated = await restated(tree.files, tree.root, { news_sha256: '0'.repeat(64) });
    const report = await audit(await resealed(stated, tree.online, { new: 1, newer: 2 }));
    expect([failed(report), noted(report)]).toEqual([
      [],
      ['claim-unknown statements.json', 'claim-unknown statements.json'],
    ]);
    expect(report.notes[1]?.message).toContain('"new", "newer"');
  });

  it('is not reported if it is a claim of a statement that is refused', async () => {
    const files = await resealed(await restated(tree.files, tree.stranger, { new: 1 }), tree.online);
    expect(noted(await audit(files))).toEqual([]);
  });

  it('is reported, and ignored, if it is a member of statements.json', async () => {
    const whole = together(tree.files);
    const members = JSON.parse(String(whole.get('statements.json')));
    const more = Buffer.from(canonicalBytes({ ...members, news: { of: null } }));
    const report = await audit(new Map(whole).set('statements.json', more));
    expect([failed(report), noted(report)]).toEqual([[], ['member-unknown statements.json']]);
  });
});

describe('an entry of a type that this version does not know', () => {
  let world: LoggedRegistry;
  let stranger: TestKey;
  beforeAll(async () => {
    stranger = await testKey();
  });
  beforeEach(async () => {
    world = new LoggedRegistry(await testKey());
    await world.publish();
  });

  const newStatement = (key = world.root, typ = 'registry-about+jwt') =>
    statement(key, typ, { iat: 1, new: true });
  const entryOf = (jwt: string, more: object = {}) => ({
    sha256: statementHash(jwt),
    type: 'about',
    ...more,
  });

  /** Logs a new entry with its statement, and then a publication. */
  async function log(jwt: string, entry: object = entryOf(jwt)): Promise<void> {
    await world.append(entry, jwt);
    await world.publish();
  }

  const logAs = async (more: object) => {
    const jwt = await newStatement();
    await log(jwt, entryOf(jwt, more));
  };

  const whole = () => resealed(world.files, world.root);

  it('is reported once for each type, if the root key has signed its statement', async () => {
    const [one, two] = [await newStatement(), await newStatement(world.root, 'registry-other+jwt')];
    await log(one, entryOf(one, { new: true }));
    await log(two, entryOf(two, { type: 'other' }));
    await log(await newStatement());
    const report = await audit(await whole());
    expect([failed(report), noted(report)]).toEqual([
      [],
      ['entry-unknown log/statements/1.jwt', 'entry-unknown log/statements/3.jwt'],
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['has a known type', async () => log(await newStatement(world.root, 'registry-checkpoint+jwt'))],
    ['is a publication statement', async () => log(String(world.files.get('publication.jwt')))],
    ['is of a passport', async () => log(await newStatement(world.root, 'passport+jwt'))],
    ['is of another type than the entry', async () => logAs({ type: 'abut' })],
    ['has not a member of the entry', async () => logAs({ old: true })],
    ['has another value than the entry', async () => logAs({ new: false })],
    ['has not a member that every object has', async () => logAs({ constructor: true })],
    [
      'is not there',
      async () => {
        await logAs({});
        world.files.delete('log/statements/1.jwt');
      },
    ],
  ])('is refused if its statement %s', async (_what, logIt) => {
    await logIt();
    const report = await audit(await whole());
    expect([failed(report), noted(report)]).toEqual([['log: ERR_AUDIT_LOG'], []]);
  });

  it('is reported by a monitor, which raises an alarm if the root key has not signed it', async () => {
    const monitored = await monitoredHosts(world);
    const round = () => {
      serveOn(world, monitored.hosts[0]);
      return monitored.round();
    };
    await round();
    await log(await newStatement());
    expect((await round()).told).toEqual(['warning entry-unknown entry 1']);
    await world.publish({ claims: { new: 1 } });
    const { report, told } = await round();
    expect(told).toEqual([]);
    expect(report.findings.map((one) => one.code)).toEqual(
      expect.arrayContaining(['claim-unknown', 'publication-logged']),
    );
    await log(await newStatement(stranger));
    expect((await round()).told).toContain('alarm entry-not-signed entry 4');
  });

  it('passes a root key only after a rotation', async () => {
    const [before, next] = [world.root, await testKey()];
    await log(await newStatement());
    await world.rotate(next);
    await log(await newStatement());
    expect(failed(await audit(await whole()))).toEqual([]);
    await log(await newStatement(before));
    expect(failed(await audit(await whole()))).toEqual(['log: ERR_AUDIT_LOG']);
  });

  it('is copied by a mirror, but no file that nothing proves', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'root.json': canonicalBytes(world.root.rootKey.jwk), 'dist/later.json': '{}' });
    const source = await serve(join(folder, 'dist'));
    for (const size of [3, 5]) {
      await log(await newStatement());
      const files = [...(await whole())].map(([path, bytes]) => [`dist/${path}`, bytes] as const);
      writeFiles(folder, Object.fromEntries(files));
      const args = ['mirror', source, 'mirror', '--trust-anchor', 'root.json', '--json'];
      const report = JSON.parse((await goodCli(args, folder)).stdout);
      expect(report).toMatchObject({ switched: true, log: { size } });
      expect(noted(report)).toEqual(['entry-unknown log/statements/1.jwt']);
      expect(existsSync(join(folder, 'mirror/current/later.json'))).toBe(false);
    }
  });
});
