import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { copyOf, madeOnce } from './made-once.js';
import { withKeys } from './settings.js';
import { cli, type Outcome, workspace, writeFiles } from './workspace.js';

/** A registry with a checkpoint by an online key, a log and statements.json. */
export interface StatementsRegistry {
  readonly folder: string;
  readonly tree: string;
  readonly build: () => Promise<Outcome>;
}

const BUILD = [
  ...['build', '--key', 'key.pem'],
  ...withKeys({ checkpoint: 'online.pem', log: 'log.pem', origin: 'registry.example/log' }),
];

/** Makes such a registry, with the issuers alpha and beta. */
export async function publishedWithLog(): Promise<StatementsRegistry> {
  const folder = copyOf(await madeOnce('statements-registry', make));
  return { folder, tree: join(folder, 'dist'), build: () => cli(BUILD, folder) };
}

async function make(folder: string): Promise<void> {
  cpSync(await workspace(['alpha', 'beta']), folder, { recursive: true });
  const said = async (...args: string[]) => (await cli(args, folder)).stdout;
  for (const name of ['online', 'log']) {
    await said('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`);
  }
  writeFiles(folder, {
    'root.json': await said('keys', 'public', 'key.pem'),
    'online.json': await said('keys', 'public', 'online.pem'),
  });
  await said(...BUILD);
}
