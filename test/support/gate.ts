import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEachFile } from './endings.js';
import { AUDIENCE, type IssuerWorld } from './passport-world.js';
import { ROOT } from './paths.js';
import { checkpoint, type Files, publish, type TestKey, testKey, withOnlineKey } from './publication.js';
import { type RegistryHost, registryHost } from './registry-host.js';
import { until } from './until.js';
import { cleanEnvironment, commandLine, temporaryFolder, writeFiles } from './workspace.js';

/** The folder of a door: trust anchor, policy, and the settings that all of its tests share. */
export interface GateFolder {
  readonly folder: string;
  readonly host: RegistryHost;
  readonly root: TestKey;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Returns the code blocks of a language below a heading of docs/gateways.md. */
export function documented(heading: string, language: string): string[] {
  const [, below = ''] = readFileSync(join(ROOT, 'docs/gateways.md'), 'utf8').split(`\n## ${heading}\n`);
  const [section = ''] = below.split('\n## ');
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}

/**
 * Makes the folder of a door that trusts certified issuers, and the host of a registry that lists some.
 *
 * @param hold - the ids that the checkpoint of the registry holds. Without it, there is no checkpoint
 */
export async function gateFolder(
  worlds: readonly IssuerWorld[],
  hold?: readonly string[],
): Promise<GateFolder> {
  const [root, folder] = [await testKey(), temporaryFolder()];
  chmodSync(folder, 0o755);
  const records = worlds.map(({ record }) => record).sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  const host = await registryHost(await holding(publish(root, records), root, hold));
  writeFiles(folder, {
    'trust-anchor.json': JSON.stringify({ root: root.rootKey.jwk, sources: [host.base] }),
    'policy.json': JSON.stringify({ tiers: ['certified'] }),
  });
  const settings = {
    gateway: 'nginx',
    listen: '127.0.0.1:0',
    trust_anchor: 'trust-anchor.json',
    policy: 'policy.json',
    audience: AUDIENCE,
    connect: Object.fromEntries(worlds.map(({ url, address }) => [url, address])),
    profiles: { site: {}, mail: { action: 'email.send' }, api: { token: { type: 'at+jwt' } } },
  };
  return { folder, host, root, settings };
}

async function holding(files: Files, root: TestKey, hold: readonly string[] | undefined): Promise<Files> {
  if (hold === undefined) return files;
  const online = await testKey();
  const named = withOnlineKey(files, root, online, { hold: true });
  return new Map(named).set('checkpoint.jwt', Buffer.from(await checkpoint(named, online, { hold })));
}

/** A door that runs in the process of the test. */
export interface TestGate {
  readonly address: string;
  /** The events of its log so far. */
  events(): readonly Record<string, unknown>[];
  /** The lines of its log so far, without their ends. */
  log(): string;
  /** Ends it as a signal does. Returns the exit code. */
  stop(): Promise<number>;
}

const running: TestGate[] = [];
afterEachFile(async () => {
  for (const gate of running.splice(0)) await gate.stop();
});

/** Runs `gate` in this process, and waits until it listens. @param more - settings besides those of the folder */
export async function startGate(
  { folder, settings }: Pick<GateFolder, 'folder' | 'settings'>,
  more: Readonly<Record<string, unknown>> = {},
  env: Record<string, string> = {},
): Promise<TestGate> {
  const file = join(folder, `gate-${running.length}.yaml`);
  writeFiles(folder, { [`gate-${running.length}.yaml`]: JSON.stringify({ ...settings, ...more }) });
  const { main } = await commandLine();
  let [out, said] = ['', ''];
  const collect = (add: (text: string) => void) =>
    new Writable({ write: (chunk, _encoding, done) => done(void add(String(chunk))) });
  const before = process.rawListeners('SIGTERM');
  let code: number | undefined;
  const ended = main(['gate', file], {
    stdout: collect((text) => {
      out += text;
    }),
    stderr: collect((text) => {
      said += text;
    }),
    stdin: Readable.from([]),
    env: cleanEnvironment(env),
  }).then((result) => {
    code = result;
    return result;
  });
  const events = () =>
    out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const address = () => events().find(({ event }) => event === 'listening')?.address;
  await until(() => code !== undefined || address() !== undefined);
  if (code !== undefined) throw new Error(`the door ended with ${code}: ${said}`);
  // Only the listener of this door: a signal would end all that run in this process.
  const own = process.rawListeners('SIGTERM').filter((listener) => !before.includes(listener));
  const gate: TestGate = {
    address: address(),
    events,
    log: () => out.replaceAll('\n', ''),
    stop: () => {
      for (const listener of own) listener('SIGTERM');
      return ended;
    },
  };
  running.push(gate);
  return gate;
}

/** Waits until a door has its list. */
export async function ready({ address }: TestGate): Promise<void> {
  // The time limit of the test ends sooner.
  for (let asked = 0; asked < 3_000; asked++) {
    if ((await fetch(`${address}/readyz`)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the door has no list');
}
