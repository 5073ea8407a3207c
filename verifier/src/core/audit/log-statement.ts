import { decodeBase64url } from '../bytes/base64url.js';
import { decodeUtf8, textOf } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { importRootKey } from '../keys/root-key.js';
import {
  type DelegationEntry,
  delegationEntry,
  type PublicationEntry,
  publicationEntry,
  type RotationEntry,
  rotationEntry,
} from '../log/log-entry.js';
import { type PublishedStatement, publicationClaims } from '../statements/publication-statement.js';
import { type InvalidStatement, readStatement, type Statement } from '../statements/statement.js';
import { STATEMENT_TYPES } from './statement-types.js';

/** The types of the statements in a log, by the types of their entries (rule log-entries). */
const TYPES = {
  publication: 'registry-publication+jwt',
  delegation: 'registry-delegation+jwt',
  rotation: 'registry-root-rotation+jwt',
} as const;

/** A publication statement of a log. */
export interface LoggedPublication extends PublishedStatement {
  /** The thumbprint of the root key that signed it. */
  readonly kid: string;
  /** SHA-256 of the statement before, in hexadecimal. Undefined in the first. */
  readonly previous: string | undefined;
}

/** A statement of a log, with the entry that follows from it. The signature has not been verified. */
export type LoggedStatement = { readonly statement: Statement } & (
  | { readonly entry: PublicationEntry; readonly publication: LoggedPublication }
  | { readonly entry: DelegationEntry | RotationEntry; readonly publication?: undefined }
  // No entry follows from a statement of a type that a later version has added (rule other-entries).
  | { readonly entry?: undefined; readonly publication?: undefined }
);

/**
 * Reads a statement of a log, and makes its entry (rule log-statements).
 *
 * @param jwt - the statement, or the bytes of its file exactly as received
 * @param steps - the number of rotation steps in the log before the statement
 * @param invalid - creates the error to throw
 */
export async function readLogged(
  jwt: Uint8Array | string,
  steps: number,
  invalid: InvalidStatement,
): Promise<LoggedStatement> {
  const text = textOf(jwt, invalid);
  // Whatever has no type that a log contains is refused as a publication statement.
  const statement = readStatement(text, typeNamed(text) ?? TYPES.publication, invalid);
  try {
    return { statement, ...(await entryOf(statement, text, steps)) };
  } catch (error) {
    throw error instanceof RegistryError ? invalid(`is not valid: ${error.message}`, error) : error;
  }
}

/** Whether no entry follows from a statement, because a later version has added its type (rule other-entries). */
export function isOfOtherType(jwt: Uint8Array): boolean {
  const type = typeNamed(new TextDecoder().decode(jwt));
  return type !== undefined && !Object.values<string>(TYPES).includes(type);
}

/** The form of the `typ` of a statement. */
const STATEMENT_TYPE = /^registry-[a-z0-9-]{1,64}\+jwt$/;

/**
 * Returns the `typ` in the header of a JWT, which has not been checked. Undefined if a log cannot contain the type. A known
 * statement of another kind must not be logged with a new meaning.
 */
function typeNamed(jwt: string): string | undefined {
  try {
    const { typ } = JSON.parse(decodeUtf8(decodeBase64url(jwt.split('.', 1)[0] ?? '') ?? new Uint8Array()));
    if (typeof typ !== 'string' || !STATEMENT_TYPE.test(typ)) return undefined;
    const isLogged = Object.values<string>(TYPES).includes(typ);
    return isLogged || !STATEMENT_TYPES.some((known) => known === typ) ? typ : undefined;
  } catch {
    return undefined;
  }
}

async function entryOf(statement: Statement, text: string, steps: number) {
  const { type, claims, kid = '', issuedAt } = statement;
  if (type === TYPES.publication) {
    const previous = claims['previous'] as string | undefined;
    const publication: LoggedPublication = { ...publicationClaims(statement), text, kid, previous };
    return { entry: publicationEntry(publication), publication };
  }
  if (type === TYPES.delegation) return { entry: delegationEntry(text, issuedAt) };
  if (type !== TYPES.rotation) return {};
  const { thumbprint } = await importRootKey(claims['next_root']);
  // Steps of older versions do not name their position. A log begins with all steps that there are.
  const step = typeof claims['step'] === 'number' ? claims['step'] : steps + 1;
  return { entry: rotationEntry(text, thumbprint, step) };
}
