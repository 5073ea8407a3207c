import { importRootKey, RegistryError } from '@passport-registry/verifier';
import {
  type AnyEntry,
  delegationEntry,
  JwsRefused,
  type LogEntry,
  publicationClaims,
  publicationEntry,
  readCompactJws,
  readStatement,
  rotationEntry,
  STATEMENT_TYPES,
  type Statement,
  type StatementType,
  textOf,
} from '@passport-registry/verifier/internal';

/** The types of the statements in a log, by the types of their entries (rule log-entries). */
const TYPES: Readonly<Record<LogEntry['type'], StatementType>> = {
  publication: 'registry-publication+jwt',
  delegation: 'registry-delegation+jwt',
  rotation: 'registry-root-rotation+jwt',
};

/** A statement of the root key, and its entry in the log. The signature has not been verified. */
export interface LoggedStatement {
  readonly entry: AnyEntry;
  readonly statement: Statement;
}

/**
 * Makes the entry of a statement.
 *
 * @param jwt - the statement, or the bytes of its file exactly as received
 * @param steps - the number of rotation steps in the log before the statement
 * @param invalid - creates the error to throw
 */
export async function readLogged(
  jwt: Uint8Array | string,
  steps: number,
  invalid: (message: string) => Error,
): Promise<LoggedStatement> {
  const text = textOf(jwt, invalid);
  try {
    const { type } = readCompactJws(text, Object.values(TYPES));
    const statement = readStatement(text, type as StatementType, invalid);
    return { statement, entry: await entryOf(statement, text, steps) };
  } catch (error) {
    if (error instanceof JwsRefused) throw invalid(error.message);
    if (error instanceof RegistryError) throw invalid(`is not valid: ${error.message}`);
    throw error;
  }
}

/** The form of the `typ` of a statement, also of later versions. */
const STATEMENT_TYPE = /^registry-[a-z0-9-]{1,64}\+jwt$/;

/**
 * Reads the statement of an entry that a later version has added. Its `typ` must be unknown, too: otherwise a known
 * statement could be logged a second time, with another meaning.
 *
 * @returns undefined if the statement is of a known type, or of no type of a registry
 */
export function readUnknown(
  jwt: Uint8Array | string,
  invalid: (message: string) => Error,
): Statement | undefined {
  try {
    const { type } = readCompactJws(jwt, [STATEMENT_TYPE]);
    const isKnown = STATEMENT_TYPES.some((known) => known === type);
    return isKnown ? undefined : readStatement(jwt, type, invalid);
  } catch (error) {
    if (!(error instanceof JwsRefused)) throw error;
    if (error.fault === 'type') return undefined;
    throw invalid(error.message);
  }
}

async function entryOf(statement: Statement, text: string, steps: number): Promise<LogEntry> {
  const { type, claims, issuedAt } = statement;
  if (type === TYPES.publication) return publicationEntry({ ...publicationClaims(statement), text });
  if (type === TYPES.delegation) return delegationEntry(text, issuedAt);
  const { thumbprint } = await importRootKey(claims['next_root']);
  // Steps of older versions do not name their position (rule log-statements). A log begins with all steps that there
  // are.
  return rotationEntry(text, thumbprint, typeof claims['step'] === 'number' ? claims['step'] : steps + 1);
}
