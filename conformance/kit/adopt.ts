import type { Case, ShownTree } from '../cases/case.js';
import type { KitCase, KitRole, KitTree, Right } from './kit-case.js';

/** What the kit says of a generated case. */
export interface Adopted {
  readonly role: KitRole;
  readonly id: string;
  readonly rule?: string;
  readonly why?: string;
  /** What is right, step by step. */
  readonly right: readonly Right[];
  readonly trusted?: readonly (readonly string[] | undefined)[];
}

/** Makes a case of the kit of a generated one. */
export function adopt(
  one: Case,
  { role, id, rule = one.rule, why = one.why, right, trusted }: Adopted,
): KitCase {
  if (right.length !== one.steps.length) throw new Error(`${id} has ${one.steps.length} steps`);
  return {
    ...{ id: `${role}/${id}`, role, rule, why },
    anchor: JSON.stringify(one.anchor),
    ...((trusted ?? role === 'lookup') && { ask: one.ask }),
    ...(one.steps.some(({ sources }) => sources.some(({ base }) => base === 'p256')) && {
      needs: 'ES256' as const,
    }),
    steps: one.steps.map(({ now, restarts, sources }, at) => ({
      now,
      ...(restarts && { restarts }),
      sources: sources.map(treeOf),
      right: right[at] as Right,
      ...(trusted?.[at] && { trusted: trusted[at] }),
    })),
  };
}

function treeOf({ base, patches, answers }: ShownTree): KitTree {
  const script =
    answers && Object.fromEntries(Object.entries(answers).map(([file, answer]) => [file, [answer]]));
  return { base, patches, ...(script && { script }) };
}
