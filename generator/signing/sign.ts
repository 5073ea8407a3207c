import { type RootKey, verifySignature } from '@passport-registry/verifier';
import { encodeSignature } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../errors.js';

/** Signs with one key. The private key itself never passes through this interface. */
export interface Signer {
  /** The public key. */
  readonly rootKey: RootKey;
  /** Whether this is the development key of this machine, which is not for production. */
  readonly development: boolean;
  /** Returns the raw signature over the bytes: 64 bytes, Ed25519, or ES256 as r||s. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Returns a signer of which only the public key is here. @param problem - why it cannot sign, as a whole sentence */
export function publicSigner(rootKey: RootKey, problem: string): Signer {
  const sign = async () => {
    throw new KeyRejected(problem);
  };
  return { rootKey, development: false, sign };
}

/**
 * Signs a payload, such as a list, verifies the signature, and returns the detached signature: for a list, the content
 * of issuers.sig.
 *
 * @throws {@link KeyRejected} if the signature is not valid under the signer's own root key; {@link UsageError} if a passphrase
 * cannot be asked for
 */
export async function signPayload(payload: Uint8Array, signer: Signer): Promise<string> {
  try {
    const signature = encodeSignature(await signer.sign(payload));
    await verifySignature(payload, signature, signer.rootKey);
    return signature;
  } catch (cause) {
    if (cause instanceof KeyRejected || cause instanceof UsageError) throw cause;
    throw new KeyRejected(`signing failed: ${(cause as Error).message}`, { cause });
  }
}
