import { join } from 'node:path';
import { beforeAll, expect, vi } from 'vitest';
import { copyOf } from './made-once.js';
import { plainHost } from './serving.js';
import { cli, workspace, writeFiles } from './workspace.js';

/** A day in minutes, as a clock takes it. */
export const DAY = 24 * 60;

/** The parts of a registry that `status` judges. */
export const PARTS = [
  'rootKey',
  'rotation',
  'tree',
  'list',
  'publication',
  'online',
  'checkpoint',
  'hold',
  'changes',
  'live',
] as const;

/** The settings of a checkpoint by the online key. */
export const ONLINE = 'checkpoint: { signer: { key: online.pem }, public_key: online.json }\n';

/** The registry of a test of `status`, made anew by `registry`, and what can be done with it. */
export function registryForStatus() {
  const here = { folder: '' };
  let made = '';

  async function good(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await cli(args, here.folder);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
    return stdout;
  }

  beforeAll(async () => {
    here.folder = await workspace(['alpha', 'beta']);
    for (const name of ['root', 'online', 'stranger']) {
      writeFiles(here.folder, {
        [`${name}.json`]: await good('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`),
      });
    }
    made = here.folder;
  });

  /** A registry of one's own: two records, root key and online key, nothing published. */
  function registry(settings = ''): void {
    here.folder = copyOf(made);
    // What this machine has signed with the key, which all copies have.
    vi.stubEnv('XDG_STATE_HOME', join(here.folder, 'state'));
    configure(settings);
  }

  function configure(settings = ''): void {
    writeFiles(here.folder, {
      'registry.yaml': `root_key: root.json\nsigner: { key: root.pem }\n${settings}`,
    });
  }

  async function publishWithCheckpoint({ days = 90, hours = 24 } = {}): Promise<void> {
    configure(ONLINE.replace('{', `{ hours: ${hours}, days_online: ${days},`));
    await good('build');
    configure(ONLINE);
  }

  async function statusOf(args: readonly string[] = [], environment: Record<string, string> = {}) {
    const outcome = await cli(['status', '--json', ...args], here.folder, environment);
    const report = JSON.parse(outcome.stdout);
    const levels = Object.fromEntries(PARTS.map((part) => [part, report[part].level]));
    const next: (string | undefined)[] = report.next.map(({ command }: { command?: string }) => command);
    return { code: outcome.code, report, levels, next };
  }

  /** Serves a folder from this process. Returns its URL. */
  const hosted = (name: string) => plainHost(join(here.folder, name), 'index.html');

  return { here, good, registry, configure, publishWithCheckpoint, statusOf, hosted };
}
