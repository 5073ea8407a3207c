import {
  createRegistryClient,
  type Issuer,
  type NoUsableSource,
  type RegistryClient,
  type RegistryClientOptions,
  type StoredPublication,
} from '@passport-registry/verifier';
import { statementHash } from '@passport-registry/verifier/core';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  checkpoint,
  type Files,
  issuer,
  statement,
  type TestKey,
  testKey,
  withOnlineKey,
  withRotation,
} from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { together } from '../../support/statements.js';
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

let [root, next, p256] = [] as unknown as [TestKey, TestKey, TestKey];
beforeAll(async () => {
  [root, next, p256] = await Promise.all([testKey(), testKey(), testKey('p256')]);
});

/** A publication with a checkpoint by its root key. The sequence is the hour of the list, unless claims say otherwise. */
function publication(updatedAt: string, claims: object = {}, by = root, issuers?: Issuer[]): Promise<Files> {
  const sequence = Number(updatedAt.slice(11, 13));
  return publishSummed(by, issuers ?? [issuer(`at-${sequence}`)], {
    updatedAt,
    claims: { sequence, ...claims },
  });
}

/** Replaces the checkpoint by one for these files, or for others. */
async function sealed(files: Files, claims: object = {}, by = root, named = files): Promise<Files> {
  const times = { iat: MADE, exp: MADE + 700 * HOUR };
  const jwt = await checkpoint(named, by, { ...times, ...claims });
  return new Map(files).set('checkpoint.jwt', Buffer.from(jwt));
}

/** The rotation from the root key to the next. */
const step = () => statement(root, 'registry-root-rotation+jwt', { iat: MADE, next_root: next.rootKey.jwk });
/** Files with the step to the next root key. */
const rotated = async (files: Files) => withRotation(files, [await step()]);

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
    timeout: 10,
    fetch: async (input) => {
      const path = String(input).slice(BASE.length);
      asked.push(path);
      const bytes = together(files).get(path.replace(/\?.*/, ''));
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
    expect(await verdicts(without(files, 'publication.jwt'))).toEqual(['ERR_STATEMENTS_INVALID']);
    expect(await verdicts(without(files, 'checkpoint.jwt'))).toEqual(['ERR_STATEMENTS_INVALID']);
    expect(await verdicts(without(files, 'publication.jwt', 'checkpoint.jwt'))).toEqual([
      'ERR_SOURCE_STATUS',
    ]);
  });

  it('must be signed by the root key, and by no other', async () => {
    const files = await publication(FIRST);
    expect(await verdicts(await withStatement(files, await testKey()))).toEqual(['ERR_PUBLICATION_INVALID']);
    expect(await verdicts(await withStatement(files, next))).toEqual(['ERR_PUBLICATION_INVALID']);
  });

  it('never expires: an exp means nothing', async () => {
    const files = await publication(FIRST, { exp: MADE });
    const { client, read } = reader();
    expect(await read(files)).toBe('accepted');
    expect(client.status().freshUntil?.getTime()).toBe((MADE + 31 * 24 * HOUR) * 1000);
    client.close();
  });

  it('may name 1 to 16 publications before it, and nothing else', async () => {
    const hashes = (count: number) =>
      Array.from({ length: count }, (_one, index) => statementHash(`${index}.x`));
    for (const previous of [hashes(1), hashes(16), undefined])
      expect(await verdicts(await publication(FIRST, { previous }))).toEqual(['accepted']);
    for (const previous of [
      [],
      hashes(17),
      hashes(1)[0],
      null,
      [null],
      [1],
      ['x'],
      [hashes(1)[0]?.toUpperCase()],
      {},
    ])
      expect(await verdicts(await publication(FIRST, { previous })), JSON.stringify(previous)).toEqual([
        'ERR_PUBLICATION_INVALID',
      ]);
  });
});

describe('a checkpoint', () => {
  it('is for the publication beside it, and for no other', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    expect(await verdicts(await sealed(first))).toEqual(['accepted']);
    expect(await verdicts(await sealed(first, {}, root, second))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
    expect(await verdicts(await sealed(second, {}, root, first))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
    const twin = await withStatement(first, root, { sequence: 8, about_sha256: '0'.repeat(64) });
    expect(await verdicts(await sealed(first, {}, root, twin))).toEqual(['ERR_CHECKPOINT_MISMATCH']);
  });

  it('names it by the hash of its signing input, and not of its signature or of its list', async () => {
    const files = await publication(FIRST);
    const jwt = String(files.get('publication.jwt'));
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const list = JSON.parse(Buffer.from(payload, 'base64url').toString()).sha256;
    expect(await verdicts(await sealed(files, { publication: statementHash(jwt) }))).toEqual(['accepted']);
    expect(statementHash(jwt)).toBe(statementHash(`${header}.${payload}`));
    for (const named of [statementHash(payload), statementHash(signature), statementHash(`${jwt}.`), list])
      if (named !== statementHash(jwt))
        expect(await verdicts(await sealed(files, { publication: named }))).toEqual([
          'ERR_CHECKPOINT_MISMATCH',
        ]);
    const claim = statementHash(jwt);
    for (const malformed of [claim.toUpperCase(), claim.slice(1), [claim], null, undefined])
      expect(await verdicts(await sealed(files, { publication: malformed }))).toEqual([
        'ERR_CHECKPOINT_INVALID',
      ]);
  });

  it('ends the freshness of the list', async () => {
    const files = await sealed(await publication(FIRST), { exp: NOW + 60 });
    let now = NOW;
    const { client, read } = reader({ now: () => now * 1000, grace: 0 });
    expect(await read(files)).toBe('accepted');
    expect(client.status().freshUntil?.getTime()).toBe((NOW + 60) * 1000);
    now = NOW + 60 + 300;
    expect(client.resolve('at-8')?.issuer_id).toBe('at-8');
    expect(await read(files)).toBe('ERR_CHECKPOINT_EXPIRED');
    now = NOW + 60 + 300.001;
    expect(() => client.resolve('at-8')).toThrow('has not been fresh since');
    client.close();
  });
});

describe('two signatures over one signing input', () => {
  /** Publications that differ only in the signature: P-256 has a new one each time. */
  const twins = async (updatedAt: string) => {
    const claims = { rootKey: p256.rootKey.jwk };
    const [one, other] = [await publication(updatedAt, {}, p256), await publication(updatedAt, {}, p256)];
    const [left, right] = [one, other].map((files) => String(files.get('publication.jwt'))) as [
      string,
      string,
    ];
    expect(left).not.toBe(right);
    expect(statementHash(left)).toBe(statementHash(right));
    return { one, other, claims };
  };

  it('are one publication: a client that has accepted one accepts the other', async () => {
    const { one, other, claims } = await twins(FIRST);
    const { client, read } = reader(claims);
    expect(await read(one)).toBe('accepted');
    expect(await read(other)).toBe('accepted');
    expect(await read(one)).toBe('accepted');
    client.close();
  });

  it('fit one checkpoint, whichever it was signed for', async () => {
    const { one, other, claims } = await twins(FIRST);
    const mixed = new Map(one).set('checkpoint.jwt', other.get('checkpoint.jwt') as Buffer);
    const { client, read } = reader(claims);
    expect(await read(mixed)).toBe('accepted');
    client.close();
  });

  it('are both needed: a signature over other bytes is refused', async () => {
    const { one, claims } = await twins(FIRST);
    const later = await publication(SECOND, {}, p256);
    const [header, payload] = String(later.get('publication.jwt')).split('.');
    const signature = String(one.get('publication.jwt')).split('.')[2];
    const forged = new Map(later).set('publication.jwt', Buffer.from(`${header}.${payload}.${signature}`));
    const { client, read } = reader(claims);
    expect(await read(forged)).toBe('ERR_PUBLICATION_INVALID');
    client.close();
  });
});

describe('a client that has accepted a publication', () => {
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
      'ERR_STATEMENTS_INVALID',
    ]);
    const moved = await rotated(await publication(SECOND, {}, next));
    expect(await verdicts(first, without(moved, 'publication.jwt'))).toEqual([
      'accepted',
      'ERR_STATEMENTS_INVALID',
    ]);
    expect(await verdicts(first, moved)).toEqual(['accepted', 'accepted']);
  });

  it('refuses a lower sequence, and the same sequence with other claims', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    expect(await verdicts(second, first)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
    expect(await verdicts(first, await publication(SECOND, { sequence: 8 }))).toEqual([
      'accepted',
      'ERR_PUBLICATION_ROLLED_BACK',
    ]);
    const again = await withStatement(first, root, { sequence: 8 });
    expect(again.get('publication.jwt')).toEqual(first.get('publication.jwt'));
    expect(await verdicts(first, again, second)).toEqual(['accepted', 'accepted', 'accepted']);
    for (const claims of [{ iat: MADE + 1 }, { later: 1 }, { about_sha256: '0'.repeat(64) }]) {
      const other = await withStatement(first, root, { sequence: 8, ...claims });
      expect(await verdicts(first, other)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
    }
  });

  it('refuses the same claims under another header, which is another signing input', async () => {
    const first = await publication(FIRST);
    const [header = '', payload = ''] = String(first.get('publication.jwt')).split('.');
    const { alg, typ, kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    // EdDSA is another name of Ed25519.
    const other = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ, kid })
      .sign(root.privateKey);
    expect(alg).toBe('Ed25519');
    const renamed = await sealed(new Map(first).set('publication.jwt', Buffer.from(other)));
    expect(await verdicts(renamed)).toEqual(['accepted']);
    expect(await verdicts(first, renamed)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
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
    const older = await sealed(await withStatement(first, root, { sequence: 10 }), { iat: MADE + 2 * HOUR });
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
      await sealed(second, { iat: MADE }),
    ]) {
      expect(await read(files)).toMatch(/^ERR_/);
      expect(asked().filter((path) => !path.startsWith('statements.json'))).toEqual([]);
    }
    client.close();
  });

  it('lets a rotation recover from a sequence that a thief has driven up, but not from a list', async () => {
    const stolen = await publication(SECOND, { sequence: 2 ** 53 - 1 });
    const recovered = await rotated(await publication(THIRD, { sequence: 3 }, next));
    const older = await rotated(await publication(FIRST, { sequence: 3 }, next));
    expect(await verdicts(stolen, recovered)).toEqual(['accepted', 'accepted']);
    expect(await verdicts(stolen, older)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    const twin = await rotated(await publication(SECOND, { sequence: 3 }, next, [issuer('other')]));
    expect(await verdicts(stolen, twin)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    // And nobody goes back to the old root key.
    expect(await verdicts(recovered, stolen)).toEqual(['accepted', 'ERR_PUBLICATION_INVALID']);
  });

  it('remembers it across a restart', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    const twin = await publication(SECOND, { later: 1 });
    let saved: StoredPublication | undefined;
    const store = {
      load: async () => saved,
      save: async (one: StoredPublication) => {
        saved = one;
      },
    };
    const before = reader({ store });
    expect(await before.read(second)).toBe('accepted');
    before.client.close();
    expect(saved).toEqual({
      version: 1,
      statements: String(together(second).get('statements.json')),
      list: String(second.get('issuers.json')),
    });
    for (const [files, verdict] of [
      [first, 'ERR_PUBLICATION_ROLLED_BACK'],
      [twin, 'ERR_PUBLICATION_ROLLED_BACK'],
      [without(second, 'publication.jwt'), 'ERR_STATEMENTS_INVALID'],
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

describe('a client that has accepted a checkpoint', () => {
  const held = (hold?: string[]) => (hold === undefined ? {} : { hold });

  it('takes a later one for the same publication, whatever it holds', async () => {
    const files = await publication(FIRST);
    const at = (iat: number, hold?: string[]) => sealed(files, { iat: MADE + iat, ...held(hold) });
    expect(await verdicts(await at(1, ['a']), await at(2), await at(3, ['b']), await at(4))).toEqual([
      ...['accepted', 'accepted', 'accepted', 'accepted'],
    ]);
  });

  it('takes one of the same second only if that keeps every hold', async () => {
    const files = await publication(FIRST);
    const at = (hold?: string[], exp = MADE + 700 * HOUR) => sealed(files, { exp, ...held(hold) });
    const [none, one, both, other] = [await at(), await at(['a']), await at(['a', 'b']), await at(['b'])];
    expect(await verdicts(none, none, one, both, both)).toEqual(Array(5).fill('accepted'));
    for (const lost of [none, one, other])
      expect(await verdicts(both, lost, both)).toEqual([
        'accepted',
        'ERR_CHECKPOINT_ROLLED_BACK',
        'accepted',
      ]);
    expect(await verdicts(one, await at(['a'], MADE + 600 * HOUR))).toEqual(['accepted', 'accepted']);
  });

  it('refuses an earlier one for the same publication, even with more holds', async () => {
    const files = await publication(FIRST);
    const [early, late] = [
      await sealed(files, { iat: MADE, ...held(['a']) }),
      await sealed(files, { iat: MADE + 1 }),
    ];
    expect(await verdicts(late, early)).toEqual(['accepted', 'ERR_CHECKPOINT_ROLLED_BACK']);
    // A later one may release an issuer.
    expect(await verdicts(early, late)).toEqual(['accepted', 'accepted']);
  });

  it('takes an earlier one for a newer publication only if that keeps every hold', async () => {
    const [first, second] = [await publication(FIRST), await publication(SECOND)];
    const accepted = await sealed(first, { iat: MADE + HOUR, ...held(['a', 'b']) });
    const at = (iat: number, hold?: string[]) => sealed(second, { iat: MADE + iat, ...held(hold) });
    for (const iat of [0, HOUR]) {
      expect(await verdicts(accepted, await at(iat, ['a', 'b']))).toEqual(['accepted', 'accepted']);
      expect(await verdicts(accepted, await at(iat, ['a', 'b', 'c']))).toEqual(['accepted', 'accepted']);
      for (const hold of [undefined, ['a'], ['b', 'c']])
        expect(await verdicts(accepted, await at(iat, hold))).toEqual([
          'accepted',
          'ERR_CHECKPOINT_ROLLED_BACK',
        ]);
    }
    expect(await verdicts(accepted, await at(HOUR + 1))).toEqual(['accepted', 'accepted']);
    // From then on, that of the newer publication counts.
    expect(await verdicts(accepted, await at(0, ['a', 'b']), await at(1))).toEqual([
      ...['accepted', 'accepted', 'accepted'],
    ]);
  });

  it('keeps the order over a rotation of the root key', async () => {
    const first = await sealed(await publication(FIRST), { iat: MADE + HOUR, ...held(['a']) });
    const second = await publication(SECOND, { sequence: 1 }, next);
    const at = async (iat: number, hold?: string[]) =>
      rotated(await sealed(second, { iat: MADE + iat, ...held(hold) }, next));
    for (const iat of [0, HOUR]) {
      expect(await verdicts(first, await at(iat))).toEqual(['accepted', 'ERR_CHECKPOINT_ROLLED_BACK']);
      expect(await verdicts(first, await at(iat, ['a']))).toEqual(['accepted', 'accepted']);
    }
    expect(await verdicts(first, await at(HOUR + 1))).toEqual(['accepted', 'accepted']);
  });

  it('takes none by a key that a newer publication does not name, and goes to no older publication for it', async () => {
    const [thief, operator] = await Promise.all([testKey(), testKey()]);
    const naming = (files: Files, key: TestKey, sequence: number) =>
      withOnlineKey(files, root, key, { exp: NOW + 24 * HOUR, hold: true, sequence });
    const first = naming(await publication(FIRST), thief, 8);
    const second = naming(await publication(SECOND), operator, 9);
    const accepted = await sealed(second, { iat: MADE + 1 }, operator);
    // The thief has the key that was replaced, and signs on.
    const [old, forged] = [
      await sealed(first, { iat: NOW - 60 }, thief),
      await sealed(second, { iat: NOW - 60 }, thief),
    ];
    expect(await verdicts(await sealed(first, {}, thief))).toEqual(['accepted']);
    expect(await verdicts(accepted, old, forged)).toEqual([
      ...['accepted', 'ERR_PUBLICATION_ROLLED_BACK', 'ERR_CHECKPOINT_INVALID'],
    ]);
    expect(await verdicts(forged)).toEqual(['ERR_CHECKPOINT_INVALID']);
    const mixed = new Map(second).set('checkpoint.jwt', old.get('checkpoint.jwt') as Buffer);
    expect(await verdicts(mixed)).toEqual(['ERR_CHECKPOINT_INVALID']);
  });
});

describe('which error code wins among the statements', () => {
  it('is that of the order in the protocol (rule statement-checks)', async () => {
    const held = await sealed(await publication(SECOND), { iat: MADE + HOUR, hold: ['a'] });
    // From the last check to the first. Each publication has a fault more than the one before.
    const older = await sealed(await publication(FIRST, { sequence: 12 }), { iat: MADE + 2 * HOUR });
    expect(await verdicts(held, older)).toEqual(['accepted', 'ERR_LIST_ROLLED_BACK']);
    const released = await sealed(older, { iat: MADE });
    expect(await verdicts(held, released)).toEqual(['accepted', 'ERR_CHECKPOINT_ROLLED_BACK']);
    const lower = await sealed(await publication(FIRST, { sequence: 1 }), { iat: MADE });
    expect(await verdicts(held, lower)).toEqual(['accepted', 'ERR_PUBLICATION_ROLLED_BACK']);
    const mismatch = await sealed(lower, { iat: MADE }, root, older);
    expect(await verdicts(held, mismatch)).toEqual(['accepted', 'ERR_CHECKPOINT_MISMATCH']);
    const expired = await sealed(lower, { iat: MADE, exp: MADE + 60 }, root, older);
    expect(await verdicts(held, expired)).toEqual(['accepted', 'ERR_CHECKPOINT_EXPIRED']);
    const early = await sealed(lower, { iat: NOW + HOUR, exp: MADE + 60 }, root, older);
    expect(await verdicts(held, early)).toEqual(['accepted', 'ERR_NOT_YET_VALID']);
    const damaged = new Map(early).set('checkpoint.jwt', Buffer.from('no JWT'));
    expect(await verdicts(held, damaged)).toEqual(['accepted', 'ERR_CHECKPOINT_INVALID']);
    const invalid = new Map(damaged).set('publication.jwt', Buffer.from('no JWT'));
    expect(await verdicts(held, invalid)).toEqual(['accepted', 'ERR_PUBLICATION_INVALID']);
    const unrotated = withRotation(invalid, ['no JWT']);
    expect(await verdicts(held, unrotated)).toEqual(['accepted', 'ERR_ROTATION_INVALID']);
    expect(await verdicts(held, without(unrotated, 'checkpoint.jwt'))).toEqual([
      ...['accepted', 'ERR_STATEMENTS_INVALID'],
    ]);
  });
});
