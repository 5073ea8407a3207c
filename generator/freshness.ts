import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, type RootKey, walkRotation } from '@passport-registry/verifier';
import { decodeJwt, jwtVerify } from 'jose';
import { sha256 } from './checksums.js';
import { KeyRejected, UsageError } from './errors.js';
import { PATHS } from './paths.js';
import { type PublishedTree, updatedAtOf } from './published.js';
import type { Tree } from './tree.js';

/** What is new about the freshness of a tree: texts of statements. */
export interface FreshnessChoice {
  /** The root key's delegation to online keys, in place of the published one. */
  readonly delegation?: string | undefined;
  /** The step of a rotation that leads to the root key which signs this time. */
  readonly rotation?: string | undefined;
  /** Whether a checkpoint is signed together with the tree. */
  readonly checkpoint: boolean;
}

/** Lists before the current one whose snapshots stay (SPEC B6). */
const SNAPSHOTS_BEFORE = 2;

/**
 * The files by which a tree shows that it is the newest, and how its root key came about (SPEC B6, B7): what is
 * published already, and what is new. A tree without delegation and checkpoint has none of them.
 *
 * @param out - the folder of the published tree
 * @throws {@link UsageError} | {@link KeyRejected}
 */
export async function freshnessFiles(
  out: string,
  published: PublishedTree | undefined,
  signed: { readonly list: Uint8Array; readonly signature: string; readonly rootKey: RootKey },
  choice: FreshnessChoice,
): Promise<Tree> {
  const held = (path: string) => (existsSync(join(out, path)) ? readFileSync(join(out, path)) : undefined);
  const previousRoot = published?.development ? undefined : published?.rootKey;
  const rootChanged = previousRoot !== undefined && previousRoot.thumbprint !== signed.rootKey.thumbprint;
  const files = new Map<string, Uint8Array>();
  const set = (path: string, bytes: Uint8Array | undefined) => {
    if (bytes !== undefined) files.set(path, bytes);
  };

  set(
    PATHS.rotation,
    await rotationChain(held(PATHS.rotation), previousRoot, signed.rootKey, choice.rotation),
  );
  const checkpoint = held(PATHS.checkpoint);
  const delegation =
    choice.delegation === undefined ? held(PATHS.delegation) : Buffer.from(choice.delegation);
  if (rootChanged && held(PATHS.delegation) !== undefined && choice.delegation === undefined) {
    throw new UsageError(
      'a new root key needs a new delegation: give --delegation, signed by the new root key',
    );
  }
  if (rootChanged && checkpoint !== undefined && !choice.checkpoint) {
    throw new UsageError(
      'under a new root key the checkpoint no longer holds: give --checkpoint-key, so that there is never none',
    );
  }
  if (choice.delegation !== undefined) await assertDelegation(choice.delegation, signed.rootKey);
  set(PATHS.delegation, delegation);
  set(PATHS.checkpoint, checkpoint);
  if (delegation === undefined && checkpoint === undefined && !choice.checkpoint) return files;
  for (const [path, bytes] of snapshots(out, signed, checkpoint)) files.set(path, bytes);
  return files;
}

/** A delegation that does not hold is noticed here, and not only by the first checkpoint that rests on it. */
async function assertDelegation(delegation: string, rootKey: RootKey): Promise<void> {
  try {
    const { payload } = await jwtVerify(delegation, rootKey.cryptoKey, {
      typ: 'registry-delegation+jwt',
      requiredClaims: ['iat', 'exp', 'keys'],
    });
    await Promise.all((payload['keys'] as unknown[]).map(importRootKey));
  } catch (cause) {
    const { message } = cause as Error;
    throw new KeyRejected(`the delegation is none by the root key ${rootKey.thumbprint}: ${message}`, {
      cause,
    });
  }
}

/** The chain of root keys, which must lead from the one before to this one. */
async function rotationChain(
  held: Uint8Array | undefined,
  previous: RootKey | undefined,
  current: RootKey,
  step: string | undefined,
): Promise<Uint8Array | undefined> {
  if (held === undefined && step === undefined) return undefined;
  const steps: unknown = JSON.parse(held === undefined ? '[]' : Buffer.from(held).toString('utf8'));
  const text = JSON.stringify([...(steps as string[]), ...(step === undefined ? [] : [step])]);
  if (previous !== undefined) {
    const { thumbprint } = await walkRotation(previous, text).catch((cause: Error) => {
      throw new KeyRejected(`the rotation does not hold: ${cause.message}`, { cause });
    });
    if (thumbprint !== current.thumbprint) {
      throw new KeyRejected(
        `the rotation leads from ${previous.thumbprint} to ${thumbprint}, and the key is ${current.thumbprint}: ` +
          'make the step that is missing with `keys rotate`, and give it with --rotation',
      );
    }
  }
  return Buffer.from(text);
}

/** Immutable copies of this list, of those before it, and of the one that the checkpoint still names. */
function snapshots(
  out: string,
  { list, signature }: { list: Uint8Array; signature: string },
  checkpoint: Uint8Array | undefined,
): Tree {
  const current = sha256(list);
  const files = new Map<string, Uint8Array>();
  files.set(PATHS.snapshot(current, PATHS.list), list);
  files.set(PATHS.snapshot(current, PATHS.signature), Buffer.from(signature));
  const named = checkpoint === undefined ? undefined : namedList(checkpoint);
  const older = heldSnapshots(out).filter(({ hash }) => hash !== current);
  const kept = older.filter(({ hash }, index) => index < SNAPSHOTS_BEFORE || hash === named);
  for (const { hash, list: old, signature: its } of kept) {
    files.set(PATHS.snapshot(hash, PATHS.list), old);
    files.set(PATHS.snapshot(hash, PATHS.signature), its);
  }
  return files;
}

/** The hash of the list that a checkpoint vouches for; undefined when it is none. */
export function namedList(checkpoint: Uint8Array): unknown {
  try {
    return decodeJwt(Buffer.from(checkpoint).toString('utf8'))['sha256'];
  } catch {
    return undefined;
  }
}

interface Snapshot {
  readonly hash: string;
  readonly list: Uint8Array;
  readonly signature: Uint8Array;
}

/** The snapshots that are whole, newest first. Their names are the hashes of their lists; others are not snapshots. */
function heldSnapshots(out: string): Snapshot[] {
  const folder = join(out, 'snapshots');
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).flatMap((hash): (Snapshot & { updatedAt: string })[] => {
    const file = (name: string) => join(folder, hash, name);
    if (!existsSync(file(PATHS.list)) || !existsSync(file(PATHS.signature))) return [];
    const list = readFileSync(file(PATHS.list));
    if (sha256(list) !== hash) return [];
    return [
      { hash, list, signature: readFileSync(file(PATHS.signature)), updatedAt: updatedAtOf(list) ?? '' },
    ];
  });
  return found.sort((a, b) => (a.updatedAt > b.updatedAt ? -1 : 1));
}
