import {
  ANY_TIME,
  formatHistoryProof,
  verifyPeriod,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  anchorOf,
  codeOf,
  cosignedBy,
  delegationOf,
  historyWorld,
  type Parts,
  partsOf,
} from '../../support/history-proofs.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { issuer, testKey } from '../../support/publication.js';
import { placeOf } from '../../support/sums.js';
import { type Cosigning, noteSigner, TestLog } from '../../support/test-log.js';

let world: Awaited<ReturnType<typeof historyWorld>>;

beforeAll(async () => {
  world = await historyWorld();
});

/** Makes a text as long as wanted, in bytes of UTF-8. */
const padded = (text: string, bytes: number) => text + ' '.repeat(bytes - Buffer.byteLength(text));

describe('a proof is refused', () => {
  it('below the quorum of either head, whoever else has signed', async () => {
    const stranger = noteSigner('w9.example', 'witness');
    const impostor = noteSigner('w2.example', 'witness');
    const one: Cosigning[] = [[world.w1, '2026-03-01T10:00:00Z']];
    const weak: Cosigning[][] = [
      [],
      one,
      [...one, ...one],
      [...one, [stranger, '2026-03-01T10:00:00Z']],
      [...one, [impostor, '2026-03-01T10:00:00Z']],
    ];
    for (const cosigning of weak) {
      const first = await world.published(cosigning, world.late);
      expect(await codeOf(world.verify(partsOf(first.files, 'alpha', first)))).toBe(
        'ERR_TOO_FEW_COSIGNATURES',
      );
      const last = await world.published(world.early, cosigning);
      expect(await codeOf(world.verify(partsOf(last.files, 'alpha', last)))).toBe('ERR_TOO_FEW_COSIGNATURES');
    }
  });

  it('without a quorum, whatever its heads say', async () => {
    const { files, ...proofs } = await world.published(world.early, world.late);
    const parts = partsOf(files, 'alpha', proofs);
    const statement = await verifyPublicationStatement(parts.publication, world.root.rootKey, ANY_TIME);
    const trust = { origin: statement.log?.origin ?? '', witnesses: [], quorum: 0 };
    expect(await codeOf(verifyPeriod(statement, parts, trust))).toBe('ERR_TOO_FEW_COSIGNATURES');
  });

  it('if a later publication is in the last head, hidden or not', async () => {
    const { registry, files, first_proof } = await world.published(world.early, world.late);
    await registry.prepare({
      issuers: [issuer('alpha', { status: 'suspended' })],
      updatedAt: '2026-03-02T09:00:00Z',
    });
    await registry.append(delegationOf(1));
    const last_proof = await registry.log.proof(0, { size: 3, cosigned: world.late });
    const hidden: string[][] = [
      [],
      registry.log.texts.slice(1),
      registry.log.texts.slice(2),
      [JSON.stringify(delegationOf(9)), registry.log.texts[2] ?? ''],
      [registry.log.texts[2] ?? '', registry.log.texts[2] ?? ''],
    ];
    for (const later_entries of hidden) {
      const parts = partsOf(files, 'alpha', { first_proof, last_proof, later_entries });
      expect(await codeOf(world.verify(parts))).toBe('ERR_NOT_LOGGED');
      // A first proof in the same head hides nothing either.
      expect(
        await codeOf(
          world.verify({
            ...parts,
            first_proof: await registry.log.proof(0, { size: 3, cosigned: world.early }),
          }),
        ),
      ).toBe('ERR_NOT_LOGGED');
    }
  });

  it('if the first head is larger than the last, or holds other entries', async () => {
    const { registry, files, first_proof, last_proof } = await world.published(world.early, world.late);
    await registry.append(delegationOf(1));
    const larger = await registry.log.proof(0, { size: 2, cosigned: world.early });
    const parts = partsOf(files, 'alpha', { first_proof: larger, last_proof });
    expect(await codeOf(world.verify(parts))).toBe('ERR_LOG_INCONSISTENT');
    const fork = new TestLog(registry.log.signer);
    fork.append(
      registry.log.texts[0] ?? '',
      JSON.stringify(delegationOf(2)),
      JSON.stringify(delegationOf(3)),
    );
    const forked = {
      first_proof: larger,
      last_proof: await fork.proof(0, { size: 3, cosigned: world.late }),
      later_entries: fork.texts.slice(1),
    };
    expect(await codeOf(world.verify(partsOf(files, 'alpha', forked)))).toBe('ERR_NOT_LOGGED');
    const moved = new TestLog(registry.log.signer);
    moved.append(JSON.stringify(delegationOf(2)), registry.log.texts[0] ?? '');
    const elsewhere = {
      first_proof,
      last_proof: await moved.proof(1, { size: 2, cosigned: world.late }),
    };
    expect(await codeOf(world.verify(partsOf(files, 'alpha', elsewhere)))).toBe('ERR_LOG_INCONSISTENT');
  });

  it('if its two heads are of logs that differ before the publication', async () => {
    const { registry, files } = await world.published(world.early, world.late);
    const publication = registry.log.texts[0] ?? '';
    const texts = (count: number, other?: number) =>
      Array.from({ length: count }, (_one, at) => `entry ${at === other ? 'of the other log' : at}`);
    for (const count of [1, 2, 3, 4, 7]) {
      const log = new TestLog(registry.log.signer);
      log.append(...texts(count), publication, JSON.stringify(delegationOf(1)));
      const places = texts(count).flatMap((_text, other) =>
        [1, 2].map((more) => ({ other, size: count + more })),
      );
      for (const { other, size } of places) {
        const fork = new TestLog(registry.log.signer);
        fork.append(...texts(count, other), publication);
        const proofs = {
          first_proof: await fork.proof(count, { cosigned: world.early }),
          last_proof: await log.proof(count, { size, cosigned: world.late }),
          later_entries: log.texts.slice(count + 1, size),
        };
        const found = await codeOf(world.verify(partsOf(files, 'alpha', proofs)));
        expect([count, other, size, found]).toEqual([count, other, size, 'ERR_LOG_INCONSISTENT']);
        const good = {
          ...proofs,
          first_proof: await log.proof(count, { size: count + 1, cosigned: world.early }),
        };
        expect(await codeOf(world.verify(partsOf(files, 'alpha', good)))).toBe('accepted');
      }
    }
  });

  it('of another registry, of another log, and by another log key', async () => {
    const { files, first_proof, last_proof } = await world.published(world.early, world.late);
    const parts = partsOf(files, 'alpha', { first_proof, last_proof });
    const stranger = await testKey();
    expect(await codeOf(world.verify(parts, anchorOf(stranger, world.witnesses, 2)))).toBe(
      'ERR_PUBLICATION_INVALID',
    );
    expect(await codeOf(world.verify(parts, { ...world.anchor, log: 'other.example/log' }))).toBe(
      'ERR_NOT_LOGGED',
    );
    const other = await world.published(world.early, world.late);
    const swapped = { ...parts, first_proof: other.first_proof, last_proof: other.last_proof };
    expect(await codeOf(world.verify(swapped))).toBe('ERR_NOT_LOGGED');
    const without = new LoggedRegistry(world.root);
    await without.prepare({
      issuers: [issuer('alpha')],
      updatedAt: '2026-03-01T09:00:00Z',
      claims: { log: undefined } as never,
    });
    const proofs = {
      first_proof: await cosignedBy(without, world.early),
      last_proof: await cosignedBy(without, world.late),
    };
    expect(await codeOf(world.verify(partsOf(without.files, 'alpha', proofs)))).toBe('ERR_NOT_LOGGED');
  });

  it('with a record, or sums files, of another list', async () => {
    const { files, first_proof, last_proof } = await world.published(world.early, world.late, 2);
    const parts = partsOf(files, 'alpha', { first_proof, last_proof });
    const other = partsOf(files, 'beta', { first_proof, last_proof });
    const { record: _record, ...unrecorded } = parts;
    const cases: [Parts, string][] = [
      [{ ...parts, record: other.record ?? '' }, 'ERR_SUMS_MISMATCH'],
      [{ ...parts, record: `${parts.record} ` }, 'ERR_SUMS_MISMATCH'],
      [unrecorded, 'ERR_BUNDLE_INVALID'],
      [{ ...parts, sums: other.sums }, 'ERR_SUMS_MISMATCH'],
      [{ ...parts, sums: parts.sums.toReversed() }, 'ERR_SUMS_MISMATCH'],
      [{ ...parts, sums: parts.sums.slice(0, 2) }, 'ERR_BUNDLE_INVALID'],
      [{ ...parts, sums: [] }, 'ERR_BUNDLE_INVALID'],
      [{ ...parts, sums: [...parts.sums, 'x'] }, 'ERR_BUNDLE_INVALID'],
      [{ ...parts, sums: [...parts.sums, parts.sums[2] ?? ''] }, 'ERR_BUNDLE_INVALID'],
    ];
    for (const [altered, code] of cases) expect(await codeOf(world.verify(altered))).toBe(code);
    // Nothing can be added to the proof of an absence.
    const absent = partsOf(files, 'absent', { first_proof, last_proof });
    expect(await codeOf(world.verify(absent))).toBe('accepted');
    for (const more of [{ record: parts.record ?? '' }, { sums: [...absent.sums, absent.sums[0] ?? ''] }]) {
      expect(await codeOf(world.verify({ ...absent, ...more }))).toBe('ERR_BUNDLE_INVALID');
    }
  });

  it('with a surplus sums file whose position looks like a path', async () => {
    const [levels, id] = [
      1,
      ['alpha', 'beta', 'gamma', 'delta'].find((one) => /^[2-9]/.test(placeOf(one))) ?? '',
    ];
    const registry = new LoggedRegistry(world.root);
    await registry.prepare({ issuers: [issuer(id)], updatedAt: '2026-03-01T09:00:00Z', levels });
    const proofs = {
      first_proof: await cosignedBy(registry, world.early),
      last_proof: await cosignedBy(registry, world.late),
    };
    const parts = partsOf(registry.files, id, proofs);
    expect(await codeOf(world.verify(parts))).toBe('accepted');
    const [root = '', own = ''] = parts.sums;
    for (let more = 0; more < 10; more++) {
      const sums = [root, own, ...Array.from({ length: more }, () => 'x'), own];
      expect(await codeOf(world.verify({ ...parts, sums }))).toBe('ERR_BUNDLE_INVALID');
    }
  });

  it.each([
    ['not JSON', () => 'proof'],
    ['empty', () => ''],
    ['an array', (text: string) => `[${text}]`],
    ['with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['not UTF-8', () => Buffer.of(0x7b, 0xff, 0x7d)],
    ['with a member twice', (text: string) => text.replace('{', '{"record":"",')],
    ['with an unknown member', (text: string) => text.replace('{', '{"extra":"",')],
    ['of another version', (text: string) => text.replace('history-proof@v1', 'history-proof@v2')],
    ['with an id that is none', (text: string) => text.replace('"alpha"', '"../alpha"')],
    [
      'with entries that are not texts',
      (text: string) => text.replace('"later_entries":[]', '"later_entries":[{}]'),
    ],
    ['above a megabyte', (text: string) => padded(text, 1024 * 1024 + 1)],
    ['parsed already', (text: string) => JSON.parse(text)],
    ['nothing', () => undefined as never],
  ])('that is %s', async (_what, alter) => {
    const { files, first_proof, last_proof } = await world.published(world.early, world.late);
    const text = formatHistoryProof(partsOf(files, 'alpha', { first_proof, last_proof }));
    const trustAnchor = world.anchor;
    expect(await codeOf(verifyHistoryProof(alter(text), { trustAnchor }))).toBe('ERR_BUNDLE_INVALID');
    expect(await codeOf(verifyHistoryProof(padded(text, 1024 * 1024), { trustAnchor }))).toBe('accepted');
  });

  it.each(['first_proof', 'last_proof'] as const)('with a %s above the limit of proofs', async (member) => {
    const { files, first_proof, last_proof } = await world.published(world.early, world.late);
    const parts = partsOf(files, 'alpha', { first_proof, last_proof });
    // The line of a stranger, whose name is as long as wanted.
    const filled = (bytes: number) => {
      const [before, after] = [`${parts[member]}— `, ' c3RyYW5nZXI=\n'];
      return before + 'x'.repeat(bytes - Buffer.byteLength(before + after)) + after;
    };
    expect(await codeOf(world.verify({ ...parts, [member]: filled(65_536) }))).toBe('accepted');
    expect(await codeOf(world.verify({ ...parts, [member]: filled(65_537) }))).toBe('ERR_NOT_LOGGED');
  });

  it('with a sums file above the limit of sums files', async () => {
    const verified = async (count: number) => {
      const registry = new LoggedRegistry(world.root);
      // A line of a sums file has 64 + 2 + 8 + 32 + 1 bytes here.
      const issuers = Array.from({ length: count }, (_one, at) => issuer(String(at).padStart(32, '0')));
      await registry.prepare({ issuers, updatedAt: '2026-03-01T09:00:00Z', levels: 0 });
      const proofs = {
        first_proof: await cosignedBy(registry, world.early),
        last_proof: await cosignedBy(registry, world.late),
      };
      return codeOf(world.verify(partsOf(registry.files, 'absent', proofs)));
    };
    expect(await verified(Math.floor(262_144 / 107))).toBe('accepted');
    expect(await verified(Math.ceil(262_144 / 107))).toBe('ERR_BUNDLE_INVALID');
  });

  it('without a member', async () => {
    const { files, first_proof, last_proof } = await world.published(world.early, world.late);
    const whole = JSON.parse(formatHistoryProof(partsOf(files, 'alpha', { first_proof, last_proof })));
    for (const member of Object.keys(whole)) {
      const { [member]: _left, ...rest } = whole;
      const file = JSON.stringify(rest);
      expect(await codeOf(verifyHistoryProof(file, { trustAnchor: world.anchor })), member).toBe(
        'ERR_BUNDLE_INVALID',
      );
    }
  });

  it('without a trust anchor that names witnesses', async () => {
    const { root, log } = world.anchor;
    const refused = async (options: unknown) => codeOf(verifyHistoryProof('{}', options as never));
    for (const options of [undefined, {}, { trustAnchor: 'x' }, { trustAnchor: world.anchor, now: 1 }]) {
      expect(await refused(options)).toBe('ERR_OPTIONS_INVALID');
    }
    for (const trustAnchor of [{ root }, { root, log }]) {
      expect(await refused({ trustAnchor })).toBe('ERR_OPTIONS_INVALID');
    }
    for (const trustAnchor of [{}, { ...world.anchor, quorum: 4 }, { ...world.anchor, quorum: 0 }]) {
      expect(await refused({ trustAnchor })).toBe('ERR_TRUST_ANCHOR_INVALID');
    }
  });
});
