import type { TrustAnchor } from '@passport-registry/verifier';
import { noteEntry } from './logged-registry.js';
import { type TestKey, testKey } from './publication.js';
import { type NoteSigner, noteSigner, ORIGIN } from './test-log.js';

/** A trust anchor with witnesses. */
export function anchorOf(root: TestKey, witnesses: readonly NoteSigner[], quorum: number): TrustAnchor {
  return {
    ...{ root: root.rootKey.jwk, log: ORIGIN, quorum },
    witnesses: witnesses.map(({ vkey }) => vkey),
  } as TrustAnchor;
}

/** The entry of a statement of an unknown type that nobody has signed. */
export const noteOf = (number: number): object => noteEntry(`note ${number}`);

/** A root key, three witnesses, and a trust anchor with a quorum of two. */
export async function historyWorld() {
  const root = await testKey();
  const witnesses = ['w1.example', 'w2.example', 'w3.example'].map((name) => noteSigner(name, 'witness'));
  const [w1, w2, w3] = witnesses as [NoteSigner, NoteSigner, NoteSigner];
  return { ...{ root, witnesses, w1, w2, w3 }, anchor: anchorOf(root, witnesses, 2) };
}
