import { type ErrorDetails, GeneratorError } from '../../generator/errors.js';

/** The stable names of what can be wrong with a key that holders share, or with a message of one of them. */
export type SharedKeyFault =
  /** A message of a holder is malformed, of another type, or not signed by the holder. */
  | 'ERR_HOLDER_MESSAGE'
  /** A message of the ceremony is not the one that was there before, or that another holder has seen. */
  | 'ERR_CEREMONY_CHANGED'
  /** Messages of other holders are missing. */
  | 'ERR_HOLDERS_MISSING'
  /** A part of the key does not fit what its sender has published. */
  | 'ERR_KEY_PART'
  /** The words of the fingerprint are not those of this folder. */
  | 'ERR_FINGERPRINT'
  /** The file of a share cannot be decrypted: the passphrase is wrong, or the file is damaged. */
  | 'ERR_SHARE_UNREADABLE'
  /** A share, a commitment or a list of holders belongs to another key or another ceremony. */
  | 'ERR_OTHER_KEY'
  /** A message belongs to other payloads: the request was changed between holders. */
  | 'ERR_REQUEST_CHANGED'
  /** Commitments of this holder are not those that this machine has made, or have been used with others. */
  | 'ERR_COMMITMENTS_CHANGED'
  /** The nonces for this request have been used, or were never on this machine. */
  | 'ERR_NONCES_USED'
  /** A signature share is not valid. */
  | 'ERR_SIGNATURE_SHARE';

/** What a holder of a shared key, or a coordinator, must not accept. The message never contains any part of a share. */
export class SharedKeyRejected extends GeneratorError {
  readonly code: SharedKeyFault;
  readonly exitCode = 3;
  /** The name of the holder to whom the fault is attributed. Undefined if there is none. */
  readonly holder: string | undefined;

  constructor(
    code: SharedKeyFault,
    message: string,
    options: ErrorDetails & { readonly holder?: string } = {},
  ) {
    super(message, { see: 'docs/holders.md#sign', ...options });
    this.code = code;
    this.holder = options.holder;
  }
}
