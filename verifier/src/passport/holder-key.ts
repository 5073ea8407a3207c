import { type CheckedJwk, importChecked, type PublicKey, publicMembers } from '../core/keys/public-key.js';
import { Rejection } from './rejection.js';

/** The checked public key of a passport's holder. It is imported at its first use. */
export class HolderKey {
  readonly #jwk: CheckedJwk;
  #imported: Promise<PublicKey> | undefined;

  /** @param jwk - the `cnf.jwk` of a passport */
  constructor(jwk: unknown) {
    this.#jwk = publicMembers(jwk, rejectKey);
  }

  imported(): Promise<PublicKey> {
    this.#imported ??= importChecked(this.#jwk, rejectKey);
    return this.#imported;
  }
}

function rejectKey(message: string, cause?: unknown): Rejection {
  return new Rejection([{ code: 'token-claims', message: `cnf.jwk ${message}` }], { cause });
}
