import { isListOf, isObject } from '../bytes/checks.js';
import { strictJsonOf } from '../bytes/strict-json.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { TREE_FILES } from '../tree-files.js';
import type { RegistryFiles } from './registry-files.js';

/** The content of `statements.json` (rule statements-file). Nothing in it has been verified. */
export interface StatementsFile {
  /** The publication statement, a JWT. */
  readonly publication: string;
  /** The checkpoint, a JWT. */
  readonly checkpoint: string;
  /** The steps from older root keys, JWTs, oldest first. Empty if the root key was never replaced. */
  readonly rotation: readonly string[];
  /** The proof that the log contains the publication statement. Undefined if there is none. */
  readonly logProof: string | undefined;
}

/** The members that this version knows. Clients ignore others, which auditors report (rule later-versions). */
export const STATEMENTS_MEMBERS: readonly string[] = ['publication', 'checkpoint', 'rotation', 'log_proof'];

const invalid: Invalid = (problem, cause) =>
  new RegistryError('ERR_STATEMENTS_INVALID', `${TREE_FILES.statements} ${problem}`, { cause });

/** Parses `statements.json`. @throws `ERR_STATEMENTS_INVALID` */
export function parseStatementsFile(bytes: Uint8Array): StatementsFile {
  const value = strictJsonOf(bytes, invalid);
  if (!isObject(value)) throw invalid('is not a JSON object');
  const { publication, checkpoint, rotation = [], log_proof: logProof } = value;
  if (!isText(publication)) throw invalid('has no publication');
  if (!isText(checkpoint)) throw invalid('has no checkpoint');
  if (!isListOf(rotation, isText)) throw invalid('has a malformed rotation');
  if (logProof !== undefined && !isText(logProof)) throw invalid('has a malformed log_proof');
  return { publication, checkpoint, rotation: rotation as readonly string[], logProof };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Formats `statements.json` in canonical form: its members are in the order of RFC 8785. */
export function formatStatementsFile({
  publication,
  checkpoint,
  rotation,
  logProof,
}: StatementsFile): Uint8Array {
  const file = {
    checkpoint,
    ...(logProof !== undefined && { log_proof: logProof }),
    publication,
    ...(rotation.length > 0 && { rotation }),
  };
  return new TextEncoder().encode(JSON.stringify(file));
}

/** Reads `statements.json`. @throws `ERR_SOURCE_STATUS` if the source has no such file; `ERR_STATEMENTS_INVALID` */
export async function readStatementsFile(files: RegistryFiles): Promise<StatementsFile> {
  const bytes = await files.get(TREE_FILES.statements);
  if (bytes !== undefined) return parseStatementsFile(bytes);
  throw new RegistryError('ERR_SOURCE_STATUS', `the source has no ${TREE_FILES.statements}`);
}
