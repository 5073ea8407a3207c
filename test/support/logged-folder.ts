import { cpSync, existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { LogKeys } from './long-log.js';
import { copyOf, madeOnce } from './made-once.js';
import { noteSigner, pairIn } from './note-keys.js';
import { keyIn } from './publication.js';
import { listen } from './serving.js';
import { withKeys } from './settings.js';
import { STATEMENT_PATHS, together } from './statements.js';
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

/** Returns such a folder, with a first publication. All folders of a run have the same keys. */
export async function loggedFolder(): Promise<LoggedFolder> {
  const made = await madeOnce('logged-folder', async (home) => {
    cpSync((await otherLoggedFolder()).folder, home, { recursive: true });
  });
  const folder = copyOf(made);
  // What this machine has signed with the key, which all copies have.
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  return loggedFolderIn(folder, 1);
}

/** Creates such a folder with keys of its own. */
async function otherLoggedFolder(): Promise<LoggedFolder> {
  const folder = await workspace(['alpha', 'beta']);
  for (const [name, ...args] of [
    ['key', 'public', 'key.pem'],
    ['log', 'generate', '--no-passphrase', '--private', 'log.pem'],
  ]) {
    writeFiles(folder, { [`${name}.json`]: (await cli(['keys', ...args], folder)).stdout });
  }
  const here = await loggedFolderIn(folder, 0);
  await here.publish();
  return here;
}

/** @param published - how often the record has changed */
async function loggedFolderIn(folder: string, published: number): Promise<LoggedFolder> {
  const good = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, folder);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  const log = noteSigner(ORIGIN, 'log', pairIn(join(folder, 'log.pem')));
  let changes = published;
  return {
    folder,
    good,
    tree: join(folder, 'dist'),
    current: join(folder, 'mirror/current'),
    keys: { root: await keyIn(join(folder, 'key.pem')), log },
    publish: async (...more) => {
      writeFiles(folder, {
        'issuers/alpha.yaml': recordText('alpha', { policy_uri: `https://alpha.internal/${changes++}` }),
      });
      await good('build', '--key', 'key.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN }), ...more);
    },
    mirror: (source, ...more) =>
      cli(['mirror', source, 'mirror', '--trust-anchor', 'key.json', ...more], folder),
  };
}

/** A host that serves what a test decides, and notes what is requested. */
export interface ToldHost {
  readonly base: string;
  /** The requests since the last call, as `path` or `HEAD path`. */
  requested(): string[];
  /** Returns the body for a path: undefined makes the file missing. A statement may be a file of its own. */
  answer: (path: string) => Buffer | undefined;
}

/** Starts a host that serves a tree, until a test tells it otherwise. */
export async function toldHost(tree: string): Promise<ToldHost> {
  const requests: string[] = [];
  const fromTree = (path: string) => {
    const file = join(tree, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  };
  const host: ToldHost & { base: string } = {
    answer: fromTree,
    base: '',
    requested: () => requests.splice(0),
  };
  host.base = await listen((request: IncomingMessage, response) => {
    const path = (request.url ?? '').slice(1).replace(/\?.*/, '');
    requests.push(request.method === 'HEAD' ? `HEAD ${path}` : path);
    const body = host.answer(path) ?? (path === 'statements.json' ? statementsFrom(host) : undefined);
    response.writeHead(body === undefined ? 404 : 200).end(request.method === 'HEAD' ? undefined : body);
  });
  return host;
}

/** `statements.json`, made of the statements that a host has as files of their own. */
function statementsFrom({ answer }: ToldHost): Buffer | undefined {
  const files = Object.values(STATEMENT_PATHS).map((path) => [path, answer(path)] as const);
  const found = files.flatMap(([path, bytes]) => (bytes === undefined ? [] : [[path, bytes] as const]));
  return together(new Map(found)).get('statements.json');
}
