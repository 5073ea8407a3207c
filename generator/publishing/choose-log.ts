import type { LogIdentity } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../errors.js';
import { readPublicationStatement } from '../freshness/statements.js';
import { isLocalOrigin, type LogChoice, NO_WITNESSES } from '../log/log-choice.js';
import { logIdentity } from '../log/sign-head.js';
import type { Signer } from '../signing/sign.js';
import type { PublishedTree } from '../tree/published-tree.js';

/**
 * Returns the log that the publication statement names: that of the choice, or else the published one.
 *
 * @param signed - a publication statement that was signed elsewhere, which may begin a log
 * @throws {@link UsageError} if the choice has another name than the published log; {@link KeyRejected} if it has another key
 */
export function chooseLog(
  choice: LogChoice | undefined,
  published: Pick<PublishedTree, 'statement' | 'development'> | undefined,
  signed?: string,
): LogIdentity | undefined {
  const known = published?.statement.log;
  const named = signed === undefined ? undefined : readPublicationStatement(signed).log;
  const origin = choice?.origin ?? named?.origin ?? known?.origin;
  if (known !== undefined && origin !== known.origin) {
    throw new UsageError(
      `the log is ${known.origin}, and its name never changes: set log.origin in registry.yaml to ${known.origin}`,
    );
  }
  if (choice?.signer === undefined) return known;
  if (origin === undefined) {
    throw new UsageError(
      'a new log needs a name: set log.origin in registry.yaml to the host of the registry and /log',
    );
  }
  const chosen = logIdentity(origin, choice.signer.rootKey);
  const isNamed = chosen.vkey === known?.vkey || chosen.vkey === named?.vkey;
  if (known !== undefined && !isNamed && !published?.development && choice.mayReplaceKey !== true)
    throw otherLogKey(known, chosen);
  return chosen;
}

/**
 * Asserts that a production key begins no log under a name that only one machine has, such as that of a trial: the name of a log
 * never changes (rule log-name).
 *
 * @throws {@link UsageError}
 */
export function assertLastingName(
  log: LogIdentity | undefined,
  published: Pick<PublishedTree, 'statement'> | undefined,
): void {
  if (log === undefined || published?.statement.log !== undefined || !isLocalOrigin(log.origin)) return;
  throw new UsageError(
    `the name of a log is permanent, and ${log.origin} names a single machine: set log.origin in registry.yaml to the registry's host and ` +
      '/log',
  );
}

/** The end of a key's life looks like a wrong file, so the operator has to name the new key, too. */
function otherLogKey(known: LogIdentity, chosen: LogIdentity): KeyRejected {
  const id = ({ vkey }: LogIdentity) => vkey.split('+')[1];
  return new KeyRejected(
    `the published log ${known.origin} has the key ${id(known)}, but log.signer is the key ${id(chosen)}: set log.signer in registry.yaml to ` +
      'the key of the log',
    { isOtherKey: true, see: 'docs/operators/emergency.md#the-key-of-the-log-is-lost' },
  );
}

/** A development build signs its log with the development key, unless it is given another one. */
export function withDevelopmentKey(
  choice: LogChoice | undefined,
  signer: Signer,
  published: Pick<PublishedTree, 'statement'> | undefined,
): LogChoice | undefined {
  const hasLog = choice !== undefined || published?.statement.log !== undefined;
  if (!signer.development || !hasLog || choice?.signer !== undefined) return choice;
  return { ...NO_WITNESSES, ...choice, signer };
}
