import type { RootKey } from '@passport-registry/verifier';
import { type Delegation, delegationOf, readStatement } from '@passport-registry/verifier/core';
import { KeyRejected } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { damagedLog, newestEntries, readLogHead } from '../../generator/log/log-files.js';
import { publicHalf } from '../../generator/signing/key-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';
import { verifiedDelegation } from './own-tree.js';
import { otherDelegation } from './published-before.js';

/** What may name a key that was replaced. */
export interface KeyPlaces {
  /** The online key of registry.yaml, which must not be the new one yet. Default: it may be, because the new delegation is signed. */
  readonly checkpoint?:
    | {
        readonly public_key?: string | undefined;
        readonly signer?: { readonly key?: string | undefined } | undefined;
      }
    | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Asserts that none of the keys to which the root key is about to delegate was replaced, perhaps because it has leaked. A key that
 * the published delegation leaves out was replaced if an earlier delegation names it, in the log of the tree or in the working
 * directory. If registry.yaml names it, that file is older than the tree: `keys delegate > FILE` may have emptied the file of the
 * earlier delegation by then.
 *
 * @param published - undefined if there is no tree, which then shows nothing
 * @throws {@link KeyRejected}; {@link TreeRejected} if the log is damaged
 */
export async function assertNotReplaced(
  keys: readonly RootKey[],
  published: PublishedTree | undefined,
  { checkpoint, env }: KeyPlaces,
): Promise<void> {
  if (published?.rootKey === undefined || published.development) return;
  const { rootKey, folder: out } = published;
  const delegation = readIfReadable(out, PATHS.delegation);
  if (delegation === undefined) return;
  // One that is damaged shows nothing, and a new one replaces it.
  const current = await verifiedDelegation(delegation, rootKey);
  if (current === undefined) return;
  const left = keys.filter((key) => !names(current, key));
  if (left.length === 0) return;
  const others = current.keys.map(({ thumbprint }) => thumbprint).join(' or ');
  const logged = await loggedDelegations(out);
  const configured = await thumbprintsOf(checkpoint, env);
  for (const key of left) {
    const { thumbprint } = key;
    const leaves = `the delegation in ${out} is to ${others}, and leaves out the online key ${thumbprint}`;
    const isEarlier = (one: Delegation) => names(one, key) && one.issuedAt <= current.issuedAt;
    if (logged.some(isEarlier))
      throw new KeyRejected(
        `${leaves}, which an earlier one in the log names: it was replaced, and may have leaked. Get registry.yaml from whoever has ` +
          'replaced it, or delegate to a key that you make now',
      );
    const other = await otherDelegation(thumbprint, { rootKey, delegation }, env);
    if (other?.isEarlier)
      throw new KeyRejected(
        `${leaves}, which the earlier ${other.file} names: if it was replaced because it has leaked, never delegate to it again, and get ` +
          'registry.yaml from whoever has replaced it. Only if not, remove that file first, also from git',
      );
    if (configured.includes(thumbprint))
      throw new KeyRejected(
        `${leaves}, which registry.yaml names: if one of you has replaced it, run \`git pull\`, and never delegate to a key again that ` +
          `has leaked. If it is a new key, let registry.yaml name ${others} once more, delegate first, and change registry.yaml afterwards`,
      );
  }
}

const names = ({ keys }: Delegation, { thumbprint }: RootKey) =>
  keys.some((key) => key.thumbprint === thumbprint);

/** Reads the delegations in the log of a tree, of each root key that the registry had. None if the tree has no log. @throws {@link TreeRejected} */
async function loggedDelegations(out: string): Promise<readonly Delegation[]> {
  const read = (path: string) => readIfReadable(out, path);
  const head = readLogHead(read);
  const entries = head === undefined ? [] : [...newestEntries(read, head.size)];
  return Promise.all(
    entries
      .filter(({ entry }) => entry.type === 'delegation')
      .map(({ index, entry }) => {
        const path = PATHS.loggedStatement(index);
        const jwt = read(path);
        if (jwt === undefined || sha256(jwt) !== entry.sha256)
          throw damagedLog(`lacks ${path}, or has another one`);
        return delegationOf(readStatement(jwt, 'registry-delegation+jwt', damagedLog)).catch(
          (cause: Error) => {
            throw damagedLog(`has ${path}, which ${cause.message}`);
          },
        );
      }),
  );
}

/** The thumbprints of the keys that a section names, as far as they can be read here without a passphrase. */
async function thumbprintsOf(
  { public_key: file, signer }: NonNullable<KeyPlaces['checkpoint']> = {},
  env: NodeJS.ProcessEnv,
): Promise<readonly (string | undefined)[]> {
  const named = [file, signer?.key].filter((source) => source !== undefined);
  return Promise.all(
    named.map(async (source) => (await publicHalf(source, env).catch(() => undefined))?.thumbprint),
  );
}
