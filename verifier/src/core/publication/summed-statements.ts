import { RegistryError } from '../errors.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import {
  type AcceptedStatements,
  acceptStatements,
  readStatements,
  type SourceTrust,
  underAnyRoot,
} from './statements.js';

/** The statements of a registry that has a publication statement, which also names the tree of sums. */
export interface SummedStatements extends AcceptedStatements {
  readonly statement: NonNullable<AcceptedStatements['statement']>;
}

/**
 * Reads and verifies the statements of a source, without the list. The rules are those for a whole publication, but the
 * publication statement is required: nothing else proves what the list contains.
 */
export async function readSummedStatements(
  files: RegistryFiles,
  trust: SourceTrust,
): Promise<SummedStatements> {
  const source = limitFiles(files);
  return underAnyRoot(trust.roots, async (root) => {
    const statements = await readStatements(source, root, trust);
    const { statement } = statements;
    if (statement === undefined) {
      throw new RegistryError(
        'ERR_PUBLICATION_MISSING',
        'the source has no publication statement, which a look-up needs: use createRegistryClient',
      );
    }
    return { ...acceptStatements(statements, statement, trust), statement };
  });
}
