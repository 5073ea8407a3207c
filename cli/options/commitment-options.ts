import { GRAMMAR, isAnchorMember } from '@passport-registry/verifier/core';
import { Option } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import type { Io } from '../terminal/io.js';

/** The options of commands that sign a rotation step. */
export interface CommitmentOptions {
  commit?: readonly string[];
}

/** Their option, for the help. */
export const COMMIT_OPTION = new Option(
  '--commit <file|thumbprint...>',
  'the 1 to 3 keys of which one must follow the next root key: public JWKs or thumbprints ' +
    '(default: the keys that are left of the present commitment)',
);

/**
 * Returns the thumbprints that `--commit` names. Undefined if the option is not given.
 *
 * @param given - thumbprints, and files of public keys
 * @throws {@link UsageError} | {@link KeyRejected} | {@link IoFailed}
 */
export async function committedKeys(
  { env }: Io,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (given === undefined) return undefined;
  const thumbprints = await Promise.all(
    given.map(async (one) =>
      GRAMMAR.bytes32.pattern.test(one) ? one : (await loadRootKey(one, env)).thumbprint,
    ),
  );
  if (isAnchorMember('next_roots', thumbprints)) return thumbprints;
  throw new UsageError(`--commit names ${thumbprints.join(', ')}: name 1 to 3 different keys`);
}
