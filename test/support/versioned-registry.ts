import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RootJwk } from '@passport-registry/verifier';
import { at } from './publication.js';
import type { Version } from './versions.js';
import { recordText, temporaryFolder, writeFiles } from './workspace.js';

/** A folder with records and keys, in which any version of the program can publish. */
export interface Registry {
  readonly folder: string;
  readonly rootKey: RootJwk;
}

/** So many that the version before publishes a delta, which is smaller than the list. */
export const ISSUERS = ['harbour', ...Array.from({ length: 20 }, (_value, index) => `issuer${index}`)];

/** Creates the folder, with records, a root key, an online key and a delegation. */
export async function registryFolder({ cli }: Version): Promise<Registry> {
  const folder = temporaryFolder();
  for (const name of ['root', 'online']) {
    const { stdout } = await cli(['keys', 'generate', '--no-passphrase', '--out', `${name}.pem`], folder);
    writeFiles(folder, { [`${name}.json`]: stdout });
  }
  const { stdout } = await cli(['keys', 'delegate', '--key', 'root.pem', '--online', 'online.json'], folder);
  writeFiles(folder, {
    'delegation.jwt': stdout,
    ...Object.fromEntries(ISSUERS.map((id) => [`issuers/${id}.yaml`, recordText(id)])),
  });
  return { folder, rootKey: JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')) };
}

/** Changes one record. */
export function suspendHarbour({ folder }: Registry): void {
  writeFiles(folder, { 'issuers/harbour.yaml': recordText('harbour', { status: 'suspended' }) });
}

/** Builds the tree `out` with a checkpoint. A changed list gets a time some seconds before now. */
export async function publish(
  { cli }: Version,
  { folder }: Registry,
  out: string,
  secondsAgo = 0,
): Promise<void> {
  const keys = ['--key', 'root.pem', '--checkpoint-key', 'online.pem', '--delegation', 'delegation.jwt'];
  await cli(['build', '--out', out, '--updated-at', at(-secondsAgo), ...keys], folder);
}

/**
 * Lists the files of a tree that verifiers read, apart from the checkpoint, which every build signs anew. The page is
 * for people.
 */
export function seenFiles(tree: string): string[] {
  const paths = readdirSync(tree, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => READ_BY_VERIFIERS.test(path) && statSync(join(tree, path)).isFile()).sort();
}

const READ_BY_VERIFIERS = /^(issuers\.json|issuers\.sig|keys\/.*|issuers\/[^.].*|snapshots\/.*|deltas\/.*)$/;
