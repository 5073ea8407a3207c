import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLogProof } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { cosigningService } from '../../support/cosigning-service.js';
import { logHead, problemsIn } from '../../support/log-files.js';
import { invalid, type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { onlyLogged } from '../../support/only-logged.js';
import { withKeys } from '../../support/settings.js';
import { cli, goodCli, recordText, workspace, writeFiles } from '../../support/workspace.js';

const ORIGIN = 'registry.example/log';
const BUILD = ['build', '--key', 'key.pem', ...withKeys({ log: 'log.pem' }), '--allow-example-names'];

/** Two minutes ago, in seconds since 1970. A publisher takes no cosignature that is much older. */
const START = Math.floor(Date.now() / 1000) - 120;

let folder: string;
let witness: NoteSigner;
/** The clock of the witness, in seconds since 1970. Undefined while the witness is away. */
let clock: number | undefined;

const dist = (path = '') => join(folder, 'dist', path);
const read = (path: string) => readFileSync(dist(path), 'utf8');
const proofAt = (path: string) => parseLogProof(read(path), invalid);
const cosignedAt = (path: string) => {
  const [line] = proofAt(path).head.note.signatures.filter(({ name }) => name === witness.key.name);
  return line && Number(Buffer.from(line.signature).readBigUInt64BE(0));
};

beforeEach(async () => {
  folder = await workspace(['alpha']);
  witness = noteSigner('witness.example', 'witness');
  clock = START;
  const service = await cosigningService(witness, () => clock);
  writeFiles(folder, {
    'registry.yaml': `log:
  origin: ${ORIGIN}
  quorum: 1
  wait: 2
  witnesses:
    - key: ${witness.vkey}
      service: ${service}
`,
    'log.json': await good('keys', 'generate', '--no-passphrase', '--private', 'log.pem'),
  });
});

const good = async (...args: string[]) => (await goodCli(args, folder)).stdout;

const change = (status: string) =>
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status }) });

describe('the last proof of a publication', () => {
  it('has the cosignatures that the next publication collects before it', async () => {
    await good(...BUILD);
    clock = START + 60;
    change('suspended');
    await good(...BUILD);
    expect(cosignedAt('log/proofs/0/first.tlog-proof')).toBe(START);
    expect(cosignedAt('log/proofs/0/last.tlog-proof')).toBe(START + 60);
    expect(proofAt('log/proofs/0/last.tlog-proof').head.size).toBe(1);
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('does not delay a publication for longer than it waits, if the witness is away', async () => {
    await good(...BUILD);
    const proof = read('log/publication.tlog-proof');
    clock = undefined;
    change('suspended');
    const { stderr } = await cli(BUILD, folder);
    expect(stderr).toContain('Too few witnesses have cosigned');
    expect(read('log/proofs/0/last.tlog-proof')).toBe(proof);
    expect(logHead(dist()).size).toBe(2);
  });

  it.each([
    ['is kept when a hold is cosigned while another publication is pending', true],
    ['is kept with the head of a pending publication, cosigned or not', false],
  ])('%s', async (_name, hasCheckpoint) => {
    await good(...BUILD, ...(hasCheckpoint ? withKeys({ checkpoint: 'key.pem' }) : []));
    clock = START + 60;
    change('suspended');
    await onlyLogged(dist(), () => good(...BUILD));
    const proof = read('log/publication.tlog-proof');
    expect(cosignedAt('log/publication.tlog-proof')).toBe(START + 60);
    clock = START + 120;
    if (hasCheckpoint) {
      await good('hold', 'alpha', '--online-key', 'key.pem');
      expect(proofAt('log/publication.tlog-proof')).toMatchObject({ index: 0, head: { size: 2 } });
      expect(read('log/proofs/0/last.tlog-proof')).toBe(proof);
    }
    expect(await good('checkpoint', ...(hasCheckpoint ? ['--online-key', 'key.pem'] : []))).toBe('');
    expect(proofAt('log/publication.tlog-proof')).toMatchObject({ index: 1, head: { size: 2 } });
    expect(read('log/proofs/0/last.tlog-proof')).toBe(proof);
    expect(await problemsIn(dist())).toEqual([]);
  });
});

describe('checkpoint that completes a publication', () => {
  it('says that the list has changed, and of which head the witnesses have cosigned', async () => {
    await good(...BUILD);
    change('suspended');
    await onlyLogged(dist(), () => good(...BUILD));
    const { code, stderr } = await cli(['checkpoint'], folder);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('unchanged)')]);
    expect(stderr).toMatch(/^log {8}2 entries, cosigned by 1 witness, 1 of them/m);
  });

  it('counts the witnesses of the newest head, also if the proof is still for the one before', async () => {
    await good(...BUILD);
    clock = undefined;
    change('suspended');
    await onlyLogged(dist(), () => cli(BUILD, folder));
    const { stderr } = await cli(['checkpoint'], folder);
    expect(stderr).toMatch(/^log {8}2 entries, cosigned by 0 /m);
  });
});
