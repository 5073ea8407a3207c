import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  entryBytes,
  formatHead,
  formatLogProof,
  formatSignature,
  hashesFromTiles,
  inclusionProof,
  type LogHead,
  type NoteSignature,
  parseHead,
  tileReader,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileGoLog, describeWithGo, type GoLog } from '../support/go-log.js';
import { logEntries } from '../support/log-files.js';
import { flipped } from '../support/merkle.js';
import { invalid, type NoteSigner, noteSigner, signedHead } from '../support/note-keys.js';
import {
  fileReader,
  LOG_SIZES,
  placesOf,
  provenFromTiles,
  samplesOf,
  whileChanged,
  writeSampleLog,
} from '../support/sample-log.js';
import { withKeys } from '../support/settings.js';
import { claimsOf } from '../support/signed-tree.js';
import { readTreeFile } from '../support/statements.js';
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
  const prove = (indexes: readonly number[], older: readonly number[] = [], vkey = log.vkey) =>
    go(['prove', file('log'), vkey, indexes.join(), older.join()]);
  const accepts = (index: number) => prove([index]).output !== undefined;

  describe.each(LOG_SIZES)('of %i entries', (size) => {
    beforeAll(() => publishHead(size));

    it('and proves inclusion and consistency from the tiles, hash for hash', async () => {
      const { indexes, older } = samplesOf(size);
      const root = Buffer.from(rootAt(size)).toString('base64');
      expect(prove(indexes, older)).toEqual({
        output: { size, root, ...(await provenFromTiles(tree, size)) },
        problem: '',
      });
    });

    it('and computes the same tiles and the same root from the entries', () => {
      const { output, problem } = go(['replay', file('log'), log.vkey]);
      expect({ output, problem }).toMatchObject({ output: { size }, problem: '' });
    });

    it('and refuses a changed tile', () => {
      for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
        expect([index, accepts(index)]).toEqual([index, true]);
        for (const { path, own } of placesOf(index, size)) {
          const width = readFileSync(file(path)).length / 32;
          // The hash of the entry itself is not read: Go computes it from the entry.
          const other = width === 1 ? 0 : (own + 1) % width;
          for (const bit of [0, 100, 255]) {
            const verdict = whileChanged(
              file(path),
              (bytes) => flipped(bytes, other * 256 + bit),
              () => prove([index]),
            );
            expect([path, verdict.problem]).toEqual([
              path,
              expect.stringMatching(/inconsistent tile|invalid transparency proof/),
            ]);
          }
        }
      }
      expect(go(['replay', file('log'), log.vkey]).problem).toBe('');
    });

    it('and refuses a tile that is too short', () => {
      const [{ path } = { path: '' }] = placesOf(0, size);
      expect(
        whileChanged(
          file(path),
          (bytes) => bytes.subarray(32),
          () => accepts(0),
        ),
      ).toBe(false);
    });

    it('and refuses a changed entry', () => {
      for (const index of [0, size - 1]) {
        const [{ path, own } = { path: '', own: 0 }] = placesOf(index, size);
        const bundle = file(path.replace('tile/0/', 'tile/entries/'));
        const before = entries.slice(index - own, index).reduce((sum, { length }) => sum + 2 + length, 0);
        for (const byte of [2, 100, 1 + (entries[index] as Uint8Array).length]) {
          const verdict = whileChanged(
            bundle,
            (bytes) => flipped(bytes, (before + byte) * 8),
            () => prove([index]),
          );
          expect(verdict.problem).toContain('invalid transparency proof');
        }
        const replayed = whileChanged(
          bundle,
          (bytes) => flipped(bytes, (before + 9) * 8),
          () => go(['replay', file('log'), log.vkey]),
        );
        expect(replayed.problem).toContain('the entries have the root');
      }
    });
  });

  it('with a proof of each entry, and all cosignatures', async () => {
    const size = 257;
    const head = parseHead(heads.get(size) ?? '', invalid);
    const hashes = hashesFromTiles(size, tileReader(fileReader(tree)));
    const check = (by: readonly NoteSigner[], path = 'proof') =>
      go(['proof', file(path), by.map(({ vkey }) => vkey).join(), file('entry')]);
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

  it('and refuses a changed head', () => {
    const size = 256;
    const head = heads.get(size) ?? '';
    const text = head.slice(0, head.indexOf('\n\n') + 1);
    const rest = signedHead(log, { size, root: rootAt(size) }).slice(text.length);
    const given = (content: string) => {
      writeFiles(tree, { 'log/checkpoint': content });
      return prove([0], [1, 255]).problem;
    };
    expect(given(text + rest)).toBe('');
    const changed = (more: Partial<LogHead>) =>
      formatHead({ origin: ORIGIN, size, root: rootAt(size), ...more });
    expect(given(changed({ size: 257 }) + rest)).toContain('invalid signature');
    expect(given(changed({ root: flipped(rootAt(size), 9) }) + rest)).toContain('invalid signature');
    expect(given(changed({ origin: 'other.example/log' }) + rest)).toContain('invalid signature');
    expect(given(`${text}more\n${rest}`)).toContain('invalid signature');
    const [line] = parseHead(text + rest, invalid).note.signatures as [NoteSignature];
    for (const bit of [0, 255, 256, 500]) {
      const wrong = formatSignature({ ...line, signature: flipped(line.signature, bit) });
      expect(given(`${text}\n${wrong}`)).toContain('invalid signature');
    }
    expect(given((text + rest).slice(0, -1))).toContain('malformed note');
    expect(given(text)).toContain('malformed note');
    expect(given(signedHead(log, { size: 257, root: rootAt(256) }))).toMatch(/inconsistent tile/);
    expect(given(signedHead(log, { size: 256, root: rootAt(257) }))).toMatch(/inconsistent tile/);
    expect(given(signedHead(log, { size, root: rootAt(size), origin: 'other.example/log' }))).toContain(
      'another origin',
    );
    expect(given(signedHead(noteSigner(ORIGIN, 'log'), { size, root: rootAt(size) }))).toContain(
      'no verifiable signatures',
    );
    expect(given(signedHead(noteSigner('x/log', 'log'), { size, root: rootAt(size) }))).toContain(
      'no verifiable',
    );
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
