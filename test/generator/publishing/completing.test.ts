import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cosigningService } from '../../support/cosigning-service.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
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

const dist = () => join(folder, 'dist');

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

describe('checkpoint that completes a publication', () => {
  it('says that the list has changed, and of which head the witnesses have cosigned', async () => {
    await good(...BUILD);
    change('suspended');
    await onlyLogged(dist(), () => good(...BUILD));
    const { code, stderr } = await cli(['checkpoint', '--online-key', 'key.pem'], folder);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('unchanged)')]);
    expect(stderr).toMatch(/^log {8}2 entries, cosigned by 1 witness, 1 of them/m);
  });

  it('counts the witnesses of the newest head, also if the proof is still for the one before', async () => {
    await good(...BUILD);
    clock = undefined;
    change('suspended');
    await onlyLogged(dist(), () => cli(BUILD, folder));
    const { stderr } = await cli(['checkpoint', '--online-key', 'key.pem'], folder);
    expect(stderr).toMatch(/^log {8}2 entries, cosigned by 0 /m);
  });
});
