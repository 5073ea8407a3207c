import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { untilStopped } from './terminal/until-stopped.js';

const HOST = '127.0.0.1';

/**
 * Serves a tree with the `serve` package, as the tree's own serve.json says, until the process is told to stop.
 *
 * @returns the exit code of the server
 * @throws the system's error when nothing can listen at the port
 */
export async function serveTree(folder: string, port: number, env: NodeJS.ProcessEnv): Promise<number> {
  await assertFree(port);
  const manifest = createRequire(import.meta.url).resolve('serve/package.json');
  const program = join(dirname(manifest), 'build', 'main.js');
  const flags = ['--listen', `tcp://${HOST}:${port}`, '--no-clipboard', '--no-request-logging'];
  const server = spawn(process.execPath, [program, ...flags, folder], {
    stdio: 'inherit',
    // It would ask the package registry at every start whether there is a newer version.
    env: { ...env, NO_UPDATE_CHECK: '1' },
  });
  return untilStopped((stop) => {
    stop.addEventListener('abort', () => server.kill());
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 0));
    });
  });
}

/** `serve` takes another port where this one is in use, whatever its options say. */
function assertFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, HOST, () => server.close(() => resolve()));
  });
}
