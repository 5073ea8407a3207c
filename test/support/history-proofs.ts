import { type ProvenHistory, verifyHistoryProof } from '@passport-registry/verifier';
import { formatHistoryProof, type HistoryProof } from '@passport-registry/verifier/internal';
import { type Files, issuer } from './publication.js';
import { proofPaths } from './sums.js';
import { type Cosigning, loggedRegistry, witnessedWorld } from './witnessed-registry.js';

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

/** A registry with one publication, two witnesses that have cosigned it early, and two that have cosigned it late. */
export async function historyWorld() {
  const world = await witnessedWorld();
  const { root, anchor, w1, w2, w3 } = world;
  const early: Cosigning = [
    [w1, '2026-03-01T10:00:00Z'],
    [w2, '2026-03-01T10:00:02Z'],
  ];
  const late: Cosigning = [
    [w1, '2026-03-08T10:00:01Z'],
    [w3, '2026-03-08T10:00:03Z'],
  ];
  /** Publishes one list. Returns the tree and its first and last proof. */
  const published = async (first: Cosigning, last: Cosigning, levels = 0) => {
    const registry = loggedRegistry(root);
    await registry.publish([issuer('alpha'), issuer('beta')], { at: '2026-03-01T09:00:00Z', levels });
    const first_proof = registry.cosign(first);
    const last_proof = registry.cosign(last);
    return { registry, files: registry.tree(), first_proof, last_proof };
  };
  const verify = (parts: Parts, trustAnchor = anchor): Promise<ProvenHistory> =>
    verifyHistoryProof(formatHistoryProof(parts), { trustAnchor });
  return { ...world, early, late, published, verify };
}
