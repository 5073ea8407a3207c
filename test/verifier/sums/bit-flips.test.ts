import { createIssuerLookup, type NoUsableSource } from '@passport-registry/verifier';
import { expect, it } from 'vitest';
import { readProvenRecord } from '../../../verifier/build/core/sums/proof.js';
import { altered, flipped } from '../../support/altered.js';
import { issuer, publish, testKey } from '../../support/publication.js';
import { sha256 } from '../../support/sha256.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';
import { together } from '../../support/statements.js';
import { idBeside, proofPaths } from '../../support/sums.js';

shortenRetries();

const BASE = 'https://registry.example/';
const LEVELS = 2;
const ID = 'issuer-7';
/** An id that is not in the list, and whose place is in the same leaf. */
const ABSENT = idBeside(ID, LEVELS);

type Tree = ReadonlyMap<string, Buffer>;

const root = await testKey();
const issuers = Array.from({ length: 30 }, (_one, index) => issuer(`issuer-${index}`));
const tree: Tree = together(publish(root, issuers, { levels: LEVELS }));

/** What a new look-up concludes from files: `present`, `absent` or an error code. */
async function lookUp(id: string, files: Tree): Promise<string> {
  const answer: typeof fetch = async (input) => {
    const bytes = files.get(String(input).slice(BASE.length).replace(/\?.*/, ''));
    return bytes === undefined ? new Response(null, { status: 404 }) : new Response(new Uint8Array(bytes));
  };
  const lookup = createIssuerLookup({ sources: [BASE], rootKey: root.rootKey.jwk, fetch: answer });
  try {
    return (await lookup.resolve(id)) === undefined ? 'absent' : 'present';
  } catch (error) {
    return (error as NoUsableSource).errors[BASE]?.code ?? String(error);
  } finally {
    lookup.close();
  }
}

interface Flip {
  readonly path: string;
  readonly bit: number;
}

/** Some bits of files, in equal distances. */
function flipsOf(paths: readonly string[], count: number): Flip[] {
  const all = paths.map((path) => ({ path, bits: 8 * (tree.get(path) as Buffer).length }));
  const step = all.reduce((sum, { bits }) => sum + bits, 0) / count;
  return Array.from({ length: count }, (_one, number) => {
    let bit = Math.floor(number * step);
    for (const { path, bits } of all) {
      if (bit < bits) return { path, bit };
      bit -= bits;
    }
    throw new Error('there is no such bit');
  });
}

const FLIPS = rounds({ usual: 150, soak: 10_000 });
/** The pauses before retries overlap. */
const AT_A_TIME = 500;

it(`${FLIPS} bit flips over all files of a proof: none is accepted`, async () => {
  expect([await lookUp(ID, tree), await lookUp(ABSENT, tree)]).toEqual(['present', 'absent']);
  const flips = flipsOf(['statements.json', ...proofPaths(ID, LEVELS)], FLIPS);
  const verdicts = new Map<string, Set<string>>();
  const show = async ({ path, bit }: Flip, number: number) => {
    const files = altered(tree, path, flipped(tree.get(path) as Buffer, bit));
    // An absence is proven without the record.
    const verdict = await lookUp(number % 2 === 0 || path === `issuers/${ID}` ? ID : ABSENT, files);
    const [kind = ''] = path.split('/');
    verdicts.set(kind, (verdicts.get(kind) ?? new Set()).add(verdict));
  };
  for (let start = 0; start < flips.length; start += AT_A_TIME)
    await Promise.all(flips.slice(start, start + AT_A_TIME).map(show));
  for (const code of verdicts.get('statements.json') ?? [])
    expect(code).toMatch(/^ERR_(?:STATEMENTS|PUBLICATION|CHECKPOINT)_INVALID$/);
  expect(verdicts.get('sums')).toEqual(new Set(['ERR_SUMS_MISMATCH']));
  expect(verdicts.get('issuers')).toEqual(new Set(['ERR_SUMS_MISMATCH']));
}, 900_000);

it('what is no issuer_id is in no list, and no file is asked for', async () => {
  const asked: unknown[] = [];
  const files = { request: (paths: unknown) => asked.push(paths), read: () => Promise.reject(new Error()) };
  for (const id of ['../../admin?x=1', 'A', 'index', ''])
    expect(await readProvenRecord(id, { sumsSha256: sha256(Buffer.of()), levels: 0 }, files)).toBeUndefined();
  expect(asked).toEqual([]);
});
