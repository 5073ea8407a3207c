import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { onlyLogged } from '../../support/only-logged.js';
import { listen, plainHost } from '../../support/serving.js';
import { statementIn } from '../../support/statements.js';
import {
  newWitness,
  startWitness,
  type WitnessFiles,
  type WitnessProcess,
} from '../../support/witness-service.js';
import { cleanEnvironment, cli, cliWith, filesOf, workspace, writeFiles } from '../../support/workspace.js';

const NOBODY = 'http://127.0.0.1:1';

let made: { folder: string; witness: WitnessFiles };
let folder: string;
let files: WitnessFiles;
let witness: WitnessProcess;
let host: string;
let logKey: string;

const text = (path: string) => readFileSync(join(folder, path), 'utf8');
const copy = (source: string, target: string) => {
  rmSync(join(folder, target), { recursive: true, force: true });
  cpSync(join(folder, source), join(folder, target), { recursive: true });
};

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await cli([...args, '--json'], folder);
  return { stderr, ...JSON.parse(stdout), code };
}

const suspend = (id: string) => ['suspend', id, '--reason', 'leak', '--production'];

function configure(service: string, key = files.vkey): void {
  const settings = `origin: registry.internal/log, signer: { key: log.pem }, wait: 1, quorum: 1, witnesses: [{ key: ${key}, service: '${service}' }]`;
  const base = `root_key: root.json\nsigner: { key: root.pem }\n${host === '' ? '' : `base_url: ${host}\n`}`;
  writeFiles(folder, {
    'registry.yaml': `${base}log: { ${settings} }\ncheckpoint: { signer: { key: online.pem }, public_key: online.json }\n`,
  });
}

const start = () => startWitness(files, '--log', logKey);

/** The verifier key of the log of the tree. */
function vkeyOfLog(): string {
  const [, payload = ''] = statementIn(join(folder, 'dist'), 'publication').split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).log.vkey;
}

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta', 'gamma']);
  host = '';
  for (const name of ['root', 'log', 'online']) {
    const { stdout } = await cli(['keys', 'generate', '--no-passphrase', '--private', `${name}.pem`], folder);
    writeFiles(folder, { [`${name}.json`]: stdout });
  }
  files = await newWitness();
  configure(NOBODY);
  expect(await json('build', '--production')).toMatchObject({ code: 6 });
  logKey = vkeyOfLog();
  witness = await start();
  configure(witness.url);
  expect(await json('checkpoint')).toMatchObject({ code: 0 });
  await witness.end('SIGTERM');
  copy('dist', 'host');
  made = { folder, witness: files };
});

beforeEach(async () => {
  folder = copyOf(made.folder);
  files = { ...made.witness, folder: copyOf(made.witness.folder) };
  host = await plainHost(join(folder, 'host'), 'index.html');
  witness = await start();
  configure(witness.url);
  return async () => {
    await witness.end('SIGKILL');
  };
});

describe('a tree that lacks what a witness has cosigned', () => {
  beforeEach(async () => {
    expect(await json(...suspend('alpha'))).toMatchObject({ code: 0 });
    copy('dist', 'lost');
    copy('host', 'dist');
  });

  it('gets no second continuation: nothing is signed over it, and `status` says so', async () => {
    const before = [filesOf(join(folder, 'dist')), text('issuers/beta.yaml')] as const;
    for (const args of [
      ['build', '--production'],
      suspend('alpha'),
      suspend('beta'),
      ['revoke', 'beta', '--reason', 'leak', '--production'],
      ['suspend', 'beta', '--reason', 'leak', '--unsigned', 'request'],
    ]) {
      const { code, error } = await json(...args);
      // A refused command leaves its edit of the record.
      writeFiles(folder, { 'issuers/beta.yaml': before[1] });
      expect([args, code, error.code]).toEqual([args, 1, 'ERR_ALREADY_PUBLISHED']);
      expect(error.message).toMatch(
        /w1 has cosigned a head of this log with 2 entries, but the log has only 1: dist is an old copy, or the log is forked\. Nothing was signed: put the newest tree in the place of dist/,
      );
    }
    const rotate = ['keys', 'rotate', '--next-key', 'next.pem', '--next-no-passphrase', '--yes'];
    // Only a thief of the key is a reason to go on, and only people know that.
    expect(await json(...rotate)).toMatchObject({
      code: 2,
      error: { message: expect.stringMatching(/has cosigned a head .*Only if a thief of the root key/) },
    });
    expect([filesOf(join(folder, 'dist')), text('issuers/beta.yaml')]).toEqual(before);
    const { code, log, next } = await json('status');
    expect([code, log.level, log.isForked]).toEqual([1, 'error', true]);
    expect(next).toEqual([
      {
        reason: expect.stringMatching(
          /^build and publish nothing .*put the newest tree in the place of dist/,
        ),
      },
    ]);
    copy('lost', 'dist');
    expect(await json('status')).toMatchObject({ log: { level: 'ok' } });
    expect(await json(...suspend('beta'))).toMatchObject({ code: 0, log: { size: 3, cosigned: 1 } });
  });

  it('still gets a hold, which `status` publishes', async () => {
    const held = await json('hold', 'alpha');
    expect(held).toMatchObject({ code: 6, hold: ['alpha'] });
    expect(held.stderr).toContain('Run `status` now, and publish dist only if it says so');
    const { log, next } = await json('status');
    expect([log.isForked, next[0].command]).toEqual([
      true,
      expect.stringContaining(`verify ${host} --expect`),
    ]);
    copy('dist', 'host');
    expect((await json('status')).next).toEqual([
      { reason: expect.stringMatching(/^build and publish nothing/) },
    ]);
  });

  it('is refused without any host, too', async () => {
    host = NOBODY;
    configure(witness.url);
    expect(await json(...suspend('beta'))).toMatchObject({
      code: 1,
      error: { code: 'ERR_ALREADY_PUBLISHED' },
    });
    host = '';
    configure(witness.url);
    expect(await json(...suspend('beta'))).toMatchObject({
      code: 1,
      error: { code: 'ERR_ALREADY_PUBLISHED' },
    });
  });

  it('is forked for good if the witness was away meanwhile, and no command waits for it any more', async () => {
    configure(NOBODY);
    const away = await json(...suspend('beta'));
    expect(away).toMatchObject({ code: 6, log: { isForked: false, cosigned: 0 } });
    expect(away.stderr).toContain('when the witnesses are back');
    configure(witness.url);
    const { code, log, next } = await json('status');
    expect([code, log.level, log.isForked]).toEqual([1, 'error', true]);
    expect(log.message).toMatch(/another head of this log with 2 entries .*the log is forked/);
    expect(JSON.stringify(next)).not.toContain('checkpoint dist');
    expect(await json(...suspend('gamma'))).toMatchObject({
      code: 1,
      error: { code: 'ERR_ALREADY_PUBLISHED' },
    });
  });

  it.each([
    ['refuses the proof', 422, 'no\n'],
    ['has cosigned more', 409, '8\n'],
  ])('is not called unfinished if a witness that shows no head %s', async (_name, status, body) => {
    configure(
      await listen((request, response) =>
        response.writeHead(request.method === 'POST' ? status : 404).end(body),
      ),
    );
    const { code, log, stderr } = await json(...suspend('beta'));
    expect([code, log.isForked]).toEqual([6, true]);
    expect(stderr).toContain('A witness has cosigned what this log lacks');
    expect(stderr).not.toMatch(/witnesses are back|checkpoint|and publish/);
  });

  it('is known by a head of the log only: no witness can make one up', async () => {
    const head = `registry.internal/log\n8\n${Buffer.alloc(32).toString('base64')}\n\n— registry.internal/log ${Buffer.alloc(68).toString('base64')}\n`;
    configure(
      await listen((request, response) =>
        response.writeHead(request.method === 'POST' ? 503 : 200).end(head),
      ),
    );
    expect(await json(...suspend('beta'))).toMatchObject({ code: 6, log: { isForked: false } });
  });
});

it('a key file that others may read is named, and nothing is signed again for that', async () => {
  for (const name of ['online', 'log']) chmodSync(join(folder, `${name}.pem`), 0o644);
  const { level, next } = await json('status');
  expect([level, next.map(({ command }: { command?: string }) => command)]).toEqual([
    'warning',
    ['chmod 600 log.pem online.pem'],
  ]);
});

it('a publication that is only in the log is completed by a build in a copy without its names and reasons', async () => {
  await onlyLogged(join(folder, 'dist'), () => json(...suspend('alpha')));
  const names = [...filesOf(join(folder, 'dist')).keys()].filter((path) =>
    /^log\/pending\/.*about/.test(path),
  );
  for (const path of names) rmSync(join(folder, 'dist', path));
  const { log, next } = await json('status');
  expect([names.length > 0, log.needsBuild]).toEqual([true, true]);
  expect(next[0].command).toMatch(/^npx passport-registry build /);
  expect(await json('build', '--production')).toMatchObject({ code: 0, log: { cosigned: 1 } });
});

describe('a rotation over what a thief of the root key has published', () => {
  const rotate = ['keys', 'rotate', '--next-key', 'next.pem', '--next-no-passphrase', '--yes'];

  /** The thief has the key of the log, too. */
  async function rotateOverThief(): Promise<void> {
    const record = text('issuers/alpha.yaml');
    copy('dist', 'stolen');
    await json(...suspend('alpha'), '--out', 'stolen');
    writeFiles(folder, { 'issuers/alpha.yaml': record });
    copy('stolen', 'host');
    const stdin = Object.assign(Readable.from(['thief\n']), { isTTY: true });
    const io = { env: cleanEnvironment(), stdin };
    expect((await cliWith(rotate, folder, io)).code).toBe(6);
    copy('rotation/next.json', 'root.json');
    writeFiles(folder, { 'registry.yaml': text('registry.yaml').replace('root.pem', 'next.pem') });
  }

  const commands = async () => {
    const { log, next } = await json('status');
    return { log, said: JSON.stringify(next), commands: next.map(({ command = '' }) => command) };
  };

  it('is cosigned before it is copied, if no witness has seen the thief', async () => {
    await witness.end('SIGTERM');
    await rotateOverThief();
    witness = await start();
    writeFiles(folder, {
      'registry.yaml': text('registry.yaml').replace(/service: '\S+'/, `service: '${witness.url}'`),
    });
    const before = await commands();
    expect(before.said).toContain('collect the cosignatures. Do not publish dist before');
    expect(before.commands).toContain('npx passport-registry checkpoint dist');
    expect(await json('checkpoint')).toMatchObject({ code: 0 });
    expect((await commands()).said).not.toContain('cosignatures');
  });

  it('is copied all the same if one has, and issuers can be stopped over it', async () => {
    await rotateOverThief();
    const before = await commands();
    expect(before.log).toMatchObject({ level: 'warning', isForked: true, isOverThief: true });
    expect(before.said).not.toMatch(/cosignatures|replaced-/);
    expect(before.commands.at(-1)).toContain(`verify ${host} --expect dist`);
    copy('dist', 'host');
    const { said } = await commands();
    expect(said).not.toMatch(/cosignatures|replaced-|checkpoint dist/);
    const stopped = await json(...suspend('beta'));
    expect([stopped.code, stopped.stderr]).toEqual([
      6,
      expect.stringContaining('Publish nothing unless `status` says so'),
    ]);
    expect((await commands()).commands.at(0)).toContain(`verify ${host} --expect dist`);
  });
});
