import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  acceptHead,
  assertSignedByLog,
  type CosignatureRules,
  decodeUtf8,
  entryBytes,
  formatLogProof,
  formatNote,
  formatNoteKey,
  type NoteKey,
  newestCosignatures,
  type PublicationStatement,
  parseHead,
  parseLogProof,
  parseNoteKey,
  provesEntry,
  statementHash,
  verifyPublicationProof,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileGoLog, describeWithGo, type GoLog } from '../support/go-log.js';
import { invalid } from '../support/note-keys.js';
import {
  COSIGNED_SECONDS,
  fileReader,
  LOG_SIZES,
  logReader,
  provenFromTiles,
  readEntries,
  sampleEntry,
} from '../support/sample-log.js';
import { sha256 } from '../support/sha256.js';
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
    sequence: index,
    updatedAt: '2027-01-15T08:00:00Z',
    sha256: sha256(Buffer.from(`list ${index}`)),
    kid: '',
    previous: [],
    notBefore: 0,
    size: 1,
    issuers: 0,
    sumsSha256: '0'.repeat(64),
    levels: 0,
    aboutSha256: undefined,
    online: undefined,
    issuedAt: 0,
    text: `statement ${index}`,
    hash: statementHash(`statement ${index}`),
    log: { origin: ORIGIN, vkey },
  });

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
      await assertSignedByLog(head, parseNoteKey(vkey, 'log', invalid), invalid);
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
        expect(provesEntry(proof, entryBytes(sampleEntry(index)))).toBe(true);
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

    it('continues each smaller log', async () => {
      const head = loggedHead(headOf(size));
      for (const older of LOG_SIZES.filter((one) => one <= size)) {
        await acceptHead({ head, accepted: loggedHead(headOf(older)) }, read);
      }
    });
  });
});
