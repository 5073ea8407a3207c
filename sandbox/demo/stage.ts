import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** Where the demo plays: a folder of its own, and the processes that it starts there. */
export class DemoStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'passport-demo-'));
  readonly #servers: ChildProcess[] = [];

  /** A command of `passport-registry`, to its end; gives what it said. */
  async command(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (data) => {
      said += data;
    });
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    if (code !== 0) throw new Error(`passport-registry ${args.join(' ')} ended with ${code}:\n${said}`);
    return said.trim();
  }

  /** A command of `passport-registry` that serves until the stage is cleared. */
  server(...args: string[]): void {
    this.#servers.push(spawn(process.execPath, [CLI, ...args], { cwd: this.folder, stdio: 'ignore' }));
  }

  clear(): void {
    for (const server of this.#servers) server.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await pause(0.1);
  }
  throw new Error(`${url} does not answer`);
}

export const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** An address on this machine at which nothing answered a moment ago. */
export async function freeAddress(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return `http://127.0.0.1:${port}`;
}
