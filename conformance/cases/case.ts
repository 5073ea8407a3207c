import type { Anchor } from './goldens.js';
import type { Patch } from './patch.js';

/** Who is shown a case. */
export const ROLES = ['client', 'lookup', 'copy', 'auditor', 'mirror', 'monitor'] as const;
export type Role = (typeof ROLES)[number];

/** How a host answers for a file, if not with the file. Roles that read no host ignore it. */
export type HostAnswer =
  | { readonly status: number; readonly location?: string }
  | { readonly type: string }
  /** The connection ends: before the response, or in the middle of the body. */
  | { readonly ends: 'early' | 'amid' }
  /** The host never answers. */
  | { readonly never: true };

/** A tree that a source shows: a golden tree with changes. */
export interface ShownTree {
  readonly base: string;
  readonly patches: readonly Patch[];
  readonly answers?: Readonly<Record<string, HostAnswer>>;
}

/** What a program is shown at once. */
export interface Step {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The registry, and then its mirrors. Roles that read one source read the first one. */
  readonly sources: readonly [ShownTree, ...ShownTree[]];
  /** Whether the program begins anew before, with what it has stored. */
  readonly restarts?: true;
}

/** A case is data. What a program remembers from step to step is its own business. */
export interface Case {
  /** The parts of an id are separated by slashes: the kind of the case, the golden tree, what is changed. */
  readonly id: string;
  /** The rule that decides, by its id: docs/protocol.md says where it stands. */
  readonly rule: string;
  readonly roles: readonly Role[];
  readonly anchor: Anchor;
  /** The issuers that a look-up asks for. */
  readonly ask: readonly string[];
  readonly steps: readonly [Step, ...Step[]];
  readonly why: string;
}
