import { PATHS } from '../../generator/tree/paths.js';

/**
 * Everything that the root key signs, in the order in which it is shown and signed. `file` has the bytes to sign, which any
 * tool that signs a file can sign: a list, or header and claims of a JWT (RFC 7515, JWS Signing Input). `signature` has the
 * signature over them.
 */
export const PAYLOADS = {
  list: { file: PATHS.list, signature: PATHS.signature },
  publication: { file: 'publication.signing-input', signature: 'publication.sig' },
  checkpoint: { file: 'checkpoint.signing-input', signature: 'checkpoint.sig' },
  rotation: { file: 'rotation.signing-input', signature: 'rotation.sig' },
} as const;

/** The type of a payload. */
export type PayloadType = keyof typeof PAYLOADS;

/** The types of payloads, in the order of the table. */
export const PAYLOAD_TYPES = Object.keys(PAYLOADS) as readonly PayloadType[];

/** One payload of a verified request. */
export interface Payload {
  readonly type: PayloadType;
  /** The bytes to sign. */
  readonly bytes: Uint8Array;
  /** The text of the signature that the payload has already, if it needs no other; undefined if it is to be signed. */
  readonly signature: string | undefined;
}
