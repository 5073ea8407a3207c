import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TrustAnchor } from '@passport-registry/verifier';
import { copyOf, madeOnce } from './made-once.js';
import { at } from './publication.js';
import { plainHost } from './serving.js';
import { ORIGIN } from './test-log.js';
import type { Version } from './versions.js';
import { recordText, writeFiles } from './workspace.js';

/** The issuers: one that is revoked, one on hold, and one that stays as it is. */
export const ISSUERS = ['harbour', 'held', 'other'];

/** Signs with the root key. The settings name the online key, and the key of the log. */
export const KEYS = ['--key', 'root.pem'];

export const SETTINGS = {
  checkpoint: { signer: { key: 'online.pem' } },
  log: { origin: ORIGIN, signer: { key: 'log.pem' } },
};

/** Names the trust anchor of a registry. */
export const PINNED = ['--root-key', 'anchor.json'];

/** A folder in which any version of the program can publish and mirror. */
export interface Registry {
  readonly folder: string;
  /** The published tree. */
  readonly tree: string;
  /** Pins the first root key, which a rotation has replaced, and demands a witness. It is also in anchor.json. */
  readonly anchor: TrustAnchor;
}

/**
 * Returns a registry with everything that a tree can have: a rotation, a delegation, a
 * checkpoint, snapshots under both root keys, an issuer on hold, and a log. A mirror of another version cosigns the log,
 * and the operations statement reports that mirror. It is made once in a run, and copied.
 */
export async function registryWithEverything(publisher: Version, witness: Version): Promise<Registry> {
  const made = await madeOnce(`registry-${publisher.name}`, (folder) => publish(folder, publisher, witness));
  const registry = registryIn(copyOf(made));
  await nameMirror(registry);
  return registry;
}

function registryIn(folder: string): Registry {
  const anchor: TrustAnchor = JSON.parse(readFileSync(join(folder, 'anchor.json'), 'utf8'));
  return { folder, tree: join(folder, 'dist'), anchor };
}

async function publish(folder: string, publisher: Version, witness: Version): Promise<void> {
  await writeKeys(folder, publisher);
  const run = async (...args: string[]) => (await publisher.cli(args, folder)).stdout;
  const delegate = ['keys', 'delegate', '--online', 'online.json', '--hold', '--key'];
  writeFiles(folder, { 'first.jwt': await run(...delegate, 'first.pem') });
  writeFiles(folder, { 'registry.yaml': JSON.stringify(SETTINGS) });
  await run('build', '--key', 'first.pem', '--delegation', 'first.jwt', '--updated-at', at(-120));
  writeFiles(folder, {
    step: await run(
      'keys',
      publisher.name === 'now' ? 'step' : 'rotate',
      '--key',
      'first.pem',
      '--next',
      'root.json',
    ),
    'root.jwt': await run(...delegate, 'root.pem'),
  });
  writeFiles(folder, { 'registry.yaml': JSON.stringify(SETTINGS) });
  const rotated = ['--rotation', 'step', '--delegation', 'root.jwt'];
  await run('build', ...KEYS, ...rotated, '--renew', '--updated-at', at(-60));
  const vkey = await run('keys', 'public', 'witness.pem', '--witness', 'mirror.example', '--state', 'state');
  const anchor = {
    root: JSON.parse(readFileSync(join(folder, 'first.json'), 'utf8')),
    ...{ checkpoint: 'required', publication: 'required' },
    ...{ log: ORIGIN, witnesses: [vkey.trim()], quorum: 1 },
  };
  writeFiles(folder, { 'anchor.json': JSON.stringify(anchor) });
  const registry = registryIn(folder);
  await cosign(witness, registry);
  await nameMirror(registry);
  const online = publisher.name === 'now' ? '--online-key' : '--key';
  await run('checkpoint', 'dist', online, 'online.pem');
  await run('hold', 'held', online, 'online.pem');
}

/** Names the mirror in registry.yaml: the publisher collects its cosignatures. */
export async function nameMirror({ folder, anchor: { witnesses = [] } }: Registry): Promise<void> {
  const mirror = await plainHost(join(folder, 'witness/current'), '404.html');
  const log = { ...SETTINGS.log, quorum: 1, witnesses: witnesses.map((key) => ({ key, mirror })) };
  writeFiles(folder, { 'registry.yaml': JSON.stringify({ ...SETTINGS, mirrors: [mirror], log }) });
}

/** Lets a mirror cosign the log of the tree. */
export async function cosign(witness: Version, { folder, tree }: Registry): Promise<void> {
  const source = await plainHost(tree, '404.html');
  const key = ['--witness-key', 'witness.pem', '--witness-state', 'state'];
  await witness.cli(['mirror', source, 'witness', '--root-key', 'first.json', ...key], folder);
}

/** Revokes the issuer `harbour`. The publication waits in the log until the witness has cosigned it. */
export async function revokeHarbour(publisher: Version, witness: Version, registry: Registry): Promise<void> {
  const { folder } = registry;
  writeFiles(folder, { 'issuers/harbour.yaml': recordText('harbour', { status: 'revoked' }) });
  await publisher.cli(['build', ...KEYS, '--cosign-later'], folder);
  await cosign(witness, registry);
  await complete(publisher, registry);
}

/** Completes the publication that waits in the log. The version before has another command for it. */
export async function complete({ name, cli }: Version, { folder }: Registry): Promise<void> {
  const args = name === 'now' ? ['checkpoint', '--online-key'] : ['cosign', '--checkpoint-key'];
  await cli([...args, 'online.pem'], folder);
}

/** Writes records and keys. */
async function writeKeys(folder: string, { name: version, cli }: Version): Promise<void> {
  // The version before knows no passphrases here.
  const plain = version === 'now' ? ['--no-passphrase', '--private'] : ['--out'];
  for (const name of ['first', 'root', 'online', 'log', 'witness']) {
    const { stdout } = await cli(['keys', 'generate', ...plain, `${name}.pem`], folder);
    writeFiles(folder, { [`${name}.json`]: stdout });
  }
  writeFiles(folder, Object.fromEntries(ISSUERS.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
}

/** Lists the files of a tree that verifiers read, apart from those that every build signs anew. The page is for people. */
export function seenFiles(tree: string): string[] {
  const paths = readdirSync(tree, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => READ_BY_VERIFIERS.test(path) && statSync(join(tree, path)).isFile()).sort();
}

const READ_BY_VERIFIERS =
  /^(issuers\.json|issuers\.sig|publication\.jwt|keys\/.*|issuers\/[^.].*|sums\/[^.].*|snapshots\/.*|log\/(?:tile|statements|lists)\/.*)$/;
