import { type Case, ROLES, type Role, type ShownTree } from './case.js';
import type { Files } from './files.js';
import { type Golden, golden } from './goldens.js';
import type { Members } from './jwt.js';
import { difference, type Patch } from './patch.js';
import type { Registry } from './registry.js';

/** What a kind of cases says of one. Everything else follows from the golden tree. */
export interface Draft extends Partial<Omit<Case, 'id' | 'rule' | 'why'>> {
  readonly id: string;
  readonly rule: string;
  readonly why: string;
  readonly base: string;
  readonly patches?: readonly Patch[];
  readonly answers?: ShownTree['answers'];
  /** In milliseconds since 1970. Default: that of the golden tree. */
  readonly now?: number;
}

const ASKED = ['alpha', 'beta', 'no-such-issuer'];

/** Makes a case of a golden tree: with one step, unless the draft has steps. */
export function makeCase({ base, patches = [], answers, now, ...draft }: Draft): Case {
  const { anchor, now: later, files } = golden(base);
  const tree = { base, patches, ...(answers && { answers }) };
  return {
    ...{ roles: rolesOf(files), anchor, ask: ASKED },
    steps: [{ now: now ?? later, sources: [tree] }],
    ...draft,
  };
}

/** A monitor follows logs only, and a look-up needs a publication statement. */
export function rolesOf(files: Files): readonly Role[] {
  const needs: Partial<Record<Role, string>> = { monitor: 'log/checkpoint', lookup: 'publication.jwt' };
  return ROLES.filter((role) => files.has(needs[role] ?? 'issuers.json'));
}

/** A tree that a registry shows, as the changes of a golden tree. */
export function shown({ files }: Registry, base: string): ShownTree {
  return { base, patches: difference(golden(base).files, files) };
}

/** A tree for which the registry of a golden tree did something else, or something more. */
export function variant(base: string, work: (registry: Registry) => unknown): Patch[] {
  const registry = golden(base).registry.copy();
  work(registry);
  return difference(golden(base).files, registry.files);
}

/** Who signs the file of a golden tree. Of a rotation, who signs a step. */
export function signerOf({ registry }: Golden, file: string, step = 0): string {
  if (file === 'checkpoint.jwt') return registry.checkpointKey.name;
  if (file === 'operations.jwt') return registry.online.name;
  if (file === 'keys/rotation.json') return registry.chain[step]?.name ?? registry.root.name;
  return registry.root.name;
}

/** Seals the golden tree anew, so that auditors and mirrors see nothing but the change itself. */
export function sealing(tree: Golden): Patch {
  return { sealedBy: tree.registry.checkpointKey.name };
}

/** Returns the patches with which a statement of a golden tree has other claims, signed anew by its key. */
export function resigning(tree: Golden, file: string): (claims: Members) => Patch[] {
  const step = file === 'keys/rotation.json' ? 0 : undefined;
  return (claims) => [
    { file, key: signerOf(tree, file, step), claims, ...(step !== undefined && { step }) },
    ...(file === 'checkpoint.jwt' ? [] : [sealing(tree)]),
  ];
}
