import { isIntegerWithin } from '../bytes/checks.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { JwsRefused, readCompactJws } from '../keys/compact-jws.js';
import { importRootKey } from '../keys/root-key.js';
import { MAX_ROTATION_STEPS } from '../limits.js';
import {
  type PublicationEntry,
  publicationEntry,
  type RotationEntry,
  rotationEntry,
} from '../log/log-entry.js';
import { type PublicationStatement, publicationStatementOf } from '../statements/publication-statement.js';
import { readStatement, type Statement } from '../statements/statement.js';
import { LOGGED_TYPES, STATEMENT_TYPES } from '../statements/statement-types.js';

/** A statement of a log, with the entry that follows from it. The signature has not been verified. */
export type LoggedStatement = { readonly statement: Statement } & (
  | { readonly entry: PublicationEntry; readonly publication: PublicationStatement }
  | { readonly entry: RotationEntry; readonly publication?: undefined }
  // No entry follows from a statement of a type that a later version has added (rule other-entries).
  | { readonly entry?: undefined; readonly publication?: undefined }
);

/**
 * Reads a statement of a log, and makes its entry (rules log-entries, log-statements).
 *
 * @param jwt - the statement, or the bytes of its file exactly as received
 * @param steps - the number of rotation steps in the log before the statement
 * @param invalid - creates the error to throw
 */
export async function readLogged(
  jwt: Uint8Array | string,
  steps: number,
  invalid: Invalid,
): Promise<LoggedStatement> {
  // Whatever has no type that a log contains is refused as a publication statement.
  const statement = readStatement(jwt, typeNamed(jwt) ?? LOGGED_TYPES.publication, invalid);
  try {
    return { statement, ...(await entryOf(statement, steps)) };
  } catch (error) {
    throw error instanceof RegistryError ? invalid(`is not valid: ${error.message}`, error) : error;
  }
}

/** Whether no entry follows from a statement, because a later version has added its type (rule other-entries). */
export function isOfOtherType(jwt: Uint8Array): boolean {
  const type = typeNamed(jwt);
  return type !== undefined && !Object.values<string>(LOGGED_TYPES).includes(type);
}

/** The form of the `typ` of a statement, also of later versions. */
const STATEMENT_TYPE = /^registry-[a-z0-9-]{1,64}\+jwt$/;

/**
 * Returns the `typ` of a JWT. Undefined if a log cannot contain the type. A known statement of another kind must not be
 * logged with a new meaning.
 */
function typeNamed(jwt: Uint8Array | string): string | undefined {
  try {
    const { header } = readCompactJws(jwt, ['registry-*+jwt'], { isType: (typ) => STATEMENT_TYPE.test(typ) });
    const type = String(header['typ']);
    const isLogged = Object.values<string>(LOGGED_TYPES).includes(type);
    return isLogged || !STATEMENT_TYPES.some((known) => known === type) ? type : undefined;
  } catch (error) {
    // The code that reads the statement throws its own error.
    if (error instanceof JwsRefused) return undefined;
    throw error;
  }
}

async function entryOf(statement: Statement, steps: number) {
  const { type, claims, text } = statement;
  if (type === LOGGED_TYPES.publication) {
    const publication = publicationStatementOf(statement);
    return { entry: publicationEntry(publication), publication };
  }
  if (type !== LOGGED_TYPES.rotation) return {};
  const { thumbprint } = await importRootKey(claims['next_root']);
  // A step need not name its position. A log begins with all steps that there are.
  const { step = steps + 1 } = claims;
  if (!isIntegerWithin(step, 1, MAX_ROTATION_STEPS))
    throw new RegistryError('ERR_ROTATION_INVALID', 'its claim step is no position in a rotation');
  return { entry: rotationEntry(text, thumbprint, step) };
}
