import type { TrustAnchor } from '@passport-registry/verifier';
import { GRAMMAR, logTrustOf } from '@passport-registry/verifier/core';
import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import type { Witnessed } from '../../generator/verification/pinnable-registry.js';

/** The options for the witnesses that a verifier trusts. */
export interface QuorumOptions {
  witness?: string[];
  quorum?: string;
}

/** Adds the options for the witnesses that a verifier trusts. */
export function addQuorumOptions(command: Command): Command {
  return command
    .option('--witness <vkey...>', "verifier keys of the log's witnesses, from their operators")
    .option('--quorum <number>', 'how many of these witnesses must have cosigned the log');
}

/** Returns the witnesses and the quorum. Undefined if no option is about witnesses. @throws {@link UsageError} */
export function quorumChoice({ witness: witnesses, quorum }: QuorumOptions): Witnessed | undefined {
  if (witnesses === undefined && quorum === undefined) return undefined;
  if (witnesses === undefined || quorum === undefined) {
    throw new UsageError(
      '--witness and --quorum need each other: name the witnesses, and how many must have cosigned',
    );
  }
  const malformed = witnesses.find((vkey) => !GRAMMAR.witnessKey.pattern.test(vkey));
  if (malformed !== undefined) {
    throw new UsageError(
      `--witness takes the verifier key of a witness, as \`keys witness\` prints it, not ${JSON.stringify(malformed)}`,
    );
  }
  if (!/^(?:[1-9]|[12][0-9]|3[0-2])$/.test(quorum))
    throw new UsageError('--quorum takes a number from 1 to 32');
  const witnessed = { witnesses, quorum: Number(quorum) };
  try {
    logTrustOf({ log: 'registry.example/log', ...witnessed } as TrustAnchor);
  } catch (cause) {
    throw new UsageError(`--witness and --quorum: ${(cause as Error).message}`, { cause });
  }
  return witnessed;
}
