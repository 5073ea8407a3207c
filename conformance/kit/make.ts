import type { Anchor } from '../cases/goldens.js';
import { golden } from '../cases/goldens.js';
import { variant } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import type { Registry } from '../cases/registry.js';
import type { KitCase, KitRole, KitStep, KitTree, Right } from './kit-case.js';

/** What a kind of cases says of one. Everything else follows from the golden tree. */
export interface KitDraft {
  /** The topic, and what is special. The role comes before both. */
  readonly id: string;
  readonly rule: string;
  readonly why?: string;
  readonly base: string;
  readonly patches?: readonly Patch[];
  readonly script?: KitTree['script'];
  /** In milliseconds since 1970. Default: that of the golden tree. */
  readonly now?: number;
  /** Members of the trust anchor that differ from those of the golden tree, or the text of another one. */
  readonly anchor?: Partial<Anchor> | string;
  readonly needs?: 'ES256';
  readonly ask?: readonly string[];
  readonly policy?: object;
  readonly trusted?: readonly string[];
  readonly steps?: readonly KitStep[];
}

/** What is right for each role that sees a case. */
export type RightByRole = Readonly<Partial<Record<KitRole, Right>>>;

/** Whom a look-up asks for. */
export const ASKED = ['alpha', 'beta', 'no-such-issuer'];

/** Makes a case for one role: with one step, unless the draft has steps. */
export function kitCase(role: KitRole, draft: KitDraft, right: Right): KitCase {
  const { id, rule, why = '', base, patches = [], script, anchor = {}, ask, policy, trusted } = draft;
  const { anchor: usual, now } = golden(base);
  // An auditor says nothing of single issuers.
  const decides = role !== 'auditor';
  const source = { base, patches, ...(script && { script }) };
  const needs = draft.needs ?? (base === 'p256' ? 'ES256' : undefined);
  const shows = { now: draft.now ?? now, sources: [source], right };
  return {
    ...{ id: `${role}/${id}`, role, rule, why },
    anchor: typeof anchor === 'string' ? anchor : JSON.stringify({ ...usual, ...anchor }),
    ...(needs && { needs }),
    ...(decides && (ask ?? role === 'lookup') && { ask: ask ?? ASKED }),
    ...(policy && { policy }),
    steps: draft.steps ?? [{ ...shows, ...(decides && trusted && right === 'accept' && { trusted }) }],
  };
}

/** Makes the same case for several roles. */
export function* forRoles(draft: KitDraft, right: RightByRole): Generator<KitCase> {
  for (const [role, one] of Object.entries(right)) yield kitCase(role as KitRole, draft, one);
}

/** Whether something is right, as a verdict: to accept it, or to refuse it with one of some codes. */
export const either = (isGood: boolean, ...codes: readonly string[]): Right => (isGood ? 'accept' : codes);

/** The list and the signature of a registry that has done something. */
export function publishedList(base: string, work: (registry: Registry) => unknown): Patch[] {
  return variant(base, work).filter((patch) => 'file' in patch && /^issuers\.(json|sig)$/.test(patch.file));
}
