import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIssuerLookup, type NoUsableSource, type RegistryError } from '@passport-registry/verifier';
import {
  assertSignedByLog,
  bundlePath,
  isConsistent,
  leafHash,
  parseEntry,
  parseHead,
  parseNoteKey,
  rootFromInclusion,
  type TreeHead,
  tilePath,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { logVectors } from '../../support/log-vectors.js';
import { invalid } from '../../support/note-keys.js';
import { ROOT } from '../../support/paths.js';
import { shortenRetries } from '../../support/short-retries.js';

shortenRetries();

const FILE = join(ROOT, 'test/vectors/log.json');
const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as Awaited<ReturnType<typeof logVectors>>;

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const base64Of = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const headOf = ({ size, root }: { size: number; root: string }): TreeHead => ({ size, root: bytesOf(root) });

/** Whether some work ends without an error. */
async function succeeds(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

it('test/vectors/log.json is made without the code that it tests (update with --update)', async () => {
  await expect(`${JSON.stringify(await logVectors(), null, 2)}\n`).toMatchFileSnapshot(FILE);
});

describe('the vectors of the log', () => {
  it.each(vectors.verifier_keys)('a verifier key: $name', async ({ purpose, vkey, valid }) => {
    expect(await succeeds(() => parseNoteKey(vkey, purpose, invalid))).toBe(valid);
  });

  it.each(vectors.entries)('an entry: $name', async ({ text, valid, leaf_hash }) => {
    expect(await succeeds(() => parseEntry(Buffer.from(text), invalid))).toBe(valid);
    expect(base64Of(leafHash(Buffer.from(text)))).toBe(leaf_hash);
  });

  it.each(vectors.heads)('a head: $name', async ({ note, head }) => {
    const key = parseNoteKey(vectors.keys['log']?.vkey, 'log', invalid);
    const read = async () => {
      const parsed = parseHead(note, invalid);
      await assertSignedByLog(parsed, key, invalid);
      return parsed;
    };
    expect(await succeeds(read)).toBe(head !== null);
    if (head === null) return;
    const { origin, size, root } = await read();
    expect({ origin, size, root: base64Of(root) }).toEqual(head);
  });

  it.each(vectors.paths)('the paths at index $index of $width', ({ index, width, tile, bundle }) => {
    expect(`log/${tilePath({ level: 1, index, width })}`).toBe(tile);
    expect(`log/${bundlePath({ index, width })}`).toBe(bundle);
  });

  it.each(vectors.inclusion)('inclusion: $name', ({ index, size, leaf, root, path, valid }) => {
    const found = rootFromInclusion({ index, size }, bytesOf(leaf), path.map(bytesOf));
    expect(found !== undefined && base64Of(found) === root).toBe(valid);
  });

  it.each(vectors.consistency)('consistency: $name', ({ older, newer, proof, valid }) => {
    expect(isConsistent(headOf(older), headOf(newer), proof.map(bytesOf))).toBe(valid);
  });
});

// A client waits before it asks a source again.
describe.concurrent('the vectors of sources with a log', () => {
  const BASE = 'https://registry.example/';

  it.each(vectors.sources)(
    '$trust_anchor: $name',
    async ({ now, trust_anchor, accepted, files, tiles, code }) => {
      let served: Record<string, string> = accepted ?? files;
      const trustAnchor = vectors.trust_anchors[trust_anchor] as never;
      const verdict = async () => {
        const lookup = createIssuerLookup({
          ...{ sources: [BASE], trustAnchor, now: () => now * 1000 },
          fetch: async (input) => {
            const path = String(input).slice(BASE.length).replace(/\?.*/, '');
            const body = served[path] ?? (tiles[path] === undefined ? undefined : bytesOf(tiles[path]));
            return body === undefined ? new Response(null, { status: 404 }) : new Response(body);
          },
        });
        try {
          if (accepted !== null) {
            await lookup.ready();
            served = files;
          }
          await (accepted === null ? lookup.ready() : lookup.refresh());
        } finally {
          lookup.close();
        }
      };
      const found = await verdict().then(
        () => null,
        (error: RegistryError) => (error as NoUsableSource).errors?.[BASE]?.code ?? error.code,
      );
      expect(found).toBe(code);
    },
  );
});
