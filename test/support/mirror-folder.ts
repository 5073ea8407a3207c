import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { copyOf, madeOnce } from './made-once.js';
import { CLI } from './paths.js';
import { cleanEnvironment, cli, filesBelow, type Outcome, recordText, writeFiles } from './workspace.js';

/** A folder in which a registry is published to `dist` and mirrored to `mirror`. */
export interface MirrorFolder {
  readonly folder: string;
  readonly rootKey: RootKey;
  /** The published tree. */
  readonly tree: string;
  /** Publishes a new list, with `updatedAt` as its time. If no record has changed since, it changes one. */
  publish(updatedAt: string, ...args: string[]): Promise<void>;
  mirror(source: string, ...args: string[]): Promise<Outcome>;
  /** Starts a mirror as a separate process. */
  start(source: string, ...args: string[]): ChildProcess;
  /** Starts a mirror that checks the source every second. */
  watching(source: string): WatchingMirror;
  /** Returns the time of the list that the mirror serves. */
  served(): string;
}

/** A mirror that runs, and what it has printed so far: JSON on stdout, and words on stderr. */
interface WatchingMirror {
  readonly child: ChildProcess;
  readonly reports: () => string;
  readonly said: () => string;
}

/** Creates a folder with a root key of its own, and a first publication of three issuers. */
export async function publishFirst(folder: string): Promise<void> {
  const ids = ['alpha', 'beta.example.com', 'gamma'];
  writeFiles(folder, Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
  const { stdout } = await cli(['keys', 'generate', '--no-passphrase', '--private', 'key.pem'], folder);
  writeFiles(folder, { 'root.json': stdout });
  await build(folder, '2026-11-01T00:00:00Z');
}

async function build(folder: string, updatedAt: string, ...args: string[]): Promise<void> {
  changeOneRecord(folder);
  const options = ['build', '--key', 'key.pem', '--updated-at', updatedAt, ...args];
  const { code, stderr } = await cli(options, folder);
  if (code !== 0) throw new Error(stderr);
}

/** A list is only made anew if a record has changed. So one is changed, unless a test has changed the records. */
function changeOneRecord(folder: string): void {
  const [issuers, built] = ['issuers', 'built-issuers'].map((name) => join(folder, name)) as [string, string];
  const text = (records: string) =>
    filesBelow(records)
      .map((path) => path + readFileSync(join(records, path), 'utf8'))
      .join();
  if (existsSync(built) && text(issuers) === text(built)) {
    const [first = ''] = filesBelow(issuers);
    const [lines] = readFileSync(join(issuers, first), 'utf8').split('policy_uri');
    writeFiles(issuers, { [first]: `${lines}policy_uri: https://${randomUUID()}.internal/\n` });
  }
  rmSync(built, { recursive: true, force: true });
  cpSync(issuers, built, { recursive: true });
}

/** Returns such a folder, with a first publication of three issuers. All folders of a run have one root key. */
export async function mirrorFolder(): Promise<MirrorFolder> {
  const folder = copyOf(await madeOnce('mirror-folder', publishFirst));
  const root = readFileSync(join(folder, 'root.json'), 'utf8');
  const command = (source: string, args: readonly string[]) => [
    ...['mirror', source, 'mirror', '--trust-anchor', 'root.json'],
    ...args,
  ];
  const start = (source: string, ...args: string[]) =>
    spawn(process.execPath, [CLI, ...command(source, args)], {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    folder,
    rootKey: await importRootKey(JSON.parse(root)),
    tree: join(folder, 'dist'),
    publish: (updatedAt, ...args) => build(folder, updatedAt, ...args),
    mirror: (source, ...args) => cli(command(source, args), folder),
    start,
    watching: (source) => {
      const child = start(source, '--every', '1', '--json');
      const [reports, said] = [child.stdout, child.stderr].map((stream) => {
        let text = '';
        stream?.on('data', (chunk: Buffer) => {
          text += chunk;
        });
        return () => text;
      }) as [() => string, () => string];
      return { child, reports, said };
    },
    served: () => JSON.parse(readFileSync(join(folder, 'mirror/current/issuers.json'), 'utf8')).updated_at,
  };
}
