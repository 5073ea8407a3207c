import {
  cosignatureTime,
  cosignedText,
  encodeCosignature,
  formatHead,
  type NoteSignature,
  newestCosignatures,
  parseHead,
} from '@passport-registry/verifier/core';
import { describe, expect, it, vi } from 'vitest';
import { flipped } from '../../support/altered.js';
import { someLeaves } from '../../support/merkle.js';
import {
  cosignatureBy,
  generatePair,
  invalid,
  type NoteSigner,
  noteSigner,
  signatureBy,
} from '../../support/note-keys.js';

const [root, otherRoot] = someLeaves(2) as [Uint8Array, Uint8Array];
const text = formatHead({ origin: 'registry.example/log', size: 5, root });
const witnesses = [1, 2, 3].map((number) => noteSigner(`witness.example/w${number}`, 'witness'));
const [one, two, three] = witnesses as [NoteSigner, NoteSigner, NoteSigner];
/** 2027-01-15T08:00:00Z. */
const NOW = 1_800_000_000;

const rulesOf = (quorum: number, known: readonly NoteSigner[] = witnesses) => ({
  witnesses: known.map(({ key }) => key),
  quorum,
  since: (NOW - 100) * 1000,
  until: (NOW + 10) * 1000,
});
const at = (witness: NoteSigner, seconds = NOW) => cosignatureBy(witness, text, seconds);
/** Returns the names of the witnesses whose cosignatures count. */
async function counted(signatures: readonly NoteSignature[], rules = rulesOf(3)): Promise<string[]> {
  const found = await newestCosignatures({ text, signatures }, rules);
  return found.map(({ witness }) => witness.name.slice(-2));
}

describe('the examples of C2SP', () => {
  it('tlog-cosignature: text and time', () => {
    const head = parseHead(
      `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`,
      invalid,
    );
    const [own, cosignature] = head.note.signatures as [NoteSignature, NoteSignature];
    expect(cosignatureTime(own)).toBe(undefined);
    expect(cosignatureTime(cosignature)).toBe(1679315147);
    expect(cosignature).toMatchObject({ name: 'witness.example.com/w1', keyId: '8d66cf3f' });
    expect(cosignedText(head.note.text, 1679315147)).toBe(
      `cosignature/v1
time 1679315147
example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
`,
    );
  });
});

describe('the time of a cosignature', () => {
  const timeOf = (signature: Uint8Array) => cosignatureTime({ name: 'a', keyId: '00000000', signature });
  const withTime = (time: bigint) => {
    const bytes = new Uint8Array(72);
    new DataView(bytes.buffer).setBigUint64(0, time);
    return bytes;
  };

  it.each([0, 1, 255, 256, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 253_402_300_799])('%d seconds', (seconds) => {
    expect(timeOf(encodeCosignature(seconds, new Uint8Array(64)))).toBe(seconds);
    expect(timeOf(withTime(BigInt(seconds)))).toBe(seconds);
  });

  it('is at most what a number holds in milliseconds', () => {
    const latest = BigInt(Math.floor(Number.MAX_SAFE_INTEGER / 1000));
    expect(timeOf(withTime(latest))).toBe(Number(latest));
    for (const time of [
      latest + 1n,
      2n ** 53n,
      2n ** 63n - 1n,
      2n ** 63n,
      2n ** 63n + BigInt(NOW),
      2n ** 64n - 1n,
    ])
      expect([time, timeOf(withTime(time))]).toEqual([time, undefined]);
  });

  it('needs 72 bytes, and reads them from any part of a buffer', () => {
    for (const length of [0, 8, 64, 71, 73, 2428]) expect(timeOf(new Uint8Array(length))).toBe(undefined);
    const bytes = new Uint8Array([...new Uint8Array(5), ...withTime(7n)]);
    expect(timeOf(bytes.subarray(5))).toBe(7);
  });
});

describe('the cosignatures that count', () => {
  it('are those of known witnesses, the newest first', async () => {
    expect(await counted([at(one, NOW - 2), at(two, NOW), at(three, NOW - 1)])).toEqual(['w2', 'w3', 'w1']);
    const found = await newestCosignatures({ text, signatures: [at(one)] }, rulesOf(1));
    expect(found).toEqual([{ witness: one.key, time: NOW * 1000 }]);
  });

  it.each([1, 2, 3])('are at most the quorum: %i', async (quorum) => {
    const signatures = [at(one, NOW - 3), at(two, NOW - 2), at(three, NOW - 1)];
    expect(await counted(signatures, rulesOf(quorum))).toEqual(['w3', 'w2', 'w1'].slice(0, quorum));
  });

  it('are fewer than the quorum if fewer have signed', async () => {
    expect(await counted([])).toEqual([]);
    expect(await counted([at(two), at(two), at(two)])).toEqual(['w2']);
    expect(await counted([at(one), at(three)], rulesOf(3))).toHaveLength(2);
    expect(await counted([at(one)], rulesOf(0))).toEqual([]);
    expect(await counted([at(one)], rulesOf(1, []))).toEqual([]);
  });

  it('are of this head', async () => {
    const of = (other: string) => cosignatureBy(one, other, NOW);
    const origin = 'registry.example/log';
    expect(await counted([of(formatHead({ origin, size: 5, root }))])).toEqual(['w1']);
    expect(await counted([of(formatHead({ origin, size: 6, root }))])).toEqual([]);
    expect(await counted([of(formatHead({ origin, size: 5, root: otherRoot }))])).toEqual([]);
    expect(await counted([of(formatHead({ origin: 'registry.example/x/log', size: 5, root }))])).toEqual([]);
    expect(await counted([of(`${text}more\n`)])).toEqual([]);
    expect(await counted([of(text.slice(0, -1))])).toEqual([]);
  });

  it('are of keys that are known by name and id', async () => {
    const stranger = noteSigner('witness.example/w4', 'witness');
    const impostor = noteSigner(one.key.name, 'witness');
    expect(await counted([at(stranger), at(impostor)])).toEqual([]);
    expect(await counted([{ ...at(one), name: stranger.key.name }])).toEqual([]);
    expect(await counted([{ ...at(one), keyId: two.key.keyId }])).toEqual([]);
    expect(await counted([{ ...at(one), name: two.key.name, keyId: two.key.keyId }])).toEqual([]);
    expect(await counted([{ ...at(impostor), keyId: one.key.keyId }])).toEqual([]);
    // Cosignatures of unknown keys do no harm.
    const collision = { ...at(impostor), keyId: one.key.keyId };
    expect(await counted([at(stranger), at(impostor), collision, at(one)])).toEqual(['w1']);
  });

  it('are no signatures of logs, even by the same key', async () => {
    const pair = generatePair();
    const [asLog, asWitness] = [noteSigner('a', 'log', pair), noteSigner('a', 'witness', pair)];
    const rules = rulesOf(1, [asWitness]);
    expect(await counted([at(asWitness)], rules)).toEqual(['a']);
    expect(await counted([signatureBy(asLog, text)], rules)).toEqual([]);
    expect(await counted([{ ...signatureBy(asLog, text), keyId: asWitness.key.keyId }], rules)).toEqual([]);
    expect(await counted([{ ...at(asWitness), keyId: asLog.key.keyId }], rules)).toEqual([]);
  });

  it('count once for a key, under two names and in two lines', async () => {
    const pair = generatePair();
    const [first, second] = [
      noteSigner('first/w5', 'witness', pair),
      noteSigner('second/w6', 'witness', pair),
    ];
    const rules = rulesOf(2, [first, second]);
    expect(await counted([at(first), at(second)], rules)).toHaveLength(1);
    expect(await counted([at(first, NOW - 1), at(second)], rules)).toEqual(['w6']);
    expect(await counted([at(first), at(first, NOW - 1), at(first, NOW - 2)], rules)).toEqual(['w5']);
  });

  it('may be older ones if a newer one is not valid', async () => {
    const broken = at(one, NOW + 1);
    const signatures = [
      { ...broken, signature: flipped(broken.signature, 200) },
      at(one, NOW - 5),
      at(one, NOW - 9),
    ];
    const found = await newestCosignatures({ text, signatures }, rulesOf(3));
    expect(found).toEqual([{ witness: one.key, time: (NOW - 5) * 1000 }]);
  });

  it('are signed with their time', async () => {
    const good = at(one);
    for (const bit of [0, 32, 40, 63])
      expect(await counted([{ ...good, signature: flipped(good.signature, bit) }])).toEqual([]);
    const moved = encodeCosignature(NOW + 1, good.signature.subarray(8));
    expect(await counted([{ ...good, signature: moved }])).toEqual([]);
  });

  it('are in time to the millisecond', async () => {
    const rules = (since: number, until: number) => ({ ...rulesOf(1), since, until });
    const now = NOW * 1000;
    expect(await counted([at(one)], rules(now, now))).toEqual(['w1']);
    expect(await counted([at(one)], rules(now + 1, now + 1))).toEqual([]);
    expect(await counted([at(one)], rules(now - 1, now - 1))).toEqual([]);
    const anyTime = rules(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    expect(await counted([at(one, 0)], anyTime)).toEqual(['w1']);
  });
});

describe('the cost', () => {
  const signatureChecks = async (signatures: readonly NoteSignature[], rules = rulesOf(2)) => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    await counted(signatures, rules);
    const { length } = verify.mock.calls;
    verify.mockRestore();
    return length;
  };

  it('is one signature check for each cosignature that counts', async () => {
    const [fourth, fifth] = [noteSigner('w4', 'witness'), noteSigner('w5', 'witness')];
    const rules = rulesOf(2, [...witnesses, fourth, fifth]);
    const all = [...witnesses, fourth, fifth].map((witness, index) => at(witness, NOW - index));
    expect(await signatureChecks(all, rules)).toBe(2);
    expect(await signatureChecks([...all, ...all, ...all], rules)).toBe(2);
  });

  it('is nothing for what cannot count', async () => {
    const strangers = Array.from({ length: 50 }, (_one, index) => ({
      ...at(one),
      name: `stranger-${index}`,
    }));
    expect(await signatureChecks(strangers)).toBe(0);
    expect(await signatureChecks([at(one, NOW - 101), at(two, NOW + 11)])).toBe(0);
    expect(await signatureChecks([signatureBy(one, text)])).toBe(0);
    expect(await signatureChecks([at(one), at(two)], rulesOf(0))).toBe(0);
  });
});
