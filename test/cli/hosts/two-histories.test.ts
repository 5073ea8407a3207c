import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { plainHost } from '../../support/serving.js';
import { cli, clockAhead, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** Also where both sides have committed. */
const PULL = 'git pull --no-rebase --no-edit';
const NOBODY = 'http://127.0.0.1:1';

let folder: string;
let url: string;

async function json(args: readonly string[], minutes = 0) {
  const { code, stdout, stderr } = await cli([...args, '--json'], folder, clockAhead(minutes));
  return { stderr, ...JSON.parse(stdout), code };
}

/** Does something at a time of this day, in minutes, while the host is away. */
async function away(minutes: number, ...args: string[]): Promise<void> {
  configure(NOBODY);
  const { code, stderr } = await cli(args, folder, clockAhead(minutes));
  expect(code, stderr).toBe(0);
  configure(url);
}

const refused = { code: 1, error: { code: 'ERR_ALREADY_PUBLISHED' } };
const copy = (source: string, target: string) => {
  rmSync(join(folder, target), { recursive: true, force: true });
  cpSync(join(folder, source), join(folder, target), { recursive: true });
};

const commandsOf = (next: readonly { command?: string }[]) => next.map(({ command }) => command);

let more = '';
const configure = (base?: string) =>
  writeFiles(folder, {
    'registry.yaml': `root_key: root.json\nsigner: { key: root.pem }\n${base === undefined ? '' : `base_url: ${base}\n`}${more}`,
  });

const suspend = (id: string, ...where: string[]) => [
  'suspend',
  id,
  '--reason',
  'leak',
  '--production',
  ...where,
];
/** Another operator, with records of their own, whose tree is on the host. */
const THEM = ['--issuers', 'theirs', '--out', 'host'];

describe.each([
  ['with a log', 'log: { origin: registry.internal/log, signer: { key: log.pem } }\n'],
  ['without a log', ''],
])('a registry %s', (_name, log) => {
  const ONLINE = 'checkpoint: { signer: { key: online.pem }, public_key: online.json }\n';
  let made: string;

  beforeAll(async () => {
    folder = await workspace(['alpha', 'beta', 'gamma']);
    url = NOBODY;
    for (const name of ['root', 'online', 'log']) {
      const { stdout } = await cli(
        ['keys', 'generate', '--no-passphrase', '--private', `${name}.pem`],
        folder,
      );
      writeFiles(folder, { [`${name}.json`]: stdout });
    }
    more = `${ONLINE}${log}`;
    configure();
    expect(await json(['build', '--production'])).toMatchObject({ code: 0 });
    for (const [source, target] of Object.entries({ dist: 'host', issuers: 'theirs' })) copy(source, target);
    made = folder;
  });

  beforeEach(async () => {
    folder = copyOf(made);
    more = `${ONLINE}${log}`;
    url = await plainHost(join(folder, 'host'), 'index.html');
    configure(url);
  });

  it('is not said to have a status already by a tree that the host has left behind', async () => {
    const end = ['suspend', '--end', 'alpha', '--reason', 'fine', '--production'];
    await away(1, ...suspend('alpha'));
    for (const [source, target] of Object.entries({ dist: 'host', issuers: 'theirs' })) copy(source, target);
    await away(2, ...end, ...THEM);
    await away(3, ...suspend('beta', ...THEM));
    const newer = { code: 1, error: { message: expect.stringContaining('load the published tree first') } };
    const active = ['suspend', '--end', 'beta', '--reason', 'fine', '--production'];
    for (const args of [suspend('alpha'), active]) expect(await json(args, 4)).toMatchObject(newer);
    copy('theirs', 'issuers');
    const record = () => readFileSync(join(folder, 'issuers/alpha.yaml'), 'utf8');
    // The edit stays, and the same command is refused in the same way, although the older list says the same.
    for (let run = 0; run < 2; run++) {
      expect(await json(suspend('alpha'), 4)).toMatchObject({ ...refused, ...newer });
      expect(record()).toContain('status: suspended');
    }
    copy('host', 'dist');
    copy('theirs', 'issuers');
    expect(await json(end, 4)).toMatchObject({ code: 0 });
  });

  it('has two histories if two people publish over the same tree, and nothing is signed over one of them', async () => {
    await away(1, ...suspend('alpha', ...THEM));
    // Later, so that times would say that this one is newer.
    await away(2, ...suspend('beta'));
    const { code, live, next } = await json(['status'], 3);
    expect([code, live.level, live.comparedWithTree, live.keep]).toEqual([1, 'error', 'other', 'host']);
    expect(live).toMatchObject({
      message: `two histories: neither ${url} nor dist continues the other`,
      details: ['it suspends alpha, and dist does not; dist suspends beta, and it does not'],
    });
    const load = `mirror ${url} .* && mv dist \\S+ && cp -rL .* dist`;
    // What the root key stops again later is on hold until then.
    expect(next[0].command).toMatch(new RegExp(`${load} && npx passport-registry hold beta$`));
    const again = 'npx passport-registry suspend beta --reason "<REASON>" --production';
    expect(commandsOf(next).slice(1)).toEqual([PULL, again]);
    const { stdout } = await cli(['status'], folder, clockAhead(3));
    const lines = stdout.trimEnd().split('\n');
    const at = lines.findIndex((line) => line.startsWith('Next: '));
    // What is dangerous comes first, and nothing is longer than a terminal but the command.
    expect(lines.slice(0, 2).join()).toMatch(
      /^FAILED {2}live {8}two histories: .*, +it suspends alpha, .*not; dist/,
    );
    expect(lines[at + 1]).toBe(`  ${next[0].command}`);
    expect(lines.slice(at + 2, -1)).toEqual(['Then:', `  ${PULL}`, `  ${again}`]);
    const words = [...lines.slice(0, 2), lines[at], lines.at(-1)].map((line) => line?.length ?? 0);
    expect(Math.max(...words)).toBeLessThanOrEqual(100);
    for (const args of [
      ['build', '--production'],
      ['checkpoint'],
      ['hold', 'gamma'],
      suspend('gamma'),
      // `attach` would refuse to publish it.
      ['suspend', 'alpha', '--reason', 'leak', '--unsigned', 'request'],
    ]) {
      const tried = await json(args, 3);
      expect(tried).toMatchObject(refused);
      expect(tried.error.message).toContain('two histories');
    }
    copy('host', 'dist');
    expect(await json(['hold', 'beta'], 3)).toMatchObject({ code: 0 });
  });

  it('is one history if dist continues the host by one publication or by two', async () => {
    await away(1, ...suspend('alpha', ...THEM));
    for (const name of ['dist', 'issuers']) copy(name === 'dist' ? 'host' : 'theirs', name);
    for (const [minutes, ids] of [
      [2, ['beta']],
      [4, ['beta', 'gamma']],
    ] as const) {
      await away(minutes, ...suspend(String(ids.at(-1))));
      const { code, live, next } = await json(['status'], minutes + 1);
      expect([code, live.comparedWithTree, live.parts.isProven]).toEqual([1, 'older', true]);
      expect(live.message).toContain(`nobody stops ${ids.join(', ')} there yet`);
      expect(live.message).not.toContain('alpha');
      expect(next[0].command).toContain('--expect dist');
    }
    // The other way round, the host continues dist.
    copy('dist', 'later');
    copy('host', 'dist');
    copy('later', 'host');
    const { live, next } = await json(['status'], 6);
    expect([live.comparedWithTree, next[0].command]).toEqual([
      'newer',
      expect.stringContaining(`mirror ${url} `),
    ]);
    expect(await json(['checkpoint'], 6)).toMatchObject(refused);
  });

  it('goes on with the history of the host, which was seen, or with that of a mirror, and releases nobody', async () => {
    const again = (id: string) => `npx passport-registry suspend ${id} --reason "<REASON>" --production`;
    await away(1, ...suspend('alpha', ...THEM));
    await away(2, ...suspend('beta'));
    // A longer history, which nobody has seen.
    await away(3, ...suspend('gamma'));
    const { code, live, next } = await json(['status'], 4);
    expect([code, live.comparedWithTree, live.keep]).toEqual([1, 'other', 'host']);
    expect(commandsOf(next)).toEqual([
      expect.stringContaining(' && mkdir .passport-registry/replaced-'),
      ...[PULL, again('beta'), again('gamma')],
    ]);
    const mirrored = await json(['status', '--mirror', url], 4);
    expect([mirrored.live.keep, mirrored.next[0].command]).toEqual([
      ...['host', expect.stringContaining(' && mkdir .passport-registry/replaced-')],
    ]);
    copy('dist', 'mirror');
    const mirror = ['--mirror', await plainHost(join(folder, 'mirror'), 'index.html')];
    const own = await json(['status', ...mirror], 4);
    expect([own.live.keep, own.mirrors[0].level]).toEqual(['tree', 'error']);
    const publish = expect.stringContaining(`verify ${url} --expect dist`);
    expect(commandsOf(own.next)).toEqual([again('alpha'), publish]);
    expect(own.next[0].reason).toContain('git pull');
    // Nothing else is signed over dist.
    expect(await json(['build', '--production'], 5)).toMatchObject(refused);
    expect(await json(['hold', 'gamma'], 5)).toMatchObject(refused);
    expect(await json(['hold', 'alpha'], 5)).toMatchObject({ code: 0 });
    expect(await json(suspend('alpha'), 6)).toMatchObject({ code: 0 });
    const { live: then, next: last } = await json(['status', ...mirror], 7);
    expect(then.message).not.toContain('it suspends alpha');
    expect(commandsOf(last).at(-1)).toEqual(publish);
  });

  it('does not repeat a suspension that the other history has ended', async () => {
    await away(1, ...suspend('gamma'));
    for (const [source, target] of Object.entries({ dist: 'host', issuers: 'theirs' })) copy(source, target);
    await away(2, 'suspend', '--end', 'gamma', '--reason', 'new keys', '--production', ...THEM);
    await away(3, ...suspend('beta'));
    const { live, next } = await json(['status'], 4);
    expect([live.keep, live.details]).toEqual([
      'host',
      [expect.stringContaining('dist suspends beta, gamma')],
    ]);
    expect(commandsOf(next).filter((command) => command?.includes(' suspend '))).toEqual([
      expect.stringContaining('suspend beta'),
    ]);
  });

  it('is an error of a mirror that has the other history by one publication', async () => {
    await away(1, ...suspend('alpha', ...THEM));
    await away(2, ...suspend('beta'));
    const mirror = await plainHost(join(folder, 'dist'), 'index.html');
    const { mirrors, live } = await json(['status', '--mirror', mirror], 3);
    expect([live.keep, mirrors[0].level, mirrors[0].host.isForked]).toEqual(['tree', 'error', true]);
    const asked = await json(['mirror', 'status', url, mirror, '--root-key', 'root.json'], 3);
    expect([asked.code, asked.mirrors[1].state]).toEqual([1, 'altered']);
  });

  /** A publication that changes no status, of which changes.json says nothing. */
  async function contact(minutes: number, issuers: string, out: string): Promise<void> {
    const text = `${recordText('gamma')}contact: operator-${minutes}@gamma.internal\n`;
    writeFiles(folder, { [`${issuers}/gamma.yaml`]: text });
    await away(minutes, 'build', '--production', '--issuers', issuers, '--out', out);
  }

  it('is one history by the publications that each one names before it', async () => {
    await contact(1, 'theirs', 'host');
    copy('host', 'dist');
    for (const minutes of [2, 3]) await contact(minutes, 'issuers', 'dist');
    const { code, live } = await json(['status'], 4);
    expect([code, live.comparedWithTree, live.parts.isProven]).toEqual([0, 'older', true]);
    expect(live.message).not.toContain('by its number or time only');
    expect(await json(['checkpoint'], 4)).toMatchObject({ code: 0, warnings: [] });
  });

  it('names whom it releases, also where it continues the host', async () => {
    await away(1, ...suspend('alpha', ...THEM));
    copy('host', 'dist');
    await away(2, 'suspend', '--end', 'alpha', '--reason', 'new keys', '--production');
    const { live } = await json(['status'], 3);
    expect([live.comparedWithTree, live.level]).toEqual(['older', 'warning']);
    expect(live.message).toContain('it suspends alpha, and dist does not');
  });

  it('is another history if it never had what the host serves, however many publications it has', async () => {
    await away(1, ...suspend('alpha', ...THEM));
    for (const minutes of [2, 3, 4]) await contact(minutes, 'issuers', 'dist');
    const { code, live } = await json(['status'], 5);
    expect([code, live.comparedWithTree, live.keep]).toEqual([1, 'other', 'host']);
    expect(live.details).toEqual([expect.stringContaining('it suspends alpha, and dist does not')]);
  });

  it('does not take a later checkpoint on the host for a later publication', async () => {
    await away(1, ...suspend('beta'));
    await away(2, 'checkpoint', 'host');
    const { live, next } = await json(['status'], 3);
    expect(live.comparedWithTree).toBe('older');
    expect(next[0].command).toBe('npx passport-registry checkpoint dist');
    expect(await json(['checkpoint'], 3)).toMatchObject({ code: 0 });
    expect((await json(['status'], 4)).next[0].command).toContain('--expect dist');
  });
});

describe('records that are older than the published list', () => {
  beforeAll(async () => {
    folder = await workspace(['alpha', 'beta']);
    const { stdout } = await cli(['keys', 'generate', '--no-passphrase', '--private', 'root.pem'], folder);
    writeFiles(folder, { 'root.json': stdout });
    url = NOBODY;
    more = '';
    configure();
    expect(await json(['build', '--production'])).toMatchObject({ code: 0 });
    copy('issuers', 'old');
    await away(1, ...suspend('alpha'));
    copy('old', 'issuers');
    writeFiles(folder, { 'registry.yaml': 'root_key: root.json\nsigner: { key: root.pem }\n' });
  });
  // A refused command leaves its edit of the record.
  beforeEach(() => copy('old', 'issuers'));

  it('are not blamed if it is dist that is old', async () => {
    for (const name of ['dist', 'issuers']) copy(name, `kept-${name}`);
    copy('dist', 'host');
    await away(2, 'suspend', '--end', 'alpha', ...['--reason', 'new keys', '--production', '--out', 'host']);
    url = await plainHost(join(folder, 'host'), 'index.html');
    configure(url);
    const { code, error } = await json(suspend('beta'), 3);
    expect([code, error.code]).toEqual([1, 'ERR_ALREADY_PUBLISHED']);
    expect(error.message).toMatch(/load the published tree first, with `npx .* mirror /);
    expect(error.message).not.toMatch(/git pull|\n/);
    // It may be a thief who has ended the suspension.
    const { live } = await json(['status'], 3);
    expect([live.level, live.message]).toEqual([
      'error',
      expect.stringContaining('dist suspends alpha, and it'),
    ]);
    for (const name of ['dist', 'issuers']) copy(`kept-${name}`, name);
    url = NOBODY;
    writeFiles(folder, { 'registry.yaml': 'root_key: root.json\nsigner: { key: root.pem }\n' });
  });
});
