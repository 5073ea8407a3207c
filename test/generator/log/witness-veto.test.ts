import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { listen } from '../../support/serving.js';
import { claimsOf, statementIn } from '../../support/statements.js';
import { honestWitness, newWitnessKey, type WitnessKey } from '../../support/witness-app.js';
import { cli, filesOf, keyPair, workspace, writeFiles } from '../../support/workspace.js';

const NOBODY = 'http://127.0.0.1:1';

/** A registry over an old copy of its tree, and in `state` what its witness has cosigned. */
let made: string;
let folder: string;
let witness: WitnessKey;
let logKey: string;

const copy = (source: string, target: string) => {
  rmSync(join(folder, target), { recursive: true, force: true });
  cpSync(join(folder, source), join(folder, target), { recursive: true });
};

async function json(...args: readonly string[]) {
  const { code, stdout } = await cli([...args, '--json'], folder);
  return { ...JSON.parse(stdout), code };
}

const suspend = (id: string) => ['suspend', id, '--reason', 'leak', '--production'];

/** @param service - the URL of the witness; undefined for a log without one */
function configure(service: string | undefined): void {
  const witnesses = `, quorum: 1, witnesses: [{ key: ${witness.vkey}, service: '${service}' }]`;
  const log = `origin: registry.internal/log, signer: { key: log.pem }${service === undefined ? '' : witnesses}`;
  writeFiles(folder, {
    'registry.yaml': `root_key: root.json\nsigner: { key: root.pem }\nlog: { ${log} }\n`,
  });
}

/** The verifier key of the log of the tree. */
const vkeyOfLog = () =>
  claimsOf<{ log: { vkey: string } }>(statementIn(join(folder, 'dist'), 'publication')).log.vkey;

/** Starts the witness with the state in the folder. Returns its URL. */
const startWitness = () => listen(honestWitness(witness, join(folder, 'state'), [logKey]));

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'log', 'next']) await keyPair(folder, name);
  witness = await newWitnessKey('witness.example/w1');
  configure(undefined);
  expect(await json('build', '--production')).toMatchObject({ code: 0 });
  logKey = vkeyOfLog();
  configure(await startWitness());
  expect(await json('checkpoint')).toMatchObject({ code: 0 });
  copy('dist', 'old');
  expect(await json(...suspend('alpha'))).toMatchObject({ code: 0 });
  copy('dist', 'newest');
  copy('old', 'dist');
  made = folder;
});

let service: string;
beforeEach(async () => {
  folder = copyOf(made);
  service = await startWitness();
  configure(service);
});

const refused = { code: 1, error: { code: 'ERR_ALREADY_PUBLISHED' } };

describe('over a copy that lacks what a witness has cosigned', () => {
  it('nothing is added to the log, until the newest tree is there', async () => {
    const before = filesOf(join(folder, 'dist'));
    const record = readFileSync(join(folder, 'issuers/beta.yaml'), 'utf8');
    for (const args of [suspend('beta'), ['keys', 'rotate', '--yes', '--next-key', 'next.pem']]) {
      const outcome = await json(...args);
      // A refused command leaves its edit of the record.
      writeFiles(folder, { 'issuers/beta.yaml': record });
      expect(outcome, args.join(' ')).toMatchObject(refused);
      expect(outcome.error.message).toMatch(/w1 .* 2 entries/);
    }
    expect(filesOf(join(folder, 'dist'))).toEqual(before);
    copy('newest', 'dist');
    rmSync(join(folder, 'rotation'), { recursive: true, force: true });
    expect(await json(...suspend('beta'))).toMatchObject({ code: 0, log: { size: 3, cosigned: 1 } });
  });

  it('issuers can be held', async () => {
    expect(await json('hold', 'alpha')).toMatchObject({ code: 0, hold: ['alpha'] });
  });

  it('a log that forked while the witness was away is refused as well', async () => {
    configure(NOBODY);
    expect(await json(...suspend('beta'))).toMatchObject({ code: 6, log: { isForked: false } });
    configure(service);
    expect(await json('revoke', 'beta', '--reason', 'leak', '--production')).toMatchObject(refused);
  });

  it('a witness that is away stops nothing', async () => {
    configure(await listen((_request, response) => response.writeHead(503).end()));
    expect(await json(...suspend('beta'))).toMatchObject({ code: 6, log: { isForked: false } });
  });
});
