import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterEachFile } from './endings.js';
import { ROOT } from './paths.js';
import { freePort, untilReady } from './serving.js';
import { temporaryFolder, writeFiles } from './workspace.js';

const children: ChildProcess[] = [];
afterEachFile(() => {
  for (const child of children.splice(0)) child.kill();
});

/** Starts an rsync daemon over a tree with docs/hosting/rsyncd.conf. Returns the URL of the module. */
export async function rsyncd(tree: string): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const configuration = readFileSync(join(ROOT, 'docs/hosting/rsyncd.conf'), 'utf8')
    .replace('/srv/registry/dist', tree)
    .replaceAll(/^uid = .*\n|^gid = .*\n/gm, '')
    .replace('use chroot = yes', 'use chroot = no');
  writeFiles(folder, {
    'rsyncd.conf': `pid file = ${folder}/rsyncd.pid\nlog file = ${folder}/rsyncd.log\n${configuration}`,
  });
  const args = ['--daemon', '--no-detach', `--config=${join(folder, 'rsyncd.conf')}`];
  const child = spawn('rsync', [...args, '--address=127.0.0.1', `--port=${port}`], { stdio: 'ignore' });
  children.push(child);
  const isReached = () =>
    new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  await untilReady(isReached, child);
  return `rsync://127.0.0.1:${port}/registry`;
}
