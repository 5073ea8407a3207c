import {
  parseStrictJson,
  readCompactJws,
  STATEMENT_CLAIMS,
  STATEMENT_TYPES,
  type StatementType,
  TIME_CLAIMS,
} from '@passport-registry/verifier/internal';

/** Returns the claims of a verified statement that a later version has added. Verifiers ignore them. */
export function unknownClaims(jwt: Uint8Array | string): string[] {
  const { type, payload } = readCompactJws(jwt, STATEMENT_TYPES);
  const known: readonly string[] = [...TIME_CLAIMS, ...STATEMENT_CLAIMS[type as StatementType]];
  return Object.keys(payload).filter((claim) => !known.includes(claim));
}

/** Returns the unknown claims of the steps of a verified rotation. */
export function unknownClaimsOfSteps(rotation: Uint8Array): string[] {
  return [...new Set((parseStrictJson(rotation) as string[]).flatMap(unknownClaims))];
}
