import { encodeSignature, type RootKey, verifySignature } from '@passport-registry/verifier';
import { KeyRejected } from '../errors.js';

/** Something that can sign with the root key. The private key itself never passes through this interface. */
export interface Signer {
  /** The public half. */
  readonly rootKey: RootKey;
  /** Whether this is a key of this machine, fit for trying things out and for nothing else. */
  readonly development: boolean;
  /** The raw signature over the bytes, 64 of them: Ed25519, or ES256 as r||s. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/**
 * The text of issuers.sig for a list: the detached signature, verified before it goes anywhere.
 *
 * @throws {@link KeyRejected} when the signer's signature is none by its own root key
 */
export async function signList(list: Uint8Array, signer: Signer): Promise<string> {
  try {
    const signature = encodeSignature(await signer.sign(list));
    await verifySignature(list, signature, signer.rootKey);
    return signature;
  } catch (cause) {
    if (cause instanceof KeyRejected) throw cause;
    throw new KeyRejected(`the key does not sign: ${(cause as Error).message}`, { cause });
  }
}
