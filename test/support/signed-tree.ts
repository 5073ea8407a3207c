import { join } from 'node:path';
import { statementHash } from '@passport-registry/verifier/core';
import type { JWTPayload } from 'jose';
import { keyIn, statement, type TestKey } from './publication.js';
import { withKeys } from './settings.js';
import { sha256 } from './sha256.js';
import { claimsOf, STATEMENT_PATHS } from './statements.js';
import { cli, filesOf, recordText, workspace, writeFiles } from './workspace.js';

/** A tree with every kind of file that a tree can have. */
export interface SignedTree {
  readonly folder: string;
  readonly files: ReadonlyMap<string, Buffer>;
  /** The root key before the rotation. The others are the current root key, the online key, and an unrelated key. */
  readonly first: TestKey;
  readonly root: TestKey;
  readonly online: TestKey;
  readonly stranger: TestKey;
}

/** Builds a tree with a rotation, an online key, a checkpoint, lists under both root keys, sums and changes. */
export async function signedTree(): Promise<SignedTree> {
  const ids = Array.from({ length: 24 }, (_one, index) => `issuer-${String(index).padStart(2, '0')}`);
  const folder = await workspace(ids);
  const good = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, folder);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  for (const name of ['first', 'root', 'online', 'stranger']) {
    writeFiles(folder, {
      [`${name}.json`]: await good('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`),
    });
  }
  const keys = {
    first: await keyIn(join(folder, 'first.pem')),
    root: await keyIn(join(folder, 'root.pem')),
    online: await keyIn(join(folder, 'online.pem')),
    stranger: await keyIn(join(folder, 'stranger.pem')),
  };
  const change = (status: 'active' | 'suspended') =>
    writeFiles(folder, { 'issuers/issuer-00.yaml': recordText('issuer-00', { status }) });
  const checkpoint = withKeys({ checkpoint: 'online.pem' });
  await good('build', '--key', 'first.pem', ...checkpoint);
  await good('keys', 'rotate', '--yes', '--key', 'first.pem', '--next-key', 'root.pem', ...checkpoint);
  change('suspended');
  await good('build', '--key', 'root.pem', ...checkpoint);
  return { folder, files: filesOf(join(folder, 'dist')), ...keys };
}

/** Updates SHA256SUMS, as anybody could. */
export function withChecksums(altered: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const files = new Map(altered);
  const sums = [...files]
    .filter(([path]) => !isUnlisted(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`);
  return files.set('SHA256SUMS', Buffer.from(sums.join('')));
}

/** The tree of sums lists the records and the sums files, and the log proves its own files. The others are proven otherwise. */
function isUnlisted(path: string): boolean {
  const isStatement = Object.values<string>(STATEMENT_PATHS).includes(path);
  const isOther = ['SHA256SUMS', 'issuers.sig', 'statements.json'].includes(path);
  return isStatement || isOther || /^(?:issuers\/[^.]|sums\/(?!root$)[^.]|log\/[^.]|lists\/)/.test(path);
}

/** Updates SHA256SUMS, and signs a new checkpoint, as an attacker with the online key could. */
export async function resealed(
  altered: ReadonlyMap<string, Buffer>,
  online: TestKey,
  claims: JWTPayload = {},
): Promise<Map<string, Buffer>> {
  const files = withChecksums(altered);
  const held = files.get('checkpoint.jwt');
  if (held === undefined) return files;
  const publication = statementHash(String(files.get('publication.jwt')));
  const tree_sha256 = sha256(files.get('SHA256SUMS') as Buffer);
  const all = { ...claimsOf(held), publication, tree_sha256, ...claims };
  return files.set('checkpoint.jwt', Buffer.from(await statement(online, 'registry-checkpoint+jwt', all)));
}

/**
 * Signs the publication statement again with other claims, as only a thief of the root key could. A claim of `undefined` is
 * removed. The caller seals the tree.
 */
export async function restated(
  files: ReadonlyMap<string, Buffer>,
  root: TestKey,
  claims: JWTPayload,
): Promise<Map<string, Buffer>> {
  const all = { ...claimsOf(files.get('publication.jwt') as Buffer), ...claims };
  const bytes = Buffer.from(
    await statement(root, 'registry-publication+jwt', JSON.parse(JSON.stringify(all))),
  );
  return new Map(files).set('publication.jwt', bytes);
}
