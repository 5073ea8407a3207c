import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  acceptHead,
  assertSignedByLog,
  bundlePath,
  type CosignatureRules,
  decodeUtf8,
  entryBytes,
  formatLogProof,
  formatNote,
  formatNoteKey,
  type NoteKey,
  type NoteSignature,
  newestCosignatures,
  type PublicationStatement,
  parseHead,
  parseLogProof,
  parseNoteKey,
  provesEntry,
  type SignedHead,
  statementHash,
  verifyPublicationProof,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileGoLog, describeWithGo, type GoLog } from '../support/go-log.js';
import { flipped } from '../support/merkle.js';
import { invalid, noteSigner } from '../support/note-keys.js';
import { sha256 } from '../support/publication.js';
import {
  COSIGNED_SECONDS,
  fileReader,
  LOG_SIZES,
  logReader,
  placesOf,
  provenFromTiles,
  readEntries,
  sampleEntry,
} from '../support/sample-log.js';
import { rounds } from '../support/soak.js';
import { loggedHead } from '../support/test-log.js';
import { temporaryFolder } from '../support/workspace.js';

const ORIGIN = 'registry.example/log';

describeWithGo('a log that Go has written', () => {
  const tree = temporaryFolder();
  const read = fileReader(tree);
  const text = (path: string) => decodeUtf8(readFileSync(join(tree, 'log', path)));
  let go: GoLog;
  let vkey: string;
  let witnesses: readonly NoteKey[];
  let rules: CosignatureRules;
  beforeAll(async () => {
    go = await compileGoLog();
    const { output } = go(['write', join(tree, 'log'), ORIGIN, LOG_SIZES.join(), String(COSIGNED_SECONDS)]);
    const keys = output as { readonly vkey: string; readonly witnesses: readonly string[] };
    ({ vkey } = keys);
    witnesses = keys.witnesses.map((one) => parseNoteKey(one, 'witness', invalid));
    rules = { witnesses, quorum: 2, since: COSIGNED_SECONDS * 1000, until: COSIGNED_SECONDS * 1000 };
  });

  const headOf = (size: number) => parseHead(text(`heads/${size}`), invalid);
  /** The statement of an entry, as test/interop/log/write.go writes it. */
  const statementOf = (index: number): PublicationStatement => ({
    ...{ sequence: index, updatedAt: '2027-01-15T08:00:00Z', sha256: sha256(Buffer.from(`list ${index}`)) },
    ...{
      kid: '',
      previous: [],
      notBefore: 0,
      size: 1,
      issuers: 0,
      sumsSha256: '0'.repeat(64),
      levels: 0,
      aboutSha256: undefined,
      online: undefined,
    },
    ...{ issuedAt: 0, text: `statement ${index}`, hash: statementHash(`statement ${index}`) },
    log: { origin: ORIGIN, vkey },
  });
  const entryOf = (index: number) => entryBytes(sampleEntry(index));
  const isSigned = (head: SignedHead, by = vkey) =>
    assertSignedByLog(head, parseNoteKey(by, 'log', invalid), invalid).then(
      () => true,
      () => false,
    );
  const changing = (path: string, bit: number) => async (asked: string) => {
    const bytes = await read(asked);
    return asked === path && bytes !== undefined ? flipped(bytes, bit) : bytes;
  };

  it('has keys whose ids are computed the same', () => {
    const { name, jwk } = parseNoteKey(vkey, 'log', invalid);
    expect(formatNoteKey(name, 'log', jwk.x)).toBe(vkey);
    expect(witnesses.map((witness) => witness.name)).toEqual(['witness.example/w1', 'witness.example/w2']);
  });

  describe.each(LOG_SIZES)('with %i entries', (size) => {
    it('has a head that is signed and cosigned', async () => {
      const head = headOf(size);
      expect(head).toMatchObject({ origin: ORIGIN, size });
      expect(formatNote(head.note)).toBe(text(`heads/${size}`));
      expect(await isSigned(head)).toBe(true);
      expect(await newestCosignatures(head.note, rules)).toEqual([
        { witness: witnesses[0], time: COSIGNED_SECONDS * 1000 },
        { witness: witnesses[1], time: COSIGNED_SECONDS * 1000 },
      ]);
    });

    it('has the entries and the tiles of its head', async () => {
      const { entries } = await readEntries(logReader(read), headOf(size));
      expect(entries).toHaveLength(size);
      expect(entries.at(-1)).toEqual({ index: size - 1, entry: sampleEntry(size - 1) });
    });

    it('has proofs of its entries, which tiles prove the same', async () => {
      const { inclusion } = await provenFromTiles(tree, size);
      for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
        const proof = parseLogProof(text(`proofs/${size}-${index}`), invalid);
        expect(formatLogProof(proof)).toBe(text(`proofs/${size}-${index}`));
        const path = proof.path.map((hash) => Buffer.from(hash).toString('base64'));
        if (index in inclusion) expect(path).toEqual(inclusion[index]);
        expect(provesEntry(proof, entryOf(index))).toBe(true);
        expect(provesEntry(proof, entryOf(index + 1))).toBe(false);
        expect(provesEntry(proof, flipped(entryOf(index), 99))).toBe(false);
        const verified = verifyPublicationProof(text(`proofs/${size}-${index}`), statementOf(index), {
          ...rules,
          origin: ORIGIN,
        });
        // Only the last entry is the publication of a head.
        if (index === size - 1)
          expect(await verified).toMatchObject({ size, witnessedAt: COSIGNED_SECONDS * 1000 });
        else await expect(verified).rejects.toMatchObject({ code: 'ERR_NOT_LOGGED' });
      }
    });

    it('continues each smaller log, and no other', async () => {
      const head = loggedHead(headOf(size));
      for (const older of LOG_SIZES.filter((one) => one <= size)) {
        const accepted = loggedHead(headOf(older));
        await acceptHead({ head, accepted }, read);
        const other = { ...accepted, root: flipped(accepted.root, older % 256) };
        await expect(acceptHead({ head, accepted: other }, read)).rejects.toThrow(
          expect.objectContaining({ code: 'ERR_LOG_INCONSISTENT' }),
        );
      }
    });

    // Each attempt reads the whole log, which takes seconds for the largest. In a usual run, only the tile that no smaller
    // log has is changed there.
    const isQuick = size < 1000 || rounds({ usual: 0, soak: 1 }) === 1;

    it('is refused if a tile is changed', async () => {
      for (const index of isQuick ? new Set([0, size - 1]) : [0]) {
        for (const { path, own } of placesOf(index, size).slice(isQuick ? 0 : -1)) {
          await expect(readEntries(logReader(changing(path, own * 256 + 7)), headOf(size))).rejects.toThrow(
            'that does not belong to its entries',
          );
        }
      }
      const garbled = async (path: string) => (await read(path))?.map((byte) => byte ^ 1);
      for (const older of LOG_SIZES.filter((one) => one < size)) {
        const heads = { head: loggedHead(headOf(size)), accepted: loggedHead(headOf(older)) };
        await expect(acceptHead(heads, garbled)).rejects.toThrow(
          expect.objectContaining({ code: 'ERR_LOG_INCONSISTENT' }),
        );
      }
    });

    if (isQuick)
      it('is refused if an entry is changed', async () => {
        const index = size - 1 - ((size - 1) % 256);
        const damaged = changing(`log/${bundlePath({ index: index / 256, width: size - index })}`, 200);
        await expect(readEntries(logReader(damaged), headOf(size))).rejects.toThrow(
          'do not belong to its head',
        );
      });
  });

  it('is refused if its proof is changed', async () => {
    const size = 257;
    const proof = text(`proofs/${size}-256`);
    const verify = (content: string, changes: Partial<typeof rules & { readonly origin: string }> = {}) =>
      verifyPublicationProof(content, statementOf(256), {
        ...rules,
        origin: ORIGIN,
        ...changes,
      });
    expect(await verify(proof)).toMatchObject({ size });
    const lines = proof.split('\n');
    for (const [at, line] of lines.slice(0, lines.indexOf('')).entries()) {
      const other = line.startsWith('index')
        ? 'index 255'
        : line.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
      await expect(verify(lines.with(at, other).join('\n'))).rejects.toThrow(
        expect.objectContaining({ code: 'ERR_NOT_LOGGED' }),
      );
      await expect(verify(lines.toSpliced(at, 1).join('\n'))).rejects.toThrow(
        expect.objectContaining({ code: 'ERR_NOT_LOGGED' }),
      );
    }
    const head = lines.indexOf('') + 1;
    for (const [at, other] of [
      [0, 'other.example/log'],
      [1, '256'],
      [2, lines[2] ?? ''],
    ] as const) {
      await expect(verify(lines.with(head + at, other).join('\n'))).rejects.toThrow(
        expect.objectContaining({ code: 'ERR_NOT_LOGGED' }),
      );
    }
    const withHead = (path: string) => `${proof.slice(0, proof.indexOf('\n\n') + 2)}${text(path)}`;
    expect(await verify(withHead('heads/257'))).toMatchObject({ size });
    for (const other of [1, 255, 256, 70_000]) {
      await expect(verify(withHead(`heads/${other}`))).rejects.toThrow(
        expect.objectContaining({ code: 'ERR_NOT_LOGGED' }),
      );
    }
    await expect(verify(proof, { origin: 'other.example/log' })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_NOT_LOGGED' }),
    );
  });

  it('is refused if the key, the log or its witnesses are others', async () => {
    const head = headOf(256);
    expect(await isSigned(head, noteSigner(ORIGIN, 'log').vkey)).toBe(false);
    expect(await isSigned(head, noteSigner('other.example/log', 'log').vkey)).toBe(false);
    const [own, first, second] = head.note.signatures as [NoteSignature, NoteSignature, NoteSignature];
    for (const bit of [0, 255, 256, 511]) {
      const signatures = [{ ...own, signature: flipped(own.signature, bit) }];
      expect(await isSigned({ ...head, note: { ...head.note, signatures } })).toBe(false);
    }
    const counted = async (change: Partial<CosignatureRules>, signatures = [first, second]) =>
      (await newestCosignatures({ ...head.note, signatures }, { ...rules, ...change })).length;
    expect(await counted({})).toBe(2);
    expect(await counted({ quorum: 1 })).toBe(1);
    expect(await counted({}, [own, second])).toBe(1);
    expect(await counted({ since: COSIGNED_SECONDS * 1000 + 1 })).toBe(0);
    expect(await counted({ until: COSIGNED_SECONDS * 1000 - 1 })).toBe(0);
    expect(await counted({ witnesses: [noteSigner('witness.example/w1', 'witness').key] })).toBe(0);
    const later = (await newestCosignatures({ ...headOf(257).note, text: head.note.text }, rules)).length;
    expect(later).toBe(0);
    const stranger = noteSigner('witness.example/w3', 'witness').key;
    const proof = text('proofs/256-255');
    const demanded = { ...rules, witnesses: [...witnesses, stranger], quorum: 3, origin: ORIGIN };
    await expect(verifyPublicationProof(proof, statementOf(255), demanded)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_TOO_FEW_COSIGNATURES' }),
    );
  });
});
