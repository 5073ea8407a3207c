import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RegistryFiles, RootKey } from '@passport-registry/verifier';
import { decodeJwt } from 'jose';
import { assertClientAccepts } from './assert-client-accepts.js';
import { CHECKSUMS_PATH, sha256 } from './checksums.js';
import { IoFailed, TreeRejected, UsageError } from './errors.js';
import { expiryOf } from './expiry.js';
import { PATHS } from './paths.js';
import { readPublished } from './published.js';
import type { Signer } from './sign.js';
import { withStaging } from './staging.js';
import { checkpointStatement } from './statements.js';
import type { Tree } from './tree.js';
import { formatUpdatedAt } from './updated-at.js';
import { stage, switchFile } from './write.js';

/** Which key signs a checkpoint, and for how long it holds. */
export interface CheckpointChoice {
  /** An online key that the root key has delegated, or the root key itself. */
  readonly signer: Signer;
  readonly hours: number;
}

/** What a checkpoint vouches for now. */
export interface CheckpointReport {
  readonly updatedAt: string;
  readonly sha256: string;
  /** When it expires, RFC 3339. */
  readonly expires: string;
  /** When the delegation that it rests on expires, RFC 3339; undefined when the root key signed it. */
  readonly delegationExpires: string | undefined;
  /** What soon will expire, in words. */
  readonly warnings: readonly string[];
}

/** A tree with its checkpoint signed anew; the tree itself when none is wanted. */
export async function withCheckpoint(
  tree: Tree,
  updatedAt: string,
  choice: CheckpointChoice | undefined,
): Promise<Tree> {
  if (choice === undefined) return tree;
  const bytes = (path: string) => tree.get(path) ?? new Uint8Array();
  const subject = { list: bytes(PATHS.list), checksums: bytes(CHECKSUMS_PATH), updatedAt };
  const text = await checkpointStatement(choice.signer, subject, choice.hours, Date.now());
  return new Map([...tree, [PATHS.checkpoint, Buffer.from(text)]]);
}

/**
 * Signs the checkpoint of a published tree anew, and touches nothing else (SPEC B6). It is accepted by a client before
 * it is published, and takes the place of the old one by one rename.
 *
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected} | {@link IoFailed}
 */
export async function publishCheckpoint(out: string, choice: CheckpointChoice): Promise<CheckpointReport> {
  return withStaging(out, async (staging) => {
    const published = await readPublished(out);
    const { list, updatedAt, rootKey, signed } = published ?? {};
    if (list === undefined || updatedAt === undefined || rootKey === undefined || !signed) {
      throw new TreeRejected(`${out} holds no registry that is rightly signed; build it first`);
    }
    const hash = sha256(list);
    if (!existsSync(join(out, PATHS.snapshot(hash, PATHS.list)))) {
      throw new UsageError(
        `${out} has no snapshot of its list: checkpoints begin with a build that has --delegation or --checkpoint-key`,
      );
    }
    const checksums = readFileSync(join(out, CHECKSUMS_PATH));
    const text = await checkpointStatement(
      choice.signer,
      { list, updatedAt, checksums },
      choice.hours,
      Date.now(),
    );
    await assertClientAccepts(overlaid(out, PATHS.checkpoint, Buffer.from(text)), rootKey);
    switchIn(text, staging, out);
    return { updatedAt, sha256: hash, ...expiries(text, out, choice.signer, rootKey) };
  });
}

function expiries(text: string, out: string, signer: Signer, rootKey: RootKey) {
  const at = (jwt: string) => formatUpdatedAt(Number(decodeJwt(jwt).exp) * 1000);
  const byRoot = signer.rootKey.thumbprint === rootKey.thumbprint;
  const delegation = byRoot ? undefined : readFileSync(join(out, PATHS.delegation), 'utf8');
  return {
    expires: at(text),
    delegationExpires: delegation === undefined ? undefined : at(delegation),
    warnings: expiryOf(text, delegation, Date.now()).soon,
  };
}

function overlaid(out: string, path: string, bytes: Uint8Array): RegistryFiles {
  return {
    get: async (wanted) => {
      if (wanted === path) return bytes;
      const file = join(out, wanted);
      return existsSync(file) ? readFileSync(file) : undefined;
    },
  };
}

function switchIn(text: string, staging: string, out: string): void {
  try {
    switchFile(stage(Buffer.from(text), join(staging, 'checkpoint')), out, PATHS.checkpoint);
  } catch (cause) {
    throw new IoFailed(`${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
