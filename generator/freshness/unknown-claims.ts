import {
  parseStrictJson,
  readCompactJws,
  STATEMENT_TYPES,
  type Statement,
  type StatementType,
} from '@passport-registry/verifier/internal';

const TIMES = ['iat', 'nbf', 'exp'];

/** The claims of each statement that this version knows. */
const CLAIMS: Readonly<Record<StatementType, readonly string[]>> = {
  'registry-delegation+jwt': ['keys', 'hold', 'next_root_thumbprint'],
  'registry-checkpoint+jwt': ['updated_at', 'sha256', 'size', 'tree_sha256', 'sequence', 'hold'],
  'registry-operations+jwt': ['mirrors', 'witnesses', 'quorum'],
  'registry-root-rotation+jwt': ['next_root', 'next_roots', 'step'],
  'registry-publication+jwt': [
    ...['sequence', 'previous', 'updated_at', 'sha256', 'size', 'issuers', 'sums_sha256', 'levels'],
    ...['checkpoint', 'log'],
  ],
};

/** Returns the claims of a verified statement that a later version has added. Verifiers ignore them. */
export function unknownClaims(jwt: Uint8Array | string): string[] {
  const { type, payload } = readCompactJws(jwt, STATEMENT_TYPES);
  return unknownClaimsIn({ type, claims: payload });
}

/** Returns the claims of a parsed statement that a later version has added. None if its type is unknown, too. */
export function unknownClaimsIn({ type, claims }: Pick<Statement, 'type' | 'claims'>): string[] {
  const known = CLAIMS[type as StatementType];
  if (known === undefined) return [];
  return Object.keys(claims).filter((claim) => !TIMES.includes(claim) && !known.includes(claim));
}

/** Returns the unknown claims of the steps of a verified rotation. */
export function unknownClaimsOfSteps(rotation: Uint8Array): string[] {
  return [...new Set((parseStrictJson(rotation) as string[]).flatMap(unknownClaims))];
}
