import { importRootKey, RegistryError } from '@passport-registry/verifier';
import {
  delegationEntry,
  JwsRefused,
  type LogEntry,
  publicationClaims,
  publicationEntry,
  readCompactJws,
  readStatement,
  rotationEntry,
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
  readonly entry: LogEntry;
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

async function entryOf(statement: Statement, text: string, steps: number): Promise<LogEntry> {
  const { type, claims, issuedAt } = statement;
  if (type === TYPES.publication) return publicationEntry({ ...publicationClaims(statement), text });
  if (type === TYPES.delegation) return delegationEntry(text, issuedAt);
  const { thumbprint } = await importRootKey(claims['next_root']);
  // Steps of older versions do not name their position (rule log-statements). A log begins with all steps that there
  // are.
  return rotationEntry(text, thumbprint, typeof claims['step'] === 'number' ? claims['step'] : steps + 1);
}
