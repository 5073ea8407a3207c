import {
  createRegistryClient,
  type Issuer,
  type NoUsableSource,
  type RegistryClient,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  checkpoint,
  type Files,
  issuer,
  statement,
  type TestKey,
  testKey,
  withRotation,
} from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { publishSummed, withStatement } from '../../support/summed-registry.js';

shortenRetries();

const BASE = 'https://registry.example/';
const [FIRST, SECOND, THIRD] = [
  '2026-11-21T08:00:00Z',
  '2026-11-21T09:00:00Z',
  '2026-11-21T10:00:00Z',
] as const;
/** 2026-11-21T08:00:00Z. */
const MADE = 1795248000;
const HOUR = 3600;
const NOW = MADE + 3 * HOUR;

let [root, next] = [] as unknown as [TestKey, TestKey];
beforeAll(async () => {
  [root, next] = await Promise.all([testKey(), testKey()]);
});

/** A publication with a statement. The sequence is the hour of the list, unless claims say otherwise. */
function publication(updatedAt: string, claims: object = {}, by = root, issuers?: Issuer[]): Promise<Files> {
  const sequence = Number(updatedAt.slice(11, 13));
  return publishSummed(by, issuers ?? [issuer(`at-${sequence}`)], {
    updatedAt,
    claims: { sequence, ...claims },
  });
}

/** Adds a checkpoint that names the list of some files. */
async function withCheckpointOf(files: Files, named: Files, claims: object = {}, by = root): Promise<Files> {
  const times = { iat: MADE, exp: MADE + 700 * HOUR };
  const payload = named.get('publication.jwt')?.toString().split('.')[1] ?? '';
  const sequence =
    payload === '' ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString()).sequence;
  const all = { ...times, ...(sequence !== undefined && { sequence }), ...claims };
  return new Map([...files, ['checkpoint.jwt', Buffer.from(await checkpoint(named, by, all))]]);
}

/** The rotation from the root key to the next. */
const step = () => statement(root, 'registry-root-rotation+jwt', { iat: MADE, next_root: next.rootKey.jwk });

const without = (files: Files, ...paths: string[]): Files =>
  new Map([...files].filter(([path]) => !paths.includes(path)));

/** A client whose source serves what the test says. Each step returns `accepted`, or the error code. */
function reader(options: Partial<RegistryClientOptions> = {}) {
  let files: Files = new Map();
  const asked: string[] = [];
  const client: RegistryClient = createRegistryClient({
    sources: [BASE],
    rootKey: root.rootKey.jwk,
    now: () => NOW * 1000,
    timeout: 2,
    fetch: async (input) => {
      const path = String(input).slice(BASE.length);
      asked.push(path);
      const bytes = files.get(path);
      return bytes === undefined ? new Response(null, { status: 404 }) : new Response(new Uint8Array(bytes));
    },
    ...options,
  });
  return {
    client,
    /** The paths that the client has asked for since the last call. */
    asked: () => asked.splice(0),
    serve: (served: Files) => {
      files = served;
    },
    read: async (served: Files) => {
      files = served;
      try {
        await client.refresh();
        return 'accepted';
      } catch (error) {
        return (error as NoUsableSource).errors?.[BASE]?.code ?? (error as Error).message;
      }
    },
  };
}

/** The verdicts on publications that a client reads one after the other. */
async function verdicts(...served: readonly Files[]): Promise<string[]> {
  const { client, read } = reader();
  const all: string[] = [];
  for (const files of served) all.push(await read(files));
  client.close();
  return all;
}

describe('a publication statement, at a first visit', () => {
  it('names the list: its hash, its size, its time and the number of its issuers', async () => {
    const files = await publication(FIRST);
    expect(await verdicts(files)).toEqual(['accepted']);
    for (const claims of [
      { sha256: '0'.repeat(64) },
      { size: 1 },
      { size: 1e6 },
      { updated_at: SECOND },
      { issuers: 2 },
    ]) {
      const other = await withStatement(files, root, { sequence: 8, ...claims });
      expect(await verdicts(other), JSON.stringify(claims)).toEqual(['ERR_PUBLICATION_MISMATCH']);
    }
  });

  it('is needed, and so is a checkpoint', async () => {
    const files = await publication(FIRST);
    expect(await verdicts(without(files, 'publication.jwt'))).toEqual(['ERR_PUBLICATION_MISSING']);
    expect(await verdicts(without(files, 'checkpoint.jwt'))).toEqual(['ERR_CHECKPOINT_MISSING']);
  });

  it('must be signed by the root key of the list, and by no other', async () => {
    const files = await publication(FIRST);
    expect(await verdicts(await withStatement(files, await testKey()))).toEqual(['ERR_PUBLICATION_INVALID']);
    expect(await verdicts(await withStatement(files, next))).toEqual(['ERR_PUBLICATION_INVALID']);
  });
});

describe('a publication statement, beside a checkpoint', () => {
  it('may be of the list that the checkpoint names, with the same or a later sequence', async () => {
    const files = await publication(FIRST);
    for (const [sequence, verdict] of [
      [7, 'accepted'],
      [8, 'accepted'],
      [undefined, 'ERR_CHECKPOINT_INVALID'],
      [9, 'ERR_CHECKPOINT_MISMATCH'],
    ] as const) {
      expect(await verdicts(await withCheckpointOf(files, files, { sequence })), String(sequence)).toEqual([
        verdict,
      ]);
    }
  });

  it('is accepted at once if it is newer, and refused if it is older', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    expect(await verdicts(await withCheckpointOf(second, first))).toEqual(['accepted']);
    expect(await verdicts(await withCheckpointOf(first, second))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
  });

  it('is refused if it is newer by one of sequence and time only', async () => {
    const first = await publication(FIRST);
    const sameSequence = await publication(SECOND, { sequence: 8 });
    expect(await verdicts(await withCheckpointOf(sameSequence, first))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
    const lowerSequence = await publication(SECOND, { sequence: 7 });
    expect(await verdicts(await withCheckpointOf(lowerSequence, first))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
    const sameTime = await publication(FIRST, { sequence: 9 }, root, [issuer('other')]);
    expect(await verdicts(await withCheckpointOf(sameTime, first))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
    const earlier = await publication('2026-11-21T07:00:00Z', { sequence: 9 });
    expect(await verdicts(await withCheckpointOf(earlier, first))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
  });

  it.each(['sha256', 'size'] as const)('is refused if only the %s of the list differs', async (claim) => {
    const files = await publication(FIRST);
    const other = claim === 'size' ? 1 : '0'.repeat(64);
    expect(await verdicts(await withCheckpointOf(files, files, { [claim]: other }))).toEqual([
      'ERR_CHECKPOINT_MISMATCH',
    ]);
  });

  it('stays newer than the checkpoint until the next checkpoint, and is read again and again', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    const behind = await withCheckpointOf(second, first);
    const renewed = await withCheckpointOf(second, first, { iat: MADE + HOUR });
    const caughtUp = await withCheckpointOf(second, second, { iat: MADE + 2 * HOUR });
    expect(await verdicts(await withCheckpointOf(first, first), behind, behind, renewed, caughtUp)).toEqual(
      Array.from({ length: 5 }, () => 'accepted'),
    );
    // The checkpoint itself does not go back.
    expect(await verdicts(renewed, behind)).toEqual(['accepted', 'ERR_CHECKPOINT_ROLLED_BACK']);
    // Not even for a newer list: an older checkpoint could release an issuer that is held.
    const backdated = await withCheckpointOf(second, second);
    expect(await verdicts(renewed, backdated)).toEqual(['accepted', 'ERR_CHECKPOINT_ROLLED_BACK']);
    expect(await verdicts(caughtUp, behind)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    const forged = await publication(FIRST, {}, root, [issuer('another-list-of-that-time')]);
    const another = await withCheckpointOf(second, forged);
    expect(await verdicts(behind, another)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
  });
});

describe('a client that has accepted a publication statement', () => {
  it('refuses one that says something else of the same list', async () => {
    const files = await publication(FIRST);
    for (const claims of [{ size: 1 }, { updated_at: SECOND }, { issuers: 2 }]) {
      const other = await withStatement(files, root, { sequence: 9, ...claims });
      const expected = ['accepted', 'ERR_PUBLICATION_MISMATCH'];
      expect(await verdicts(files, other), JSON.stringify(claims)).toEqual(expected);
    }
  });

  it('refuses a source without one, also under a new root key', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    expect(await verdicts(first, without(second, 'publication.jwt'))).toEqual([
      'accepted',
      'ERR_PUBLICATION_MISSING',
    ]);
    const rotated = withRotation(await publication(SECOND, {}, next), [await step()]);
    expect(await verdicts(first, without(rotated, 'publication.jwt'))).toEqual([
      'accepted',
      'ERR_PUBLICATION_MISSING',
    ]);
    expect(await verdicts(first, rotated)).toEqual(['accepted', 'accepted']);
  });

  it('refuses a lower sequence, and the same sequence with other claims', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    expect(await verdicts(second, first)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    expect(await verdicts(first, await publication(SECOND, { sequence: 8 }))).toEqual([
      'accepted',
      'ERR_PUBLICATION_ROLLED_BACK',
    ]);
    // Equal claims under another signature, with another header, are the same statement.
    const [, payload] = (first.get('publication.jwt') as Buffer).toString().split('.');
    const again = await withStatement(first, root, { sequence: 8 });
    expect((again.get('publication.jwt') as Buffer).toString().split('.')[1]).toBe(payload);
    expect(await verdicts(first, again, second)).toEqual(['accepted', 'accepted', 'accepted']);
    const later = await withStatement(first, root, { sequence: 8, iat: MADE + 1 });
    expect(await verdicts(first, later)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
  });

  it('accepts gaps, and a new statement of an unchanged list', async () => {
    const first = await publication(FIRST);
    const again = await withStatement(first, root, { sequence: 9 });
    const third = await publication(THIRD, { sequence: 2 ** 53 - 1 });
    expect(await verdicts(first, again, third)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await verdicts(again, first)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
  });

  it('refuses an older list, and another list of the same time, under a higher sequence', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    const older = await withStatement(first, root, { sequence: 10 });
    expect(await verdicts(second, older)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    const other = await publication(SECOND, { sequence: 10 }, root, [issuer('other')]);
    expect(await verdicts(second, other)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
  });

  it('refuses all of these by the statements alone, and asks for no list', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    const { client, read, asked } = reader();
    await read(second);
    asked();
    for (const files of [
      first,
      without(second, 'publication.jwt'),
      await withStatement(first, root, { sequence: 10 }),
      await publication(SECOND, { sequence: 10 }, root, [issuer('other')]),
    ]) {
      expect(await read(files)).toMatch(/^ERR_/);
      expect(asked().filter((path) => !/^(keys\/|checkpoint|publication)/.test(path))).toEqual([]);
    }
    client.close();
  });

  it('lets a rotation recover from a sequence that a thief has driven up, but not from a list', async () => {
    const stolen = await publication(SECOND, { sequence: 2 ** 53 - 1 });
    const steps = [await step()];
    const recovered = withRotation(await publication(THIRD, { sequence: 3 }, next), steps);
    const older = withRotation(await publication(FIRST, { sequence: 3 }, next), steps);
    expect(await verdicts(stolen, recovered)).toEqual(['accepted', 'accepted']);
    expect(await verdicts(stolen, older)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    // And nobody goes back to the old root key.
    expect(await verdicts(recovered, stolen)).toEqual(['accepted', expect.stringMatching(/^ERR_/)]);
  });

  it('remembers it across a restart', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    let saved: unknown;
    const store = {
      load: async () => saved as never,
      save: async (one: unknown) => {
        saved = one;
      },
    };
    const before = reader({ store });
    expect(await before.read(second)).toBe('accepted');
    before.client.close();
    for (const [files, verdict] of [
      [first, 'ERR_LIST_ROLLED_BACK'],
      [without(second, 'publication.jwt'), 'ERR_PUBLICATION_MISSING'],
      [second, 'accepted'],
    ] as const) {
      const after = reader({ store });
      after.serve(files);
      await after.client.ready();
      expect(await after.read(files)).toBe(verdict);
      after.client.close();
    }
  });
});

describe('the end of a publication statement', () => {
  it('ends the freshness of the list', async () => {
    const end = NOW + 60;
    const files = await publication(FIRST, { exp: end });
    let now = NOW;
    const { client, read } = reader({ now: () => now * 1000, grace: 0 });
    expect(await read(files)).toBe('accepted');
    expect(client.status().freshUntil?.getTime()).toBe(end * 1000);
    now = end + 300;
    expect(client.resolve('at-8')?.issuer_id).toBe('at-8');
    expect(await read(files)).toBe('ERR_PUBLICATION_EXPIRED');
    now = end + 300.001;
    expect(() => client.resolve('at-8')).toThrow('has not been fresh since');
    client.close();
  });

  it('does not prolong the checkpoint', async () => {
    const files = await publication(FIRST, { exp: NOW + 1e9 });
    const checked = await withCheckpointOf(files, files, { exp: NOW + 60 });
    const { client, read } = reader();
    expect(await read(checked)).toBe('accepted');
    expect(client.status().freshUntil?.getTime()).toBe((NOW + 60) * 1000);
    client.close();
  });
});

describe('which error code wins among the statements', () => {
  it('is that of the order in the protocol (rule statement-checks)', async () => {
    const first = await publication(FIRST);
    const held = await withCheckpointOf(first, first, { iat: MADE + HOUR });
    // From the last check to the first. Each publication has a fault more than the one before.
    const older = await publication('2026-11-21T07:00:00Z', { sequence: 12 });
    const atFloor = await withCheckpointOf(older, first, { iat: MADE + HOUR, sequence: 1 });
    expect(await verdicts(held, atFloor)).toEqual(['accepted', 'ERR_CHECKPOINT_MISMATCH']);
    const rolledBack = await publication(FIRST, { sequence: 1 });
    const mismatch = await withCheckpointOf(rolledBack, first, { iat: MADE + HOUR });
    expect(await verdicts(held, mismatch)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
    const checkpointBack = await withCheckpointOf(rolledBack, first, { iat: MADE });
    expect(await verdicts(held, checkpointBack)).toEqual(['accepted', 'ERR_CHECKPOINT_ROLLED_BACK']);
    expect(await verdicts(held, without(checkpointBack, 'publication.jwt'))).toEqual([
      'accepted',
      'ERR_PUBLICATION_MISSING',
    ]);
    expect(await verdicts(held, without(checkpointBack, 'publication.jwt', 'checkpoint.jwt'))).toEqual([
      'accepted',
      'ERR_CHECKPOINT_MISSING',
    ]);
    const invalid = new Map(checkpointBack).set('publication.jwt', Buffer.from('no JWT'));
    expect(await verdicts(held, without(invalid, 'checkpoint.jwt'))).toEqual([
      'accepted',
      'ERR_CHECKPOINT_MISSING',
    ]);
    const damaged = new Map(invalid).set('checkpoint.jwt', Buffer.from('no JWT'));
    expect(await verdicts(held, damaged)).toEqual(['accepted', 'ERR_CHECKPOINT_INVALID']);
  });
});
