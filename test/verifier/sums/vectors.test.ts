import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createIssuerLookup,
  importRootKey,
  type NoUsableSource,
  type RegistryError,
} from '@passport-registry/verifier';
import {
  idHashOf,
  levelsFor,
  readSums,
  sumsTree,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/paths.js';
import { sha256 } from '../../support/publication.js';
import type { SourceVector } from '../../support/source-vectors.js';
import { publicationVectors, sumsVectors } from '../../support/sums-vectors.js';

interface Tree {
  name: string;
  levels: number;
  records: Record<string, string>;
  files: Record<string, string>;
  sums_sha256: string;
}

const vectors = (name: string) =>
  JSON.parse(readFileSync(join(ROOT, 'test/vectors', `${name}.json`), 'utf8'));
interface Statements {
  root: object;
  statements: { name: string; jwt: string; now: number; code: string | null }[];
}

const publication = vectors('publication') as Statements & { p256: Statements; sources: SourceVector[] };
const sums = vectors('sums') as {
  places: Record<string, string>;
  trees: Tree[];
  levels: { records: number; previous: number; levels: number }[];
  files: { name: string; prefix: string; levels: number; base64url: string; code: string | null }[];
};

it.each([
  ['publication', publicationVectors],
  ['sums', sumsVectors],
] as const)(
  'test/vectors/%s.json is made without the code that it tests (update with --update)',
  async (name, make) => {
    const text = `${JSON.stringify(await make(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(ROOT, 'test/vectors', `${name}.json`));
  },
);

describe('the vectors of publication statements', () => {
  const { root, statements, p256 } = publication;
  it.each([
    ...statements.map((one) => ({ ...one, root, type: 'Ed25519' })),
    ...p256.statements.map((one) => ({ ...one, root: p256.root, type: 'P-256' })),
  ])('$type: $name', async ({ jwt, now, code, root: key }) => {
    const rootKey = await importRootKey(key as never);
    const times = { clock: { now: now * 1000, tolerance: 300_000 }, expiry: true };
    const found = await verifyPublicationStatement(jwt, rootKey, times).then(
      () => null,
      (error: RegistryError) => error.code,
    );
    expect(found).toBe(code);
  });
});

describe('the vectors of sources', () => {
  const BASE = 'https://registry.example/';

  it.each(publication.sources)('$name', async ({ accepted, files, now, code }) => {
    let served = accepted ?? files;
    const lookup = createIssuerLookup({
      sources: [BASE],
      rootKey: publication.root as never,
      now: () => now * 1000,
      fetch: async (input) => {
        const text = served[String(input).slice(BASE.length).replace(/\?.*/, '')];
        return text === undefined ? new Response(null, { status: 404 }) : new Response(text);
      },
    });
    if (accepted !== null) {
      await lookup.ready();
      served = files;
    }
    const found = await (accepted === null ? lookup.ready() : lookup.refresh()).then(
      () => null,
      (error: NoUsableSource) => error.errors[BASE]?.code,
    );
    lookup.close();
    expect(found).toBe(code);
  });
});

describe('the vectors of the tree of sums', () => {
  it.each(sums.trees)('$name', ({ levels, records, files, sums_sha256 }) => {
    const summed = Object.entries(records).map(([id, hash]) => ({ id, idHash: idHashOf(id), sha256: hash }));
    const tree = sumsTree(
      summed.sort((a, b) => (a.id < b.id ? -1 : 1)),
      levels,
      sha256,
    );
    expect(tree.sha256).toBe(sums_sha256);
    const texts = [...tree.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]);
    expect(Object.fromEntries(texts)).toEqual(files);
    for (const [path, bytes] of tree.files) {
      const prefix = path === 'sums/root' ? '' : path.slice('sums/'.length);
      expect(() => readSums(bytes, { prefix, levels })).not.toThrow();
    }
  });

  it('have the places of ids', () => {
    for (const [id, place] of Object.entries(sums.places)) expect(idHashOf(id)).toBe(place);
  });

  it.each(sums.levels)(
    '$records records after $previous levels: $levels',
    ({ records, previous, levels }) => {
      const spread = Array.from({ length: records }, (_one, index) => ({
        id: String(index).padStart(24, '0'),
        idHash: [...index.toString(16).padStart(8, '0')].reverse().join('').padEnd(64, '0'),
        sha256: '0'.repeat(64),
      }));
      expect(levelsFor(spread, previous)).toBe(levels);
    },
  );

  it.each(sums.files)('a file: $name', ({ prefix, levels, base64url, code }) => {
    let found: string | null = null;
    try {
      readSums(Buffer.from(base64url, 'base64url'), { prefix, levels });
    } catch (error) {
      found = (error as RegistryError).code;
    }
    expect(found).toBe(code);
  });
});
