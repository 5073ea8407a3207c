import { canonicalBytes, isObject, parseStrictJson, STATEMENT_FILES } from '@passport-registry/verifier/core';
import { PATHS } from '../tree/paths.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';

const REMEDY = 'the next `build` or `checkpoint` writes it again';

/** Checks that `statements.json` holds what the files of the tree say, and nothing else (rule statements-file). */
export async function checkStatementsFile(files: SeenFiles): Promise<void> {
  const bytes = await files.require(PATHS.statements);
  const members = membersOf(bytes);
  const problems: string[] = [];
  for (const path of STATEMENT_FILES) {
    const file = await files.get(path);
    const member = members[path];
    if (member === undefined && file === undefined) continue;
    const isSame = typeof member === 'string' && file !== undefined && Buffer.from(member).equals(file);
    if (!isSame) problems.push(`${PATHS.statements} does not have ${path} as the tree has it: ${REMEDY}`);
  }
  failIfAny(problems);
}

function membersOf(bytes: Uint8Array): Record<string, unknown> {
  let members: unknown;
  try {
    members = parseStrictJson(bytes);
  } catch (error) {
    throw new Problems([`${PATHS.statements} is not JSON: ${(error as Error).message}`]);
  }
  if (!isObject(members) || !Buffer.from(bytes).equals(canonicalBytes(members))) {
    throw new Problems([`${PATHS.statements} is not an object in canonical form: ${REMEDY}`]);
  }
  return members;
}
