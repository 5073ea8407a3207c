import {
  readCompactJws,
  readRotation,
  STATEMENT_CLAIMS,
  STATEMENT_TYPES,
  type Statement,
  type StatementType,
  TIME_CLAIMS,
} from '@passport-registry/verifier/core';

/** Returns the claims of a verified statement that a later version has added. Verifiers ignore them. */
export function unknownClaims(jwt: Uint8Array | string): string[] {
  const { type, payload } = readCompactJws(jwt, STATEMENT_TYPES);
  return unknownClaimsIn({ type, claims: payload });
}

/** Returns the claims of a parsed statement that a later version has added. None if its type is unknown, too. */
export function unknownClaimsIn({ type, claims }: Pick<Statement, 'type' | 'claims'>): string[] {
  if (!Object.hasOwn(STATEMENT_CLAIMS, type)) return [];
  const known: readonly string[] = [...TIME_CLAIMS, ...STATEMENT_CLAIMS[type as StatementType]];
  return Object.keys(claims).filter((claim) => !known.includes(claim));
}

/** Returns the unknown claims of the steps of a verified rotation. */
export function unknownClaimsOfSteps(rotation: Uint8Array): string[] {
  return [...new Set(readRotation(rotation).flatMap(unknownClaimsIn))];
}
