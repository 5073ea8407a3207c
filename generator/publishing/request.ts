import type { RootKey } from '@passport-registry/verifier';
import type { ListBytes } from '../list/list.js';
import type { CompleteRecords } from '../records/check-records.js';
import { type Signer, signPayload } from '../signing/sign.js';

/** The key that signs a publication. */
export interface RootSigner {
  readonly rootKey: RootKey;
  /** Whether it is the development key of this machine. */
  readonly development: boolean;
}

/** A publication before the root key has signed it. */
export interface PublicationRequest extends RootSigner {
  readonly list: ListBytes;
  /** The records of the list, with what is said of them beside it. */
  readonly records: CompleteRecords;
  /** The signature of the list, if it is published already. */
  readonly signature: string | undefined;
  /** Header and claims of the publication statement; or the published statement, a whole JWT, if that says all of it. */
  readonly statement: Unsigned | Published;
  /**
   * Header and claims of the checkpoint by the root key; or the published checkpoint, if that stays. Undefined: an online key
   * signs the checkpoint.
   */
  readonly checkpoint: Unsigned | Published | undefined;
  /** Header and claims of the step to this root key, which the outgoing root key signs. Undefined: the root key stays. */
  readonly rotation: RequestedStep | undefined;
}

/** What is to be signed, as text: the JWS signing input (RFC 7515). */
interface Unsigned {
  readonly toSign: string;
}

/** A step from the outgoing root key, which signs it, to the root key of the publication. */
export interface RequestedStep extends Unsigned {
  readonly outgoing: RootKey;
}

/** What was signed before, and stays. */
interface Published {
  readonly published: string;
}

/** A publication that its root key has signed, here or elsewhere. */
export interface SignedRequest
  extends Omit<PublicationRequest, 'signature' | 'statement' | 'checkpoint' | 'rotation'> {
  /** The text of issuers.sig. */
  readonly signature: string;
  /** The publication statement, a JWT. */
  readonly statement: string;
  /** The checkpoint, a JWT. Undefined: an online key signs it. */
  readonly checkpoint: string | undefined;
  /** The step to this root key, a JWT by the outgoing key. Undefined: the root key stays. */
  readonly rotation: string | undefined;
}

/**
 * Signs what of a publication the root key has not signed yet. The step comes last: a next key that cannot sign the list gets none.
 *
 * @param outgoing - signs the step to the root key, if the request has one
 * @throws {@link KeyRejected} | {@link UsageError} as {@link signPayload}
 */
export async function signRequest(
  request: PublicationRequest,
  signer: Signer,
  outgoing?: Signer,
): Promise<SignedRequest> {
  const { list, statement, checkpoint, rotation } = request;
  return {
    ...request,
    signature: request.signature ?? (await signPayload(list.list, signer)),
    statement: await signPart(statement, signer),
    checkpoint: checkpoint && (await signPart(checkpoint, signer)),
    rotation: rotation && outgoing && (await signPart(rotation, outgoing)),
  };
}

async function signPart(part: Unsigned | Published, signer: Signer): Promise<string> {
  if ('published' in part) return part.published;
  return `${part.toSign}.${await signPayload(Buffer.from(part.toSign), signer)}`;
}
