import { formatHistoryProof } from '@passport-registry/verifier/core';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  anchorOf,
  codeOf,
  cosignedBy,
  delegationOf,
  historyWorld,
  partsOf,
  textOf,
} from '../../support/history-proofs.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { issuer, sha256, statement, testKey } from '../../support/publication.js';
import { placeOf } from '../../support/sums.js';
import type { Cosigning } from '../../support/test-log.js';

let world: Awaited<ReturnType<typeof historyWorld>>;

beforeAll(async () => {
  world = await historyWorld();
});

describe('a proof of the past', () => {
  it('shows the record of an issuer, and between which times it was in force', async () => {
    const { files, ...proofs } = await world.published(world.early, world.late);
    const { registry: _registry, ...texts } = proofs;
    expect(await world.verify(partsOf(files, 'alpha', texts))).toEqual({
      issuerId: 'alpha',
      issuer: issuer('alpha'),
      from: new Date('2026-03-01T10:00:02Z'),
      until: new Date('2026-03-08T10:00:01Z'),
      updatedAt: '2026-03-01T09:00:00Z',
      sha256: sha256(files.get('issuers.json') as Buffer),
      sequence: 1,
      rootKey: world.root.rootKey.thumbprint,
      witnesses: { from: ['w1.example', 'w2.example'], until: ['w1.example', 'w3.example'] },
    });
  });

  it('is text or bytes, with any white space between its members', async () => {
    const { files, first_proof, last_proof } = await world.published(world.early, world.late);
    const text = formatHistoryProof(partsOf(files, 'alpha', { first_proof, last_proof }));
    const expected = await world.verify(partsOf(files, 'alpha', { first_proof, last_proof }));
    const options = { trustAnchor: world.anchor };
    expect(await verifyHistoryProof(Buffer.from(text), options)).toEqual(expected);
    expect(await verifyHistoryProof(JSON.stringify(JSON.parse(text), null, 2), options)).toEqual(expected);
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(JSON.parse(text)).toSorted());
  });

  it.each([
    ['the leaf at the root does not name it', 0, 'absent'],
    ['a leaf does not name it', 1, undefined],
    ['the root does not list its branch', 1, 'other branch'],
  ])('shows that an issuer was not listed: %s', async (_how, levels, kind) => {
    const { files, first_proof, last_proof } = await world.published(world.early, world.late, levels);
    const branches = ['alpha', 'beta'].map((id) => placeOf(id)[0]);
    const ids = Array.from({ length: 1000 }, (_one, at) => `absent-${at}`);
    const inLeaf = (id: string) => branches.includes(placeOf(id)[0]);
    const id = ids.find((one) => levels === 0 || inLeaf(one) === (kind === undefined)) ?? '';
    const parts = partsOf(files, id, { first_proof, last_proof });
    expect(parts.sums.length).toBe(kind === undefined ? 2 : 1);
    expect(await world.verify(parts)).toMatchObject({ issuerId: id, issuer: undefined });
  });

  it('can be for a publication that delegations and a rotation step follow, but no publication', async () => {
    const registry = new LoggedRegistry(world.root);
    await registry.append(delegationOf(1));
    await registry.prepare({ issuers: [issuer('alpha')], updatedAt: '2026-03-01T09:00:00Z' });
    await registry.append(delegationOf(2));
    const first_proof = await cosignedBy(registry, world.early);
    await registry.append(delegationOf(3));
    await registry.rotate(await testKey());
    const last_proof = await cosignedBy(registry, world.late);
    const later_entries = registry.log.texts.slice(2);
    const parts = partsOf(registry.files, 'alpha', { first_proof, last_proof, later_entries });
    expect(await world.verify(parts)).toMatchObject({ from: new Date('2026-03-01T10:00:02Z') });
    for (const altered of [
      later_entries.slice(1),
      later_entries.slice(0, -1),
      later_entries.toReversed(),
      [...later_entries, later_entries[0] ?? ''],
      [later_entries[0] ?? '', ...later_entries.slice(2)],
    ]) {
      expect(await codeOf(world.verify({ ...parts, later_entries: altered }))).toBe('ERR_NOT_LOGGED');
    }
  });

  it('ends when the statement expires', async () => {
    const registry = new LoggedRegistry(world.root);
    const exp = Date.parse('2026-03-02T00:00:00Z') / 1000;
    await registry.prepare({
      issuers: [issuer('alpha')],
      updatedAt: '2026-03-01T09:00:00Z',
      claims: { exp },
    });
    const proofs = {
      first_proof: await cosignedBy(registry, world.early),
      last_proof: await cosignedBy(registry, world.late),
    };
    const parts = partsOf(registry.files, 'alpha', proofs);
    expect(await world.verify(parts)).toMatchObject({ until: new Date('2026-03-02T00:00:00Z') });
    await expect(world.verify({ ...parts, first_proof: parts.last_proof })).rejects.toMatchObject({
      code: 'ERR_TOO_FEW_COSIGNATURES',
      message:
        'the statement expired at 2026-03-02T00:00:00Z, before enough witnesses had cosigned it at 2026-03-08T10:00:03Z',
    });
  });

  it('is the same for every place of the publication, and for every size of both heads', async () => {
    for (let index = 0; index < 9; index++) {
      const registry = new LoggedRegistry(world.root);
      for (let at = 0; at < index; at++) await registry.append(delegationOf(at));
      await registry.publish({ issuers: [issuer('alpha')], updatedAt: '2026-03-01T09:00:00Z' });
      for (let at = index + 1; at < 18; at++) await registry.append(delegationOf(at));
      const { files } = registry;
      for (let size = index + 1; size <= 18; size++) {
        const first_proof = await registry.log.proof(index, {
          size: index + 1 + ((size * 7) % (size - index)),
          cosigned: world.early,
        });
        const last_proof = await registry.log.proof(index, { size, cosigned: world.late });
        const later_entries = registry.log.texts.slice(index + 1, size);
        const parts = partsOf(files, 'alpha', { first_proof, last_proof, later_entries });
        expect(await codeOf(world.verify(parts)), `${index} of ${size}`).toBe('accepted');
        const shorter = { ...parts, later_entries: later_entries.slice(0, -1) };
        if (size > index + 1) expect(await codeOf(world.verify(shorter))).toBe('ERR_NOT_LOGGED');
      }
    }
  });
});

describe('the times of a proof', () => {
  const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00Z`;

  it.each([
    ['two of two', [1, 2, undefined], [8, 9, undefined], 2, 8],
    ['the earliest two of three, and the newest two', [1, 2, 3], [7, 8, 9], 2, 8],
    ['in any order', [3, 1, 2], [9, 7, 8], 2, 8],
    ['different witnesses', [1, 2, undefined], [undefined, 8, 9], 2, 8],
    ['a single moment', [5, 5, 9], [1, 5, 5], 5, 5],
    ['one and the same head', [1, 2, 2], [1, 2, 2], 2, 2],
  ])('are when a quorum is complete: %s', async (_which, first, last, from, until) => {
    const cosigning = (minutes: readonly (number | undefined)[]) =>
      world.witnesses.flatMap((witness, index): Cosigning[] => {
        const minute = minutes[index];
        return minute === undefined ? [] : [[witness, at(minute)]];
      });
    const { files, first_proof, last_proof } = await world.published(cosigning(first), cosigning(last));
    expect(await world.verify(partsOf(files, 'alpha', { first_proof, last_proof }))).toMatchObject({
      from: new Date(at(from)),
      until: new Date(at(until)),
    });
  });

  it.each([
    [
      'the quorum of the first proof is complete after that of the last',
      [3, 5, undefined],
      [4, 9, undefined],
    ],
    ['the proofs are exchanged', [8, 9, undefined], [1, 2, undefined]],
    ['both are the same head, cosigned at two times', [1, 2, undefined], [1, 2, undefined]],
  ])('are refused if %s', async (_why, first, last) => {
    const cosigning = (minutes: readonly (number | undefined)[]) =>
      minutes.flatMap((minute, index): Cosigning[] => {
        const witness = world.witnesses[index];
        return minute === undefined || witness === undefined ? [] : [[witness, at(minute)]];
      });
    const { files, first_proof, last_proof } = await world.published(cosigning(first), cosigning(last));
    const parts = partsOf(files, 'alpha', { first_proof, last_proof });
    expect(await codeOf(world.verify(parts))).toBe('ERR_TOO_FEW_COSIGNATURES');
  });

  it('count the newest cosignature of a witness with several', async () => {
    const { w1, w2 } = world;
    const twice: Cosigning[] = [
      [w1, at(1)],
      [w1, at(4)],
      [w2, at(2)],
    ];
    const { files, first_proof, last_proof } = await world.published(twice, world.late);
    const { from } = await world.verify(partsOf(files, 'alpha', { first_proof, last_proof }));
    expect(from).toEqual(new Date(at(4)));
  });
});

describe('after rotations of the root key', () => {
  it('a proof leads from the pinned key to the one that signed, and no further', async () => {
    const [second, third, thief] = await Promise.all([testKey(), testKey('p256'), testKey()]);
    const registry = new LoggedRegistry(world.root);
    await registry.rotate(second);
    await registry.prepare({ issuers: [issuer('alpha')], updatedAt: '2026-03-01T09:00:00Z' });
    const proofs = {
      first_proof: await cosignedBy(registry, world.early),
      last_proof: await cosignedBy(registry, world.late),
    };
    const { files } = registry;
    const rotation = JSON.parse(textOf(files, 'keys/rotation.json'));
    const parts = partsOf(files, 'alpha', { ...proofs, rotation });
    const pinned = (root: typeof second) => anchorOf(root, world.witnesses, 2);
    expect(await world.verify(parts)).toMatchObject({ rootKey: second.rootKey.thumbprint });
    expect(await world.verify(parts, pinned(second))).toMatchObject({ rootKey: second.rootKey.thumbprint });
    expect(await codeOf(world.verify({ ...parts, rotation: [] }, pinned(second)))).toBe('accepted');
    expect(await codeOf(world.verify({ ...parts, rotation: [] }))).toBe('ERR_PUBLICATION_INVALID');
    expect(await codeOf(world.verify(parts, pinned(third)))).toBe('ERR_ROTATION_GAP');
    const step = (from: typeof second, to: typeof second, at: number) =>
      statement(from, 'registry-root-rotation+jwt', { iat: 1, step: at, next_root: to.rootKey.jwk });
    const further = [...rotation, await step(second, third, 2)];
    expect(await codeOf(world.verify({ ...parts, rotation: further }))).toBe('ERR_PUBLICATION_INVALID');
    const stolen = [await step(thief, second, 1)];
    expect(await codeOf(world.verify({ ...parts, rotation: stolen }))).toBe('ERR_ROTATION_GAP');
    const forged = [rotation[0].replace(/.$/, (last: string) => (last === 'A' ? 'g' : 'A'))];
    expect(await codeOf(world.verify({ ...parts, rotation: forged }))).toMatch(
      /^ERR_ROTATION_(SIGNATURE|INVALID)$/,
    );
    const loop = [...rotation, await step(second, world.root, 2)];
    expect(await codeOf(world.verify({ ...parts, rotation: loop }))).toBe('ERR_ROTATION_LOOP');
  });
});
