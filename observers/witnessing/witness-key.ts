import type { RootKey } from '@passport-registry/verifier';
import { formatNoteKey } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../../generator/errors.js';

/** The names that a trust anchor accepts: ASCII without white space and plus. */
const NAME = /^[!-*,-~]{1,400}$/;

/**
 * Returns the verifier key of a witness, as a trust anchor and registry.yaml contain it (C2SP tlog-cosignature).
 *
 * @param name - a URL without a scheme, such as `mirror.example`
 * @throws {@link KeyRejected} if the key is not an Ed25519 key; {@link UsageError} if the name is not acceptable
 */
export function witnessVkey(name: string, { algorithm, jwk }: RootKey): string {
  if (!NAME.test(name) || name.includes('://')) {
    throw new UsageError(
      `the name of a witness is a URL without https://, such as mirror.example, not ${JSON.stringify(name)}`,
    );
  }
  if (algorithm !== 'Ed25519') {
    throw new KeyRejected(
      'the key is a P-256 key, but witnesses sign with Ed25519: generate a key with `keys generate`',
    );
  }
  return formatNoteKey(name, 'witness', jwk.x);
}
