import type { TrustAnchor } from '@passport-registry/verifier';
import { delegationEntry, formatHistoryProof, type HistoryProof } from '@passport-registry/verifier/core';
import { type ProvenHistory, verifyHistoryProof } from '@passport-registry/verifier/history';
import { LoggedRegistry, PROOF } from './logged-registry.js';
import { type Files, type TestKey, testKey } from './publication.js';
import { proofPaths } from './sums.js';
import { type Cosigning, type NoteSigner, noteSigner, ORIGIN } from './test-log.js';

/** The content of a proof file. */
export type Parts = Omit<HistoryProof, 'format'>;

/** The text of a file in a tree; empty if there is none. */
export const textOf = (files: Files, path: string) => files.get(path)?.toString() ?? '';

/** Makes the proof of what a tree says of an id, as docs/protocol.md describes it. */
export function partsOf(
  files: Files,
  id: string,
  more: Pick<Parts, 'first_proof' | 'last_proof'> & Partial<Parts>,
): Parts {
  const publication = textOf(files, 'publication.jwt');
  const { levels } = JSON.parse(Buffer.from(publication.split('.')[1] ?? '', 'base64url').toString());
  const paths = proofPaths(id, levels);
  const sums = paths.slice(0, -1).flatMap((path) => (files.has(path) ? [textOf(files, path)] : []));
  const record = files.get(`issuers/${id}`)?.toString();
  const { first_proof, last_proof, rotation = [], later_entries = [] } = more;
  return {
    ...{ issuer_id: id, publication, rotation, later_entries, sums, first_proof, last_proof },
    ...(record !== undefined && { record }),
  };
}

/** Returns the code of the error of a verification, or `accepted`. */
export function codeOf(verification: Promise<unknown>): Promise<string> {
  return verification.then(
    () => 'accepted',
    (error) => error.code ?? String(error),
  );
}

/** A trust anchor with witnesses. */
export function anchorOf(root: TestKey, witnesses: readonly NoteSigner[], quorum: number): TrustAnchor {
  return {
    ...{ root: root.rootKey.jwk, log: ORIGIN, quorum },
    witnesses: witnesses.map(({ vkey }) => vkey),
  } as TrustAnchor;
}

/** The entry of a delegation that nobody has signed. */
export const delegationOf = (iat: number): object => delegationEntry(`delegation ${iat}`, iat);

/** Publishes what is prepared, and has the newest head cosigned. Returns the proof of the publication. */
export async function cosignedBy(registry: LoggedRegistry, cosigned: readonly Cosigning[]): Promise<string> {
  return textOf(await registry.complete({ cosigned }), PROOF);
}

/** A root key, three witnesses with a quorum of two, and registries that two have cosigned early, and two late. */
export async function historyWorld() {
  const root = await testKey();
  const witnesses = ['w1.example', 'w2.example', 'w3.example'].map((name) => noteSigner(name, 'witness'));
  const [w1, w2, w3] = witnesses as [NoteSigner, NoteSigner, NoteSigner];
  const anchor = anchorOf(root, witnesses, 2);
  const early: Cosigning[] = [
    [w1, '2026-03-01T10:00:00Z'],
    [w2, '2026-03-01T10:00:02Z'],
  ];
  const late: Cosigning[] = [
    [w1, '2026-03-08T10:00:01Z'],
    [w3, '2026-03-08T10:00:03Z'],
  ];
  /** Publishes one list. Returns the tree and its first and last proof. */
  const published = async (first: readonly Cosigning[], last: readonly Cosigning[], levels = 0) => {
    const registry = new LoggedRegistry(root);
    await registry.prepare({ updatedAt: '2026-03-01T09:00:00Z', levels });
    const first_proof = await cosignedBy(registry, first);
    const last_proof = await cosignedBy(registry, last);
    return { registry, files: registry.files, first_proof, last_proof };
  };
  const verify = (parts: Parts, trustAnchor = anchor): Promise<ProvenHistory> =>
    verifyHistoryProof(formatHistoryProof(parts), { trustAnchor });
  return { ...{ root, witnesses, w1, w2, w3, anchor, early, late }, published, verify };
}
