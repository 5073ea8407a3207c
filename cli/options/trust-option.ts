import { assertTrustAnchor, assertTrustPolicy, type TrustPolicy } from '@passport-registry/verifier';
import { parseStrictJson } from '@passport-registry/verifier/core';
import { Option } from 'commander';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { isTrustAnchor, parseJson, parseRootKey, readKeySource } from '../../generator/signing/key-file.js';
import { type PinnedTrust, pinnedAnchor, pinnedKey } from '../../generator/verification/pinned-trust.js';
import type { Io } from '../terminal/io.js';
import type { WithSettings } from './settings.js';

/** The option of commands that verify, for the help. */
export const TRUST_OPTION = new Option('--trust-anchor <file>', 'trust anchor, or JWK of the root key');

/** The options of commands that verify. */
export interface WithTrust extends WithSettings {
  trustAnchor?: string;
}

/** Returns the file of the trust anchor or of the root key. Undefined if neither the command line nor registry.yaml names one. */
export function trustFile({ trustAnchor, settings }: WithTrust): string | undefined {
  return trustAnchor ?? settings.root_key;
}

/** What `--trust-anchor` names. */
export interface TrustOption extends PinnedTrust {
  /** The URLs in the trust anchor, if any. */
  readonly sources: readonly string[];
}

/**
 * Loads a trust anchor or a root key. The command must enforce everything that the result requires.
 *
 * @param file - the path of a file, or `env:NAME`
 * @throws {@link KeyRejected} | {@link IoFailed} | {@link UsageError}
 */
export async function loadTrust({ env }: Io, file: string): Promise<TrustOption> {
  const text = readKeySource(file, env);
  if (!isTrustAnchor(parseJson(text))) {
    return { ...pinnedKey(await parseRootKey(text, file)), sources: [] };
  }
  try {
    // Two members of the same name could hide a requirement.
    const anchor: unknown = parseStrictJson(text);
    assertTrustAnchor(anchor);
    return { ...(await pinnedAnchor(anchor)), sources: anchor.sources ?? [] };
  } catch (cause) {
    throw new KeyRejected(`${file} is not a valid trust anchor: ${(cause as Error).message}`, { cause });
  }
}

/** Reads a trust policy. @throws {@link UsageError} | {@link IoFailed} */
export function readPolicy(file: string): TrustPolicy {
  const text = readText(file);
  try {
    // Two members of the same name could hide whom the policy denies.
    const policy: unknown = parseStrictJson(text);
    assertTrustPolicy(policy);
    return policy;
  } catch (cause) {
    throw new UsageError(`${file} is not a trust policy: ${(cause as Error).message}`, { cause });
  }
}
