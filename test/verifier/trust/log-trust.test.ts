import { type TrustAnchor, TrustAnchorInvalid } from '@passport-registry/verifier';
import { logTrustOf } from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import { generatePair, type NoteSigner, noteSigner } from '../../support/note-keys.js';

const LOG = 'registry.example/log';
const [one, two, three] = [1, 2, 3].map((number) => noteSigner(`witness.example/w${number}`, 'witness')) as [
  NoteSigner,
  NoteSigner,
  NoteSigner,
];
const all = [one, two, three].map(({ vkey }) => vkey);

const trustOf = (members: Omit<TrustAnchor, 'root'>) => logTrustOf(members);

describe('what a trust anchor says of the log', () => {
  it('is nothing if it has none of the members', () => {
    expect(trustOf({})).toBe(undefined);
    expect(trustOf({ sources: ['https://registry.example'], publication: 'required' })).toBe(undefined);
  });

  it('may be the log alone: lists must be logged, and no witness is needed', () => {
    expect(trustOf({ log: LOG })).toEqual({ origin: LOG, witnesses: [], quorum: 0 });
  });

  it.each([1, 2, 3])('is the log, its witnesses and a quorum of %i', (quorum) => {
    const witnesses = [one.key, two.key, three.key];
    expect(trustOf({ log: LOG, witnesses: all, quorum })).toEqual({ origin: LOG, witnesses, quorum });
  });

  const renamed = (() => {
    const pair = generatePair();
    return [noteSigner('first.example', 'witness', pair), noteSigner('second.example', 'witness', pair)];
  })().map(({ vkey }) => vkey);
  const ofLog = noteSigner(LOG, 'log').vkey;

  it.each<[string, Omit<TrustAnchor, 'root'>, string]>([
    ['a quorum alone', { log: LOG, quorum: 1 }, 'witnesses and quorum need each other'],
    ['witnesses alone', { log: LOG, witnesses: all }, 'witnesses and quorum need each other'],
    ['a quorum without a log', { quorum: 1 }, 'witnesses and quorum need each other'],
    ['witnesses without a log', { witnesses: all, quorum: 2 }, 'witnesses need log, the name of the log'],
    [
      'a quorum that is never reached',
      { log: LOG, witnesses: all, quorum: 4 },
      'quorum is 4, but there are only 3 witnesses',
    ],
    [
      'the same witness twice',
      { log: LOG, witnesses: [all[0] ?? '', ...all], quorum: 1 },
      'witnesses[1] has the public key of witnesses[0]',
    ],
    [
      'one key under two names',
      { log: LOG, witnesses: [...all, ...renamed], quorum: 1 },
      'witnesses[4] has the public key of witnesses[3]: a witness counts once',
    ],
    [
      'the key of a log',
      { log: LOG, witnesses: [all[0] ?? '', ofLog], quorum: 1 },
      'witnesses[1] is not the key of a witness',
    ],
    ['no key', { log: LOG, witnesses: ['none'], quorum: 1 }, 'witnesses[0] is not in the form'],
    [
      'a key with the id of another',
      { log: LOG, witnesses: [(all[0] ?? '').replace('w1', 'w2')], quorum: 1 },
      'witnesses[0] has an id that does not belong to its name and key',
    ],
  ])('is not %s', (_name, members, message) => {
    expect(() => trustOf(members)).toThrow(TrustAnchorInvalid);
    expect(() => trustOf(members)).toThrow(message);
  });
});
