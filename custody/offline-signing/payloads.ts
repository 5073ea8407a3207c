import type { StatementType } from '@passport-registry/verifier/core';
import { PATHS } from '../../generator/tree/paths.js';

/** How a payload lies in the folder of a request. */
interface PayloadFiles {
  /** The bytes to sign. Any tool that signs a file can sign them. */
  readonly file: string;
  /** The signature over them. */
  readonly signature: string;
  /** The `typ` of the JWT whose header and claims are signed (RFC 7515, JWS Signing Input); undefined for the list. */
  readonly typ: StatementType | undefined;
}

/** Everything that the root key signs, in the order in which it is shown and signed. */
export const PAYLOADS = {
  list: { file: PATHS.list, signature: PATHS.signature, typ: undefined },
  publication: {
    file: 'publication.signing-input',
    signature: 'publication.sig',
    typ: 'registry-publication+jwt',
  },
  delegation: {
    file: 'delegation.signing-input',
    signature: 'delegation.sig',
    typ: 'registry-delegation+jwt',
  },
  rotation: {
    file: 'rotation.signing-input',
    signature: 'rotation.sig',
    typ: 'registry-root-rotation+jwt',
  },
} as const satisfies Readonly<Record<string, PayloadFiles>>;

/** The type of a payload. */
export type PayloadType = keyof typeof PAYLOADS;

/** The types of payloads, in the order of the table. */
export const PAYLOAD_TYPES = Object.keys(PAYLOADS) as readonly PayloadType[];

/** The end of the name of every payload that is not the list. */
export const INPUT_SUFFIX = '.signing-input';

/** One payload of a verified request. */
export interface Payload {
  readonly type: PayloadType;
  /** The bytes to sign. */
  readonly bytes: Uint8Array;
  /** The text of the signature that the payload has already, if it needs no other; undefined if it is to be signed. */
  readonly signature: string | undefined;
}
