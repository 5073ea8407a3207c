import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLI = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** A temporary folder for the demo, and what runs until its end. */
export class DemoStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'passport-demo-'));
  readonly #stops: (() => void)[] = [];

  /** Runs a command of `passport-registry`. Returns what it has printed. */
  async run(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const said = await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: this.folder });
    return { stdout: said.stdout.trim(), stderr: said.stderr.trim() };
  }

  /** Starts a command of `passport-registry`. The command runs until `clear` is called. */
  start(...args: string[]): void {
    this.startProgram(process.execPath, [CLI, ...args]);
  }

  /** Starts a program. The program runs until `clear` is called. */
  startProgram(program: string, args: readonly string[]): void {
    const child = spawn(program, args, { cwd: this.folder, stdio: 'ignore' });
    this.onClear(() => child.kill());
  }

  /** Has `clear` stop something, so that the process can end however the demo ends. */
  onClear(stop: () => void): void {
    this.#stops.push(stop);
  }

  /** Stops all that runs, and removes the folder. */
  clear(): void {
    for (const stop of this.#stops) stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until a server answers with an expected status. */
export async function waitForAnswer(url: string, status = 200): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === status) return;
    await pause(0.1);
  }
  throw new Error(`${url} does not answer`);
}

export const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Returns a URL on this machine with a free port. */
export async function findFreeUrl(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return `http://127.0.0.1:${port}`;
}
