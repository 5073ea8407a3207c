import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, type RegistryError, verifyHistoryProof } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { historyVectors } from '../../support/history-vectors.js';
import { ROOT } from '../../support/paths.js';

const FILE = join(ROOT, 'test/vectors/history.json');
const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as Awaited<ReturnType<typeof historyVectors>>;

it('test/vectors/history.json is made without the code that it tests (update with --update)', async () => {
  await expect(`${JSON.stringify(await historyVectors(), null, 2)}\n`).toMatchFileSnapshot(FILE);
});

describe('the vectors of proofs of the past', () => {
  it.each(vectors.proofs)('$name', async ({ file, trust_anchor, code, proven }) => {
    const trustAnchor = vectors.trust_anchors[trust_anchor as 'first_root'] as never;
    const seconds = (time: Date) => time.getTime() / 1000;
    const found = await verifyHistoryProof(file, { trustAnchor }).then(
      ({ issuer, from, until, updatedAt: updated_at, sha256, sequence }) => ({
        record: issuer === undefined ? null : Buffer.from(canonicalBytes(issuer)).toString(),
        ...{ from: seconds(from), until: seconds(until), updated_at, sha256, sequence },
      }),
      (error: RegistryError) => error.code,
    );
    expect(found).toEqual(code ?? proven);
  });
});
