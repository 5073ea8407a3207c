import { appendFileSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cosigningService } from '../../support/cosigning-service.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { logEntries, logHead, problemsIn } from '../../support/log-files.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { operatorInCopies } from '../../support/operator.js';
import { listen, plainHost } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { cli, clockAhead, filesOf, keyedWorkspace, keyPair, writeFiles } from '../../support/workspace.js';

const ORIGIN = 'registry.example/log';
const BUILD = ['build', '--key', 'key.pem', ...withKeys({ log: 'log.pem', checkpoint: 'online.pem' })];
const ONLINE = ['--online-key', 'online.pem'];
const CHECKPOINT = ['checkpoint', ...ONLINE];

/** Two minutes ago, in seconds since 1970. A publisher takes no cosignature that is much older. */
const START = Math.floor(Date.now() / 1000) - 120;

const operator = operatorInCopies(() => keyedWorkspace(['alpha'], 'log', 'online'));
const { at, dist, read, run, good, refused, record: change, claims } = operator;
let witness: NoteSigner;
/** The clock of the witness, in seconds since 1970. Undefined while its answers are lost. */
let clock: number | undefined;
/** What happens elsewhere while the witness is asked. */
let meanwhile: (() => void) | undefined;
/** The heads that the witness was asked to cosign. */
let seen: string[];

const thumbprint = async (key: string) => JSON.parse((await good('keys', 'public', key)).stdout).kid;
const types = async () => (await logEntries(dist())).map(({ type }) => type);
function settings(service: string): void {
  writeFiles(at(), {
    'registry.yaml': `log:
  origin: ${ORIGIN}
  quorum: 1
  witnesses:
    - key: ${witness.vkey}
      service: ${service}
`,
  });
}

/** Runs a command that commits, and waits. Nothing that is published changes. */
async function waits(...args: string[]) {
  const before = existsSync(dist()) ? filesOf(dist()) : undefined;
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([6, expect.stringContaining('`checkpoint`')]);
  expect(existsSync(dist()) ? filesOf(dist()) : undefined).toEqual(before);
}

beforeEach(async () => {
  witness = noteSigner('witness.example', 'witness');
  clock = START;
  meanwhile = undefined;
  seen = [];
  const now = () => {
    meanwhile?.();
    return clock;
  };
  settings(await cosigningService(witness, now, seen));
});

/** Whatever was shown to a witness, the log has it: of each size, there is one head. */
async function assertOneHistory(): Promise<void> {
  const { note, size } = logHead(dist());
  const sizes = new Map<string, string>();
  for (const text of [...seen, note.text]) {
    const [, count = ''] = text.split('\n');
    expect(sizes.get(count) ?? text).toBe(text);
    expect(Number(count)).toBeLessThanOrEqual(size);
    sizes.set(count, text);
  }
  expect(await problemsIn(dist())).toEqual([]);
}

describe('a publication that waits for witnesses', () => {
  beforeEach(async () => {
    await good(...BUILD);
    change('beta');
    clock = undefined;
    await waits(...BUILD);
  });

  it('leaves the published tree as it is, as often as it is asked for', async () => {
    await waits(...BUILD);
    await waits(...BUILD, '--cosign-wait', '0');
    expect(await types()).toEqual(['publication']);
    expect(await problemsIn(dist())).toEqual([]);
    expect(new Set(seen).size).toBe(2);
  });

  it.each([
    ['the same command', BUILD],
    [
      'the same command without the key of the log',
      ['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'online.pem' })],
    ],
    ['checkpoint', CHECKPOINT],
  ])('is completed by %s when they are back, with the holds of that time', async (_what, command) => {
    const asked = seen.length;
    await good('hold', 'alpha', ...ONLINE);
    expect(claims('publication')).toMatchObject({ sequence: 1 });
    expect([claims('checkpoint')['hold'], seen.length]).toEqual([['alpha'], asked]);
    clock = START;
    await good(...command);
    expect(await types()).toEqual(['publication', 'publication']);
    expect(claims('publication')).toMatchObject({ sequence: 2 });
    expect(claims('checkpoint')['hold']).toEqual(['alpha']);
    const { changes } = JSON.parse(readFileSync(dist('changes.json'), 'utf8'));
    expect(changes).toMatchObject([{ issuer_id: 'beta' }]);
    await assertOneHistory();
    expect(existsSync(at('.dist.stage'))).toBe(false);
  });

  it('is followed by a later change, and both become visible together', async () => {
    change('gamma');
    await waits(...BUILD);
    change('delta');
    clock = START;
    await good(...BUILD);
    expect(await types()).toEqual(['publication', 'publication', 'publication', 'publication']);
    expect(claims('publication')['sequence']).toBe(4);
    expect(claims('publication')['previous']).toHaveLength(3);
    const { changes } = JSON.parse(readFileSync(dist('changes.json'), 'utf8'));
    const names = changes.map((one: { issuer_id: string }) => one.issuer_id);
    expect(names.sort()).toEqual(['beta', 'delta', 'gamma']);
    await assertOneHistory();
  });

  it('is followed also by the records that are published', async () => {
    change('beta', { status: 'suspended' });
    await waits(...BUILD);
    clock = START;
    await good(...CHECKPOINT);
    expect(JSON.parse(readFileSync(dist('issuers/beta'), 'utf8'))).toMatchObject({ status: 'suspended' });
    await assertOneHistory();
  });

  it('counts for the rules of change, although it is not published', async () => {
    change('alpha', { status: 'revoked' });
    await waits(...BUILD);
    change('alpha', { status: 'active' });
    const { stdout } = await refused([...BUILD, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'ERR_RECORDS_REJECTED' },
      diagnostics: [{ rule: 'revoked-is-final' }],
    });
  });

  it('counts for the end of a suspension, too', async () => {
    await waits('suspend', 'alpha', '--reason', 'leak', ...BUILD.slice(1));
    // The machine that ends it has a clock that is behind.
    const end = ['suspend', '--end', 'alpha', '--reason', 'new keys', ...BUILD.slice(1)];
    expect((await cli(end, at(), clockAhead(-1))).code).toBe(6);
    clock = START;
    await good(...CHECKPOINT);
    const { issuers } = JSON.parse(readFileSync(dist('about.json'), 'utf8'));
    expect(issuers).toEqual({ alpha: { reinstated: expect.any(String) } });
    await assertOneHistory();
  });

  it('lets `checkpoint` renew the published one meanwhile', async () => {
    const publication = read('publication.jwt');
    const { iat = 0 } = claims('checkpoint');
    const { code, stdout } = await cli([...CHECKPOINT, '--json'], at(), clockAhead(1));
    expect([code, JSON.parse(stdout)]).toMatchObject([6, { waits: true }]);
    expect(read('publication.jwt')).toEqual(publication);
    expect(claims('checkpoint').iat).toBeGreaterThan(iat);
    expect(await problemsIn(dist())).toEqual([]);
  });

  it.each([
    ['hold', ['hold', 'beta', ...ONLINE]],
    ['checkpoint', CHECKPOINT],
  ])(
    'keeps an earlier hold if no witness is demanded any more, and the next command is %s',
    async (_what, command) => {
      await good('hold', 'alpha', ...ONLINE);
      writeFiles(at(), { 'registry.yaml': `log: { origin: ${ORIGIN} }\n` });
      await run(...command);
      expect(claims('checkpoint')['hold']).toContain('alpha');
      await good(...CHECKPOINT);
      expect(claims('publication')).toMatchObject({ sequence: 2 });
      expect(claims('checkpoint')['hold']).toContain('alpha');
      await assertOneHistory();
    },
  );
});

describe('a hold that a colleague uploads while witnesses are asked', () => {
  beforeEach(async () => {
    await good(...BUILD);
    const [colleague, host] = [at('colleague'), at('host')];
    cpSync(dist(), host, { recursive: true });
    cpSync(dist(), join(colleague, 'dist'), { recursive: true });
    cpSync(at('online.pem'), join(colleague, 'online.pem'));
    // The hold is the newest checkpoint of all.
    expect((await cli(['hold', 'alpha', ...ONLINE], colleague, clockAhead(1))).code).toBe(0);
    appendFileSync(at('registry.yaml'), `base_url: ${await plainHost(host, 'index.html')}\n`);
    meanwhile = () => cpSync(join(colleague, 'dist'), host, { recursive: true });
    change('beta');
  });

  it('is not undone by a build, which leaves the rest to `checkpoint`', async () => {
    await waits(...BUILD);
    await good(...CHECKPOINT);
    expect(claims('publication')).toMatchObject({ sequence: 2 });
    expect(claims('checkpoint')['hold']).toEqual(['alpha']);
    await assertOneHistory();
  });

  it('is not undone by a list that was signed elsewhere', async () => {
    const how = ['--root-key', 'key.json', ...BUILD.slice(3)];
    await good('build', '--unsigned', 'request', ...how);
    await good('sign', 'request', '--key', 'key.pem', '--yes');
    await waits('attach', 'request', ...how);
    await good(...CHECKPOINT);
    expect(claims('publication')).toMatchObject({ sequence: 2 });
    expect(claims('checkpoint')['hold']).toEqual(['alpha']);
  });

  it.each([
    ['completes what waits', 2],
    ['has the published head cosigned again', 1],
  ])('is kept by a checkpoint that %s', async (_what, sequence) => {
    const upload = meanwhile;
    if (sequence === 2) {
      [clock, meanwhile] = [undefined, undefined];
      await waits(...BUILD);
      [clock, meanwhile] = [START, upload];
    }
    await good(...CHECKPOINT);
    expect(claims('publication')).toMatchObject({ sequence });
    expect(claims('checkpoint')['hold']).toEqual(['alpha']);
  });
});

describe('a first publication that waits for witnesses', () => {
  it.each([
    ['checkpoint', CHECKPOINT],
    ['the same command', BUILD],
  ])('is no tree, until %s completes it', async (_what, command) => {
    clock = undefined;
    await waits(...BUILD);
    expect(existsSync(dist())).toBe(false);
    expect((await run(...CHECKPOINT)).code).toBe(6);
    expect((await run('hold', 'alpha', ...ONLINE)).code).toBe(1);
    expect(existsSync(dist())).toBe(false);
    clock = START;
    await good(...command);
    expect(claims('publication')).toMatchObject({ sequence: 1 });
    await assertOneHistory();
  });
});

describe('a request whose publication waits for witnesses', () => {
  it('is completed by attaching it again, or by `checkpoint`', async () => {
    await good(...BUILD);
    for (const [at, command] of [
      ['attach', 'request-0', '--root-key', 'key.json', ...BUILD.slice(3)],
      CHECKPOINT,
    ].entries()) {
      change(`issuer-${at}`);
      await good('build', '--unsigned', `request-${at}`, '--root-key', 'key.json', ...BUILD.slice(3));
      await good('sign', `request-${at}`, '--key', 'key.pem', '--yes');
      clock = undefined;
      await waits('attach', `request-${at}`, '--root-key', 'key.json', ...BUILD.slice(3));
      clock = START;
      await good(...command);
      expect(claims('publication')).toMatchObject({ sequence: at + 2 });
    }
    await assertOneHistory();
  });
});

describe('a rotation that waits for witnesses', () => {
  it('leaves the tree to the outgoing key until `checkpoint` completes it', async () => {
    await good(...BUILD);
    await keyPair(at(), 'next');
    appendFileSync(at('registry.yaml'), 'root_key: key.json\nsigner: { key: key.pem }\n');
    const [outgoing, next] = await Promise.all(['key', 'next'].map((name) => thumbprint(`${name}.pem`)));
    clock = undefined;
    await waits('keys', 'rotate', '--yes', '--next-key', 'next.pem', ...BUILD.slice(3));
    expect(JSON.parse(readFileSync(dist('keys/root.json'), 'utf8'))).toMatchObject({ kid: outgoing });
    clock = START;
    await good(...CHECKPOINT);
    expect(JSON.parse(readFileSync(dist('keys/root.json'), 'utf8'))).toMatchObject({ kid: next });
    expect(JSON.parse(readFileSync(at('key.json'), 'utf8'))).toMatchObject({ kid: next });
    expect(await types()).toEqual(['publication', 'rotation', 'publication']);
    await assertOneHistory();
  });
});

describe('a publication that waits, of a registry without online keys', () => {
  it('gets the checkpoint of the next request, and is completed with it', async () => {
    const log = withKeys({ log: 'log.pem' });
    await good('build', '--key', 'key.pem', ...log);
    const sign = async (request: string, minutes: number) => {
      const how = ['--root-key', 'key.json', ...log];
      expect((await cli(['build', '--unsigned', request, ...how], at(), clockAhead(minutes))).code).toBe(0);
      await good('sign', request, '--key', 'key.pem', '--yes', '--memory', 'memory');
      return ['attach', request, ...how];
    };
    change('beta');
    clock = undefined;
    await waits(...(await sign('publication', 0)));
    await waits(...(await sign('again', 1)));
    clock = START;
    await good(...(await sign('last', 2)));
    expect(claims('publication')).toMatchObject({ sequence: 2 });
    expect(claims('checkpoint').iat).toBeGreaterThan(Date.now() / 1000 + 60);
    await assertOneHistory();
  });
});

describe('a quiet registry', () => {
  it('has its head cosigned again by `checkpoint`, which needs no key of the log', async () => {
    await good(...BUILD);
    const { text } = logHead(dist()).note;
    const proof = read('log/publication.tlog-proof');
    clock = START + 60;
    await good(...CHECKPOINT);
    expect(logHead(dist()).note.text).toBe(text);
    expect(read('log/publication.tlog-proof')).not.toEqual(proof);
    clock = undefined;
    const again = read('log/publication.tlog-proof');
    expect((await run(...CHECKPOINT)).code).toBe(0);
    expect(read('log/publication.tlog-proof')).toEqual(again);
    await assertOneHistory();
  });
});

describe('a log of which a witness has seen more', () => {
  it('is not extended', async () => {
    await good(...BUILD);
    settings(await listen((_request, response) => response.writeHead(422).end()));
    change('beta');
    expectCommandError(
      await refused([...BUILD, '--json']),
      'ERR_ALREADY_PUBLISHED',
      'witness.example',
      '`load`',
    );
    expect(existsSync(at('.dist.stage'))).toBe(false);
    // A new checkpoint would let clients believe the old copy.
    expectCommandError(await refused([...CHECKPOINT, '--json']), 'ERR_ALREADY_PUBLISHED', 'dist');
    // An issuer can be stopped meanwhile.
    await good('hold', 'alpha', ...ONLINE);
  });
});
