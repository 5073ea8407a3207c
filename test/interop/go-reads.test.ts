import { join } from 'node:path';
import {
  entryBytes,
  formatLogProof,
  hashesFromTiles,
  inclusionProof,
  parseHead,
  tileReader,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { flipped } from '../support/altered.js';
import { compileGoLog, describeWithGo, type GoLog } from '../support/go-log.js';
import { logEntries } from '../support/log-files.js';
import { invalid, type NoteSigner, noteSigner } from '../support/note-keys.js';
import { fileReader, LOG_SIZES, provenFromTiles, samplesOf, writeSampleLog } from '../support/sample-log.js';
import { withKeys } from '../support/settings.js';
import { claimsOf, readTreeFile } from '../support/statements.js';
import { goodCli, recordText, temporaryFolder, workspace, writeFiles } from '../support/workspace.js';

const ORIGIN = 'registry.example/log';

describeWithGo('Go reads a log', () => {
  const log = noteSigner(ORIGIN, 'log');
  const witnesses = [1, 2].map((number) => noteSigner(`witness.example/w${number}`, 'witness'));
  const tree = temporaryFolder();
  const file = (path: string) => join(tree, path);
  let go: GoLog;
  let entries: readonly Uint8Array[];
  let heads: ReadonlyMap<number, string>;
  beforeAll(async () => {
    go = await compileGoLog();
    ({ entries, heads } = await writeSampleLog(tree, log, witnesses));
  });

  const publishHead = (size: number) => writeFiles(tree, { 'log/checkpoint': heads.get(size) ?? '' });
  const rootAt = (size: number) => parseHead(heads.get(size) ?? '', invalid).root;

  describe.each(LOG_SIZES)('of %i entries', (size) => {
    beforeAll(() => publishHead(size));

    it('and proves inclusion and consistency from the tiles, hash for hash', async () => {
      const { indexes, older } = samplesOf(size);
      const root = Buffer.from(rootAt(size)).toString('base64');
      expect(go(['prove', file('log'), log.vkey, indexes.join(), older.join()])).toEqual({
        output: { size, root, ...(await provenFromTiles(tree, size)) },
        problem: '',
      });
    });

    it('and computes the same tiles and the same root from the entries', () => {
      const { output, problem } = go(['replay', file('log'), log.vkey]);
      expect({ output, problem }).toMatchObject({ output: { size }, problem: '' });
    });
  });

  it('with a proof of each entry, and all cosignatures', async () => {
    const size = 257;
    const head = parseHead(heads.get(size) ?? '', invalid);
    const hashes = hashesFromTiles(size, tileReader(fileReader(tree)));
    const check = (by: readonly NoteSigner[]) =>
      go(['proof', file('proof'), by.map(({ vkey }) => vkey).join(), file('entry')]);
    for (const index of [0, 1, 128, 255, 256]) {
      const proof = formatLogProof({ index, path: await inclusionProof(index, size, hashes), head });
      writeFiles(tree, { proof, entry: entries[index] as Uint8Array });
      expect(check([log, ...witnesses])).toMatchObject({ output: { index, size }, problem: '' });
      const stranger = noteSigner('witness.example/w1', 'witness');
      expect(check([log, ...witnesses, stranger]).problem).toContain('3 of 4 keys have signed');
      writeFiles(tree, { entry: flipped(entries[index] as Uint8Array, 77) });
      expect(check([log]).output).toBe(undefined);
    }
  });
});

describeWithGo('Go reads the log of a published registry', () => {
  it('after each build', async () => {
    const go = await compileGoLog();
    const folder = await workspace(['alpha']);
    const good = async (...args: string[]) => (await goodCli(args, folder)).stdout;
    const dist = (path: string) => join(folder, 'dist', path);
    await good('keys', 'generate', '--no-passphrase', '--private', 'log.pem');
    for (const [index, id] of ['alpha', 'beta', 'gamma'].entries()) {
      writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id) });
      await good('build', '--key', 'key.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN }));
      const { log } = claimsOf(readTreeFile(dist('publication.jwt'))) as { log: { vkey: string } };
      expect(go(['replay', dist('log'), log.vkey])).toMatchObject({
        output: { size: index + 1 },
        problem: '',
      });
      expect(go(['prove', dist('log'), log.vkey, '0', '1'])).toMatchObject({ problem: '' });
      const entry = (await logEntries(dist('')))[index];
      const proofText = readTreeFile(dist('log/publication.tlog-proof'));
      writeFiles(folder, { entry: entryBytes(entry as never), proof: proofText });
      const proof = go(['proof', join(folder, 'proof'), log.vkey, join(folder, 'entry')]);
      expect(proof).toMatchObject({ output: { index, size: index + 1 }, problem: '' });
    }
  });
});
