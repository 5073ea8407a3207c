import {
  type AnyEntry,
  beginLog,
  keysAt,
  type LogState,
  publicationEntry,
  rotationEntry,
  type WalkedEntry,
  walkLog,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { rotationStep, statement, type TestKey, testKey } from '../../support/publication.js';
import { sha256 } from '../../support/sha256.js';

/** An entry with its statement. */
type Stated = WalkedEntry & { readonly entry: AnyEntry; readonly statement: string };
type Claims = Readonly<Record<string, unknown>>;

/** The hash of a text, of a JWT without its signature. */
const hash = (text: string) => sha256(Buffer.from(text.split('.', 2).join('.')));
const date = (minute: number) => `2026-11-21T08:${String(minute).padStart(2, '0')}:00Z`;

let [first, second, third, stranger] = [] as unknown as [TestKey, TestKey, TestKey, TestKey];
const keys = {
  first: noteSigner('registry.example/log', 'log'),
  second: noteSigner('registry.example/log', 'log'),
};
const logOf = ({ key, vkey }: NoteSigner) => ({ origin: key.name, vkey });

async function publication(
  key: TestKey,
  number: number,
  before?: Stated,
  more: Claims = {},
): Promise<Stated> {
  const claims = {
    iat: number,
    sequence: number,
    updated_at: date(number),
    sha256: hash(`list ${number}`),
    size: 1,
    issuers: 0,
    sums_sha256: hash('sums'),
    levels: 0,
    log: logOf(keys.first),
    ...(before && { previous: [hash(before.statement)] }),
    ...more,
  };
  const text = await statement(key, 'registry-publication+jwt', claims);
  return {
    statement: text,
    entry: publicationEntry({ ...claims, updatedAt: claims.updated_at, hash: hash(text) }),
  };
}

async function rotation(key: TestKey, next: TestKey, step: number, more: Claims = {}): Promise<Stated> {
  const text = await rotationStep(key, next, { iat: 1, step, ...more });
  return { statement: text, entry: rotationEntry(text, next.rootKey.thumbprint, step) };
}

async function otherType(key: TestKey, typ = 'registry-more+jwt', named = 'more'): Promise<Stated> {
  const text = await statement(key, typ, { iat: 1 });
  const entry = { sha256: hash(text), type: named };
  return {
    statement: text,
    entry: { ...entry, type: 'unknown', named, text: JSON.stringify(entry) },
  };
}

/** A statement of a type that this version does not know. */
const note = (key: TestKey) => otherType(key, 'registry-note+jwt', 'note');

const begin = (...roots: TestKey[]) => beginLog({ keys: roots.map(({ rootKey }) => rootKey) });

/** Two publications, a note, a rotation, a note, a publication by the next root key, and a statement of another type. */
let log: Stated[];

beforeAll(async () => {
  [first, second, third, stranger] = await Promise.all([testKey(), testKey('p256'), testKey(), testKey()]);
  const [one, two] = [await publication(first, 1), await note(first)];
  const three = await publication(first, 3, one);
  const four = await rotation(first, second, 1, { next_roots: [third.rootKey.thumbprint] });
  const six = await publication(second, 1, three, { updated_at: date(6), log: logOf(keys.second) });
  log = [one, two, three, four, await note(second), six, await otherType(second)];
});

/** What is wrong with entries after the first ones of the log. */
async function problems(count: number, ...more: WalkedEntry[]): Promise<string[]> {
  const { state } = await walkLog(begin(first), log.slice(0, count));
  return (await walkLog(state, more)).problems.map(({ kind, index, rule }) => `${kind} ${index} ${rule}`);
}

describe('walkLog', () => {
  it('says what each statement says, and who signs from then on', async () => {
    const { verified, problems: found, state } = await walkLog(begin(first), log);
    expect(found).toEqual([]);
    expect(verified.map(({ index, type }) => [index, type])).toEqual([
      [0, 'publication'],
      [1, 'unknown'],
      [2, 'publication'],
      [3, 'rotation'],
      [4, 'unknown'],
      [5, 'publication'],
      [6, 'unknown'],
    ]);
    expect(verified.map((one) => one.type === 'publication' && one.publication.previous)).toEqual([
      ...[[], false, [hash(log[0]?.statement ?? '')], false],
      ...[false, [hash(log[2]?.statement ?? '')], false],
    ]);
    expect(state.inForce).toBe(second.rootKey.thumbprint);
    expect(state.roots.map(({ thumbprint }) => thumbprint)).toEqual(
      [first, second].map(({ rootKey }) => rootKey.thumbprint),
    );
    expect(state.roots[1]?.nextRoots).toEqual([third.rootKey.thumbprint]);
    expect(state.keys).toEqual([
      { vkey: keys.first.vkey, from: 1 },
      { vkey: keys.second.vkey, from: 6 },
    ]);
  });

  it('makes the entries from the statements, but those of other types', async () => {
    const statements = log.slice(0, 6).map(({ statement, entry }) => ({
      statement,
      ...(entry.type === 'unknown' && { entry }),
    }));
    const walk = await walkLog(begin(first), statements);
    expect(walk.verified.map(({ entry }) => entry)).toEqual(log.slice(0, 6).map(({ entry }) => entry));
    expect(await problems(6, { statement: log[6]?.statement })).toEqual(['entry 6 log-statements']);
  });

  it('knows the place of an entry whose statement is refused', async () => {
    const before = log[5];
    const later = await publication(second, 7, before, { log: logOf(keys.second) });
    expect(await problems(7, later)).toEqual([]);
    const found = await problems(7, await publication(stranger, 9), later);
    expect(found[0]).toBe('signature 7 log-statements');
    expect(found.slice(1)).toContain('order 8 log-order');
  });

  it('has the same result in batches of any size, and after the state was JSON', async () => {
    const bad = [await publication(stranger, 9), await note(second), await publication(second, 1)];
    const all = [...log, ...bad, ...log.map(({ entry }) => ({ entry }))];
    const whole = await walkLog(begin(first), all);
    const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: all.length, maxLength: all.length });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (counts, isStored) => {
        let state: LogState = begin(first);
        const [verified, found]: unknown[][] = [[], []];
        for (let at = 0, turn = 0; at < all.length; at += counts[turn++] ?? 1) {
          const walk = await walkLog(state, all.slice(at, at + (counts[turn] ?? 1)));
          verified?.push(...walk.verified.map(({ index, entry, type }) => [index, entry, type]));
          found?.push(...walk.problems);
          state = isStored ? JSON.parse(JSON.stringify(walk.state)) : walk.state;
        }
        expect(found).toEqual(whole.problems);
        expect(verified).toEqual(whole.verified.map(({ index, entry, type }) => [index, entry, type]));
        expect(JSON.parse(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(whole.state)));
      }),
      { numRuns: 12 },
    );
    expect(whole.problems.length).toBeGreaterThan(3);
  });

  it('never changes a state', async () => {
    const state = begin(first);
    const before = JSON.stringify(state);
    await walkLog(state, log);
    expect(JSON.stringify(state)).toBe(before);
  });
});

describe('the signer of an entry', () => {
  it('is shown without what could steer a terminal', async () => {
    const named = { ...stranger.rootKey, thumbprint: '\u001b[2J\nOK' };
    const walk = await walkLog(begin(first), [log[0] as Stated, await note({ ...stranger, rootKey: named })]);
    expect(walk.problems[0]?.message).toContain('is signed by "\\u001b[2J\\nOK", but');
  });

  it('is any of the known root keys at the first entry, unless one is in force', async () => {
    const one = await publication(second, 1);
    expect((await walkLog(begin(first, second), [one])).problems).toEqual([]);
    const pinned = beginLog({ keys: [first.rootKey, second.rootKey], inForce: first.rootKey });
    expect((await walkLog(pinned, [one])).problems).toHaveLength(1);
  });

  it('cannot be verified while it is a first root key that nobody knows, and only then', async () => {
    const unknown = { keys: [second.rootKey], unknown: first.rootKey.thumbprint };
    expect((await walkLog(beginLog(unknown), log)).problems).toEqual([]);
    expect((await walkLog(begin(second), log)).problems.length).toBeGreaterThan(0);
    const { problems: found } = await walkLog(beginLog(unknown), [...log, await note(first)]);
    expect(found.map(({ kind, index }) => [kind, index])).toEqual([['signature', 7]]);
    const entries = log.slice(0, 4).map(({ entry }) => ({ entry }));
    const back = { entry: rotationEntry('x', first.rootKey.thumbprint, 2) };
    const forged = { statement: (await note({ ...stranger, rootKey: first.rootKey })).statement };
    const looped = await walkLog(beginLog(unknown), [...entries, back, forged]);
    expect(looped.problems.map(({ kind }) => kind)).toEqual(['signature']);
  });

  it('cannot be verified: its rotation makes no key known, and commits none', async () => {
    const committed = { ...second.rootKey, nextRoots: [third.rootKey.thumbprint] };
    const unknown = beginLog({ keys: [committed], unknown: first.rootKey.thumbprint });
    const impostor = { ...stranger, rootKey: first.rootKey };
    const step = await rotation(impostor, second, 1, { next_roots: [stranger.rootKey.thumbprint] });
    const walk = async (next: TestKey) =>
      walkLog(unknown, [step, await rotation(second, next, 2), await note(next)]);
    const { problems: none, state } = await walk(third);
    expect(none).toEqual([]);
    expect(state.roots.map(({ nextRoots }) => nextRoots)).toEqual([committed.nextRoots, undefined]);
    expect((await walk(stranger)).problems.map(({ code }) => code)).toContain('ERR_ROTATION_NOT_COMMITTED');
    const elsewhere = [await rotation(impostor, stranger, 1), await note(stranger)];
    expect((await walkLog(unknown, elsewhere)).problems.map(({ kind }) => kind)).toEqual([
      'entry',
      'signature',
    ]);
  });

  it('was verified before: then only the signature of a rotation step is verified again', async () => {
    const impostor = { ...stranger, rootKey: first.rootKey };
    const isVerified = true;
    expect(await problems(3, { ...(await note(impostor)), isVerified })).toEqual([]);
    expect(await problems(3, { ...(await note(stranger)), isVerified })).toHaveLength(1);
    expect(await problems(3, { ...(await rotation(impostor, third, 1)), isVerified })).toHaveLength(1);
    const orphan = await publication(impostor, 5, log[0] as Stated);
    expect(await problems(3, { ...orphan, isVerified })).toEqual(['order 3 log-order']);
  });
});

describe('an entry', () => {
  it('of another type says nothing of a claim that has no canonical form', async () => {
    const unsigned = beginLog({ keys: [second.rootKey], unknown: first.rootKey.thumbprint });
    const text = await statement(first, 'registry-more+jwt', { iat: 1, note: '\ud800' });
    const saying = (note: string): AnyEntry => {
      const members = { note, sha256: hash(text), type: 'more' };
      return { ...members, type: 'unknown', named: 'more', text: JSON.stringify(members) };
    };
    const walk = await walkLog(unsigned, [{ statement: text, entry: saying('x') }]);
    expect(walk.problems.map(({ message }) => message)).toEqual([
      'its statement does not say what the entry says',
    ]);
  });

  it('of another type has a statement of another type', async () => {
    const good = await otherType(first);
    expect(await problems(3, good)).toEqual([]);
    const long = await otherType(first, 'registry-old-registry-checkpoint+jwt', 'old-registry-checkpoint');
    expect(await problems(3, long)).toEqual([]);
    const [known, hidden] = [
      await rotation(first, second, 1),
      await otherType(first, 'registry-checkpoint+jwt'),
    ];
    expect(
      await problems(3, { ...known, entry: { ...good.entry, sha256: known.entry.sha256 } }),
    ).toHaveLength(1);
    expect(await problems(3, hidden)).toEqual(['entry 3 log-statements']);
    expect(await problems(3, await otherType(first, 'more+jwt'))).toHaveLength(1);
    const { problems: found } = await walkLog(begin(first), [await otherType(first, 'registry-less+jwt')]);
    expect(found.map(({ message }) => message)).toEqual(['its statement does not say what the entry says']);
    const asRotation = {
      ...good,
      entry: { ...rotationEntry('x', second.rootKey.thumbprint, 1), sha256: good.entry.sha256 },
    };
    expect(await problems(3, asRotation)).toHaveLength(1);
  });
});

describe('the key of a log', () => {
  it('is the one that the newest publication before the head names', async () => {
    const { state } = await walkLog(begin(first), log);
    const at = (size: number) => keysAt(state.keys, size);
    expect([at(0), at(1), at(5), at(6), at(99)]).toEqual([
      ...[[keys.first.vkey], [keys.first.vkey], [keys.first.vkey]],
      ...[[keys.second.vkey], [keys.second.vkey]],
    ]);
    expect(keysAt([], 1)).toEqual([]);
  });
});
