import type { Case, Right, Role, ShownTree, Step } from './case.js';
import type { Files } from './files.js';
import { type Anchor, type Golden, golden } from './goldens.js';
import type { Members } from './jwt.js';
import { difference, type Patch, patched } from './patch.js';
import type { Registry } from './registry.js';
import { CHECKPOINT, PUBLICATION, ROTATION } from './statements.js';

/** What is done with the registry of a golden tree. */
export type Work = (registry: Registry) => unknown;

/** What a kind of cases says of one. Everything else follows from the golden tree. */
export interface Draft {
  /** The topic, and what is special. The role comes before both. */
  readonly id: string;
  readonly rule: string;
  readonly why?: string;
  readonly base: string;
  readonly patches?: readonly Patch[];
  readonly script?: ShownTree['script'];
  /** In milliseconds since 1970. Default: that of the golden tree. */
  readonly now?: number;
  /** Members of the trust anchor that differ from those of the golden tree, or the text of another one. */
  readonly anchor?: Partial<Anchor> | string;
  readonly needs?: 'ES256';
  readonly ask?: readonly string[];
  readonly policy?: object;
  readonly trusted?: readonly string[];
  readonly steps?: readonly Step[];
}

/** Whom a look-up asks for. */
export const ASKED = ['alpha', 'beta', 'no-such-issuer'];

/** Makes a case for one role: with one step, unless the draft has steps. */
export function makeCase(role: Role, draft: Draft, right?: Right): Case {
  const { id, rule, why = '', base, patches = [], script, anchor = {}, ask, policy, trusted } = draft;
  const { anchor: usual, now } = golden(base);
  // An auditor says nothing of single issuers.
  const decides = role !== 'auditor';
  const source = { base, patches, ...(script && { script }) };
  const needs = draft.needs ?? (base === 'p256' ? 'ES256' : undefined);
  const shows = { now: draft.now ?? now, sources: [source], ...(right && { right }) };
  return {
    ...{ id: `${role}/${id}`, role, rule, why },
    anchor: typeof anchor === 'string' ? anchor : JSON.stringify({ ...usual, ...anchor }),
    ...(needs && { needs }),
    ...(decides && (ask ?? role === 'lookup') && { ask: ask ?? ASKED }),
    ...(policy && { policy }),
    steps: draft.steps ?? [{ ...shows, ...(decides && trusted && right === 'accept' && { trusted }) }],
  };
}

/** Makes the cases of a topic, which have something in common. Their ids begin with the name of the topic. */
export const topic =
  (role: Role, name: string, common: Omit<Draft, 'id'>) =>
  (id: string, own: Partial<Draft>, right?: Right): Case =>
    makeCase(role, { ...common, ...own, id: `${name}/${id}` }, right);

/** Whether something is right, as a verdict: to accept it, or to refuse it with one of some codes. */
export const either = (isGood: boolean, ...codes: readonly string[]): Right => (isGood ? 'accept' : codes);

/** The list and the signature of a registry that has done something. */
export function publishedList(base: string, work: Work): Patch[] {
  return variant(base, work).filter((patch) => 'file' in patch && /^issuers\.(json|sig)$/.test(patch.file));
}

/** The files that a source shows. */
export const filesOf = ({ base, patches }: ShownTree): Files => patched(golden(base).files, patches);

/** A tree that a registry shows, as the changes of a golden tree. */
export function shown({ files }: Registry, base: string): ShownTree {
  return { base, patches: difference(golden(base).files, files) };
}

/** A tree for which the registry of a golden tree did something else, or something more. */
export function variant(base: string, work: Work): Patch[] {
  const registry = golden(base).registry.copy();
  work(registry);
  return difference(golden(base).files, registry.files);
}

/** Who signs a statement of a golden tree. Of a rotation, who signs a step. */
export function signerOf({ registry }: Golden, file: string, step = 0): string {
  if (file === CHECKPOINT) return registry.checkpointKey.name;
  if (file === ROTATION) return registry.chain[step]?.name ?? registry.root.name;
  return registry.root.name;
}

/** Seals the golden tree anew, so that auditors and mirrors see nothing but the change itself. */
export function sealing(tree: Golden): Patch {
  return { sealedBy: tree.registry.checkpointKey.name };
}

/** The patches with which a statement of a golden tree has other claims, signed anew by its key. */
export function resigned(base: string, file: string, claims: Members): Patch[] {
  const tree = golden(base);
  const step = file === ROTATION ? 0 : undefined;
  return [
    { file, key: signerOf(tree, file, step), claims, ...(step !== undefined && { step }) },
    ...(file === PUBLICATION ? [sealing(tree)] : []),
  ];
}
