import { importRootKey, type RootKey } from '@passport-registry/verifier';
import type { GroupKey, GroupSize } from './frost.js';
import { base64url } from './message.js';
import { SharedKeyRejected } from './shared-key-rejected.js';

/** A holder, as the others know him. */
export interface GroupHolder {
  readonly number: number;
  readonly name: string;
  /** The public key that verifies the holder's messages: `x` of an Ed25519 JWK. */
  readonly x: string;
}

/** A shared key and its holders. All of it is public. */
export interface KeyGroup {
  readonly key: GroupKey;
  readonly rootKey: RootKey;
  readonly holders: readonly KeyHolder[];
}

/** A holder with the imported key. */
export interface KeyHolder extends GroupHolder {
  readonly messageKey: RootKey;
}

/**
 * Returns the group of a shared key.
 *
 * @param commitments - the commitments to the key's polynomial. The first is the public key
 * @throws {@link SharedKeyRejected}
 */
export async function keyGroup(
  commitments: readonly Uint8Array[],
  holders: readonly GroupHolder[],
): Promise<KeyGroup> {
  try {
    const [first = new Uint8Array()] = commitments;
    return {
      key: { threshold: commitments.length, holders: holders.length, commitments },
      rootKey: await importRootKey(ed25519Jwk(base64url(first))),
      holders: await Promise.all(
        holders.map(async (holder) => ({ ...holder, messageKey: await importRootKey(ed25519Jwk(holder.x)) })),
      ),
    };
  } catch (cause) {
    const { message } = cause as Error;
    const problem = `the shared key or a key of a holder is not valid: ${message}`;
    throw new SharedKeyRejected('ERR_OTHER_KEY', problem, { cause });
  }
}

/** Returns the public JWK of an Ed25519 key. */
export const ed25519Jwk = (x: string) => ({ kty: 'OKP', crv: 'Ed25519', x }) as const;

/** Returns a holder by number. @throws {@link SharedKeyRejected} */
export function holderOf({ holders }: Pick<KeyGroup, 'holders'>, number: number): KeyHolder {
  const found = holders.find((holder) => holder.number === number);
  if (found !== undefined) return found;
  throw new SharedKeyRejected('ERR_OTHER_KEY', `the shared key has no holder ${number}`);
}

/** The holders who sign together in one session: their numbers, ascending. */
export type Signers = readonly number[];

/** Returns every set of `threshold` of the holders 1 to `holders`, in lexicographic order. */
export function sessionsOf({ threshold, holders }: GroupSize): Signers[] {
  const extend = (chosen: Signers, next: number): Signers[] => {
    if (chosen.length === threshold) return [chosen];
    const candidates = Array.from({ length: Math.max(holders - next + 1, 0) }, (_, index) => next + index);
    return candidates.flatMap((number) => extend([...chosen, number], number + 1));
  };
  return extend([], 1);
}

/** The name of a session, in messages and file names: `1-3-4`. */
export const sessionName = (signers: Signers): string => signers.join('-');

/** Names holders in words: `Anna, Bo and Cy`. */
export function nameHolders(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
}
