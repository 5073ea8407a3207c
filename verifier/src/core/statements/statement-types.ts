/**
 * The claims of each statement that this version knows, by the `typ` of the statement, except the times (`iat`, `nbf` and
 * `exp`). A reader can read only these claims: the compiler refuses others. Verifiers ignore unknown claims, which auditors
 * report (rule later-versions).
 */
export const STATEMENT_CLAIMS = {
  'registry-checkpoint+jwt': ['publication', 'tree_sha256', 'hold'],
  'registry-root-rotation+jwt': ['next_root', 'next_roots', 'step'],
  'registry-publication+jwt': [
    'sequence',
    'previous',
    'updated_at',
    'sha256',
    'size',
    'issuers',
    'sums_sha256',
    'levels',
    'log',
    'online',
    'about_sha256',
  ],
} as const;

/** The `typ` of a statement of a registry that this version knows (rule jwt-profile). */
export type StatementType = keyof typeof STATEMENT_CLAIMS;

/** The claims of a statement. If the compiler knows the type: the claims that this version knows, except the times. */
export type Claims<Type extends string> = Type extends StatementType
  ? { readonly [Claim in (typeof STATEMENT_CLAIMS)[Type][number]]?: unknown }
  : Readonly<Record<string, unknown>>;

/** The statement that must have an `exp` (rule jwt-profile). */
export const EXPIRING_TYPE = 'registry-checkpoint+jwt';

/** The types of the statements that a log contains, by the types of their entries (rule log-entries). */
export const LOGGED_TYPES = {
  publication: 'registry-publication+jwt',
  rotation: 'registry-root-rotation+jwt',
} as const satisfies Record<string, StatementType>;

/**
 * The types of all statements that this version knows. A log can also contain types of later versions (rule other-entries).
 * The annotation lets a bundler leave the claims out of a client.
 */
export const STATEMENT_TYPES = /* @__PURE__ */ Object.keys(STATEMENT_CLAIMS) as readonly StatementType[];
