import { createIssuerLookup, createRegistryClient, type NoUsableSource } from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { readProvenRecord } from '../../../verifier/build/core/sums/proof.js';
import { type Files, issuer, sha256, type TestKey, testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';
import { together } from '../../support/statements.js';
import { publishSummed } from '../../support/summed-registry.js';
import { idBeside, placeOf } from '../../support/sums.js';

shortenRetries();

const BASE = 'https://registry.example/';
const LEVELS = 2;
const IDS = Array.from({ length: 30 }, (_one, index) => `issuer-${index}`);
const ID = 'issuer-7';
/** An id that is not in the list, and whose place is in the same leaf. */
const ABSENT = idBeside(ID, LEVELS);
const [FIRST, SECOND] = ['2026-11-21T08:00:00Z', '2026-11-21T09:00:00Z'] as const;
const NOW = Date.parse('2026-11-21T10:00:00Z');

let root: TestKey;
/** Two publications: in the second one, the issuer is revoked, one is new, and one has another tier. */
let [first, second] = [new Map(), new Map()] as [Files, Files];

beforeAll(async () => {
  root = await testKey();
  const before = IDS.map((id) => issuer(id));
  const after = [
    ...before.map((one) => (one.issuer_id === ID ? { ...one, status: 'revoked' as const } : one)),
    issuer('newcomer'),
  ];
  first = await publishSummed(root, before, { levels: LEVELS, updatedAt: FIRST });
  second = await publishSummed(root, after, { levels: LEVELS, updatedAt: SECOND, claims: { sequence: 2 } });
});

/** The files of the proof of an id, from the statements to the record. */
const proofOf = (id: string) => [
  'statements.json',
  'sums/root',
  ...Array.from({ length: LEVELS }, (_one, length) => `sums/${placeOf(id).slice(0, length + 1)}`),
  `issuers/${id}`,
];

type Get = (path: string) => Buffer | undefined;

/** Options of a client that reads files without a network. */
const optionsFor = (get: Get, key = root) => ({
  sources: [BASE],
  rootKey: key.rootKey.jwk,
  now: () => NOW,
  fetch: async (input: RequestInfo | URL) => {
    const bytes = get(String(input).slice(BASE.length).replace(/\?.*/, ''));
    return bytes === undefined ? new Response(null, { status: 404 }) : new Response(new Uint8Array(bytes));
  },
});

const codeOf = (error: unknown) => (error as NoUsableSource).errors?.[BASE]?.code ?? (error as Error).message;

/** What a new look-up concludes: `present`, `absent` or an error code. */
async function lookUp(get: Get, id: string, key = root): Promise<string> {
  const lookup = createIssuerLookup(optionsFor(get, key));
  try {
    return (await lookup.resolve(id)) === undefined ? 'absent' : 'present';
  } catch (error) {
    return codeOf(error);
  } finally {
    lookup.close();
  }
}

/** What a client of the whole list concludes. */
async function load(get: Get, id: string): Promise<string> {
  const client = createRegistryClient(optionsFor(get));
  try {
    await client.ready();
    return client.resolve(id) === undefined ? 'absent' : 'present';
  } catch (error) {
    return codeOf(error);
  } finally {
    client.close();
  }
}

const from = (files: Files): Get => {
  const whole = together(files);
  return (path) => whole.get(path);
};
const but = (files: Files, changes: Record<string, Buffer | undefined>): Get => {
  const changed = Object.entries({ ...Object.fromEntries(files), ...changes });
  return from(new Map(changed.filter((entry): entry is [string, Buffer] => entry[1] !== undefined)));
};

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

/** Runs many at a time: the pauses before retries then overlap. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const AT_A_TIME = 500;
  for (let start = 0; start < items.length; start += AT_A_TIME)
    await Promise.all(items.slice(start, start + AT_A_TIME).map(work));
}

describe('the files of a proof', () => {
  it('are these, and prove what is so', async () => {
    for (const files of [first, second]) {
      expect(await lookUp(from(files), ID)).toBe('present');
      expect(await lookUp(from(files), ABSENT)).toBe('absent');
      expect(await lookUp(from(files), 'newcomer')).toBe(files === first ? 'absent' : 'present');
      expect(await load(from(files), 'newcomer')).toBe(files === first ? 'absent' : 'present');
    }
  });

  /** How many bits of the files of a proof are flipped, and how many of the statement alone. */
  const [FLIPS, STATEMENT_FLIPS] = [rounds({ usual: 150, soak: 10_000 }), rounds({ usual: 25, soak: 1000 })];

  it(`${FLIPS} bit flips over all files of a proof: none is accepted`, async () => {
    const flips: { path: string; bit: number; id: string }[] = [];
    const whole = together(first);
    const sizes = proofOf(ID).map((path) => [path, 8 * (whole.get(path) as Buffer).length] as const);
    const bits = sizes.reduce((sum, [, size]) => sum + size, 0);
    for (let number = 0; number < FLIPS; number++) {
      // The golden ratio spreads them over all files.
      let bit = Math.floor(((number * 0.618034) % 1) * bits);
      const [path] = sizes.find(([, size]) => {
        if (bit < size) return true;
        bit -= size;
        return false;
      }) as readonly [string, number];
      // An absence is proven without the record.
      const id = number % 2 === 0 || path.startsWith('issuers/') ? ID : ABSENT;
      flips.push({ path, bit, id });
    }
    const verdicts = new Map<string, Set<string>>();
    await inParallel(flips, async ({ path, bit, id }) => {
      const verdict = await lookUp(but(whole, { [path]: flipped(whole.get(path) as Buffer, bit) }), id);
      const kind = path.split('/')[0] as string;
      verdicts.set(kind, (verdicts.get(kind) ?? new Set()).add(verdict));
    });
    const ofStatements = [...(verdicts.get('statements.json') ?? [])];
    verdicts.delete('statements.json');
    expect(ofStatements.length).toBeGreaterThan(1);
    for (const code of ofStatements)
      expect(code).toMatch(/^ERR_(?:STATEMENTS|PUBLICATION|CHECKPOINT)_INVALID$/);
    expect(Object.fromEntries([...verdicts].map(([kind, codes]) => [kind, [...codes].sort()]))).toEqual({
      sums: ['ERR_SUMS_MISMATCH'],
      issuers: ['ERR_SUMS_MISMATCH'],
    });
  }, 900_000);

  it(`${STATEMENT_FLIPS} bit flips over the statement: a client of the whole list accepts none, and needs no sums`, async () => {
    const statement = first.get('publication.jwt') as Buffer;
    const bits = Array.from(
      { length: STATEMENT_FLIPS },
      (_one, number) => (number * 7919) % (8 * statement.length),
    );
    const verdicts = new Set<string>();
    await inParallel(bits, async (bit) => {
      verdicts.add(await load(but(first, { 'publication.jwt': flipped(statement, bit) }), ID));
    });
    expect([...verdicts]).toEqual(['ERR_PUBLICATION_INVALID']);
    const root = flipped(first.get('sums/root') as Buffer, 9);
    expect(await load(but(first, { 'sums/root': root, [`issuers/${ID}`]: undefined }), ID)).toBe('present');
  }, 300_000);
});

it('what is no issuer_id is in no list, and no file is asked for', async () => {
  const asked: unknown[] = [];
  const files = { request: (paths: unknown) => asked.push(paths), read: () => Promise.reject(new Error()) };
  for (const id of ['../../admin?x=1', 'A', 'index', ''])
    expect(await readProvenRecord(id, { sumsSha256: sha256(Buffer.of()), levels: 0 }, files)).toBeUndefined();
  expect(asked).toEqual([]);
});
