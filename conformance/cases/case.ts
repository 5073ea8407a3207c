import type { Patch } from './patch.js';

/** Who is tested: docs/protocol.md says which parts each of them reads. */
export const ROLES = ['list', 'lookup', 'client', 'auditor', 'log', 'passport'] as const;
export type Role = (typeof ROLES)[number];

/** What is right: to accept, or to refuse with any of these codes. */
export type Right = 'accept' | readonly string[];

/** How a host answers for a file, if not with the file. Roles that read no host ignore it. */
export type HostAnswer =
  | { readonly status: number; readonly location?: string }
  | { readonly type: string }
  /** The connection ends: before the response, or in the middle of the body. */
  | { readonly ends: 'early' | 'amid' }
  /** The host never answers. */
  | { readonly never: true };

/** What a host answers to one request for a file. Null: with the file. */
export type ScriptedAnswer = HostAnswer | { readonly body: string } | null;

/** A tree that a source shows: a golden tree with changes. */
export interface ShownTree {
  readonly base: string;
  readonly patches: readonly Patch[];
  /** What the host answers for a file to the first request, the second, and so on. The last answer repeats itself. */
  readonly script?: Readonly<Record<string, readonly ScriptedAnswer[]>>;
}

/** What issuers of passports answer, by URL. A URL that is not here is not found. */
export type Documents = Readonly<Record<string, { readonly status: number; readonly body: string }>>;

/** A passport, or an action with its proof. */
export interface PassportRequest {
  readonly audience: string;
  readonly token: string;
  readonly documents: Documents;
  /** The action, if one is to be verified, its proof, and the JSON text of its payload. */
  readonly action?: string;
  readonly payload?: string;
  readonly proof?: string;
  /** In place of `payload`: the request that carries passport and proof. Its body is empty without `body`. */
  readonly request?: { readonly target: string; readonly body?: string };
  /** The token is no passport: it is verified under this profile. */
  readonly profile?: Profile;
}

/** What a token of an issuer must be (rule token-profile). Without a member, its default counts. */
export interface Profile {
  readonly typ: string;
  readonly max_age?: number;
  readonly algorithms?: readonly string[];
  readonly required_claims?: readonly string[];
}

/** What a program is shown at once, and what is right. */
export interface Step {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Whether the program begins anew before, with what it has stored, or with the first half of each file that it has stored. */
  readonly restarts?: true | 'cut';
  /** The registry, and then its mirrors. None: the program asks nobody, and answers from what it holds. */
  readonly sources?: readonly ShownTree[];
  readonly passport?: PassportRequest;
  /** Undefined: nobody has said it. Random cases show only whether two programs say the same. */
  readonly right?: Right;
  /** Of the issuers that the case asks for, those that the program must trust. Undefined: it is not asked. */
  readonly trusted?: readonly string[];
}

/** A case is data, and contains what is right. */
export interface Case {
  /** The role, the topic, and what is special. */
  readonly id: string;
  readonly role: Role;
  /** The rule that decides, by its id. */
  readonly rule: string;
  readonly why: string;
  /** The JSON text of the trust anchor. */
  readonly anchor: string;
  /** An algorithm besides Ed25519 that the case needs. */
  readonly needs?: 'ES256';
  readonly ask?: readonly string[];
  /** The trust policy for the issuers of `ask`. Default: any active issuer. */
  readonly policy?: object;
  readonly steps: readonly Step[];
}
