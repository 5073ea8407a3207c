import { dirname, join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { PATHS } from '../../generator/tree/paths.js';

/** The folder, in a request, of what the outgoing root key signs. A step names no publication, so another request can take it over. */
export const OUTGOING = 'outgoing';

/**
 * Everything that root keys sign, in the order in which it is shown and signed: the outgoing key signs the rotation, and the root key
 * of the publication the rest. `file` has the bytes to sign, which any tool that signs a file can sign: a list, or header and claims
 * of a JWT (RFC 7515, JWS Signing Input). `signature` has the signature over them.
 */
export const PAYLOADS = {
  list: { file: PATHS.list, signature: PATHS.signature },
  publication: { file: 'publication.signing-input', signature: 'publication.sig' },
  checkpoint: { file: 'checkpoint.signing-input', signature: 'checkpoint.sig' },
  rotation: { file: `${OUTGOING}/rotation.signing-input`, signature: `${OUTGOING}/rotation.sig` },
} as const;

/** The type of a payload. */
export type PayloadType = keyof typeof PAYLOADS;

/** The types of payloads, in the order of the table. */
export const PAYLOAD_TYPES = Object.keys(PAYLOADS) as readonly PayloadType[];

/** One payload of a verified request. */
export interface Payload {
  readonly type: PayloadType;
  /** The root key that signs it. */
  readonly rootKey: RootKey;
  /** The bytes to sign. */
  readonly bytes: Uint8Array;
  /** The text of the signature that the payload has already, if it needs no other; undefined if it is to be signed. */
  readonly signature: string | undefined;
}

/** Returns the folder of a payload, in which the holders who sign it exchange their messages. */
export const folderOf = (request: string, type: PayloadType): string =>
  join(request, dirname(PAYLOADS[type].file));
