import type { RootKey } from '@passport-registry/verifier';
import { type LogIdentity, parseNoteKey, readRotation } from '@passport-registry/verifier/core';
import { KeyRejected } from '../errors.js';
import type { OnlineChoice } from '../freshness/online-keys.js';
import type { PublishedTree } from '../tree/published-tree.js';

/** What the online keys must not be. */
interface OtherKeys {
  readonly rootKey: RootKey;
  readonly log: LogIdentity | undefined;
  /** The published tree, whose rotation names earlier root keys. */
  readonly published: Pick<PublishedTree, 'rootKey' | 'statements'> | undefined;
}

/**
 * Returns which online keys a publication names. The root key may sign checkpoints as it is, so it is none of them. The key of the
 * log has a task of its own, and a root key that was replaced may have leaked.
 *
 * @throws {@link KeyRejected}
 */
export function chooseOnline(
  choice: OnlineChoice | undefined,
  { rootKey, log, published }: OtherKeys,
): OnlineChoice | undefined {
  // In a rotation, the settings may still name the outgoing key.
  const roots = [rootKey.thumbprint, published?.rootKey.thumbprint];
  const keys = choice?.keys.filter(({ thumbprint }) => !roots.includes(thumbprint)) ?? [];
  if (choice === undefined || keys.length === 0) return undefined;
  const invalid = (message: string) => new KeyRejected(`the key of the log ${message}`);
  const logKey = log && parseNoteKey(log.vkey, 'log', invalid).jwk;
  const replaced = readRotation(published?.statements.rotation ?? []).map(({ kid }) => kid);
  for (const { thumbprint, jwk } of keys) {
    if (jwk.x === logKey?.x)
      throw new KeyRejected(`the online key ${thumbprint} is the key of the log: use a key of its own`);
    if (replaced.includes(thumbprint))
      throw new KeyRejected(`the online key ${thumbprint} was the root key before: use a key of its own`);
  }
  return { ...choice, keys };
}
