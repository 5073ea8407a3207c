import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { LogKeys } from './long-log.js';
import { noteSigner, pairIn } from './note-keys.js';
import { listen } from './serving.js';
import { withKeys } from './settings.js';
import { signerKey } from './signed-tree.js';
import { ORIGIN } from './test-log.js';
import { cli, type Outcome, recordText, workspace, writeFiles } from './workspace.js';

export { ORIGIN } from './test-log.js';

/** A folder in which a registry with a log is published to `dist` and mirrored to `mirror`. */
export interface LoggedFolder {
  readonly folder: string;
  readonly tree: string;
  readonly keys: LogKeys;
  /** Publishes a list in which one record has changed. */
  publish(...args: string[]): Promise<void>;
  /** Runs a command that must succeed. Returns its stdout. */
  good(...args: string[]): Promise<string>;
  mirror(source: string, ...args: string[]): Promise<Outcome>;
  /** The served tree. */
  readonly current: string;
}

/** The options that name settings in which larger lists than so many MiB are not kept. */
export function keptLists(folder: string, megabytes: number): readonly string[] {
  writeFiles(folder, { 'kept.yaml': `log: { keep_lists: ${megabytes} }\n` });
  return ['--config', 'kept.yaml'];
}

/** Creates such a folder, with a first publication. */
export async function loggedFolder(...args: string[]): Promise<LoggedFolder> {
  const folder = await workspace(['alpha', 'beta']);
  const good = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, folder);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  writeFiles(folder, {
    'key.json': await good('keys', 'public', 'key.pem'),
    'log.json': await good('keys', 'generate', '--no-passphrase', '--private', 'log.pem'),
  });
  const log = noteSigner(ORIGIN, 'log', pairIn(join(folder, 'log.pem')));
  let changes = 0;
  const here: LoggedFolder = {
    ...{ folder, good, tree: join(folder, 'dist'), current: join(folder, 'mirror/current') },
    keys: { root: await signerKey(folder, 'key'), log },
    publish: async (...more) => {
      writeFiles(folder, {
        'issuers/alpha.yaml': recordText('alpha', { policy_uri: `https://alpha.alt/${changes++}` }),
      });
      await good('build', '--key', 'key.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN }), ...more);
    },
    mirror: (source, ...more) => cli(['mirror', source, 'mirror', '--root-key', 'key.json', ...more], folder),
  };
  await here.publish(...args);
  return here;
}

/** A host that serves what a test decides, and notes what is requested. */
export interface ToldHost {
  readonly base: string;
  /** The requests since the last call, as `path` or `HEAD path`. */
  requested(): string[];
  /** Returns the body for a path: undefined makes the file missing. */
  answer: (path: string) => Buffer | undefined;
}

/** Starts a host that serves a tree, until a test tells it otherwise. */
export async function toldHost(tree: string): Promise<ToldHost> {
  const requests: string[] = [];
  const fromTree = (path: string) => {
    const file = join(tree, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  };
  const host = { answer: fromTree, base: '', requested: () => requests.splice(0) };
  host.base = await listen((request: IncomingMessage, response) => {
    const path = (request.url ?? '').slice(1).replace(/\?.*/, '');
    requests.push(request.method === 'HEAD' ? `HEAD ${path}` : path);
    const body = host.answer(path);
    response.writeHead(body === undefined ? 404 : 200).end(request.method === 'HEAD' ? undefined : body);
  });
  return host;
}
