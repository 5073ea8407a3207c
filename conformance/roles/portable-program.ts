import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Program, ProgramFault } from '../runner/program.js';
import { launch } from './page.js';
import type { Answerer } from './portable.js';

// The portable verifiers as programs for the runner, where there are no folders and no standard input.

/** Where the portable verifiers run. */
interface Place {
  ask(message: { readonly id: number }): Promise<Record<string, unknown>>;
  end(): void;
}

/** A program in another place, to which each message takes its files. */
class PortableProgram implements Program {
  readonly #place: Promise<Place>;

  constructor(place: Promise<Place>) {
    this.#place = place;
  }

  async ask(message: { readonly id: number }, timeoutMs: number): Promise<Record<string, unknown>> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_answer, refuse) => {
      timer = setTimeout(refuse, timeoutMs, new Error(`no answer within ${timeoutMs / 1000} seconds`));
    });
    try {
      return await Promise.race([this.#place.then((place) => place.ask(withFiles(message))), late]);
    } catch (error) {
      throw new ProgramFault(`has ended with ${error}`);
    } finally {
      clearTimeout(timer);
    }
  }

  assertSilent(): void {}

  end(): void {
    this.#place.then(
      (place) => place.end(),
      () => undefined,
    );
  }
}

/** Puts the files of the folder into a message, each as a text with a character for each byte. */
function withFiles(message: { readonly id: number; readonly folder?: string }): typeof message {
  const { folder } = message;
  if (folder === undefined) return message;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  const files = paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]);
  return Object.assign({}, message, { files: Object.fromEntries(files) });
}

/** Bundles the portable verifiers, as whoever uses them there does. */
async function bundled(): Promise<string> {
  const entry = fileURLToPath(new URL('./portable.js', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Starts the bundle in this process. */
export const inThisProcess = (): Program => new PortableProgram(openHere());

async function openHere(): Promise<Place> {
  const { startPortable } = await import(`data:text/javascript,${encodeURIComponent(await bundled())}`);
  return startPortable() as Answerer;
}

/** Starts the bundle as a worker of workerd. */
export const inWorkerd = (program: string): Program => new PortableProgram(openWorkerd(program));

const WORKERD_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "ours", worker = (
      modules = [(name = "ours.js", esModule = embed "ours.js")],
      compatibilityDate = "2026-01-01",
      globalOutbound = "hosts",
    )),
    # The hosts of the runner are on this machine.
    (name = "hosts", network = (allow = ["local", "private"])),
  ],
  sockets = [(name = "messages", address = "127.0.0.1:0", http = (), service = "ours")],
);
`;

async function openWorkerd(program: string): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-workerd-'));
  writeFileSync(join(folder, 'ours.js'), await bundled());
  writeFileSync(join(folder, 'config.capnp'), WORKERD_CONFIG);
  const child = spawn(program, ['serve', '--control-fd=3', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const port = await portOf(child);
  return {
    ask: async (message) => {
      const body = JSON.stringify(message);
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Record<string, unknown>;
    },
    end: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}

/** workerd writes on which port it listens. */
async function portOf(child: ChildProcess): Promise<number> {
  const lines = createInterface({ input: child.stdio[3] as Readable });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])]);
  if (line === '') throw new Error(`workerd has ended with ${child.exitCode}`);
  return JSON.parse(line).port;
}

/** Starts the bundle in a page of Chromium. */
export const inChromium = (): Program => new PortableProgram(openChromium());

/** A page of this machine may use WebCrypto. */
const PAGE = 'http://localhost/';

async function openChromium(): Promise<Place> {
  // The hosts of the runner permit no other origin.
  const browser = await launch('--disable-web-security');
  const page = await browser.newPage();
  const script = await bundled();
  await page.route(`${PAGE}**`, (route) =>
    route.request().url() === PAGE
      ? route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
      : route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await page.goto(PAGE);
  await page.evaluate(
    `import('/ours.js').then(({ startPortable }) => { globalThis.ours = startPortable(); })`,
  );
  return {
    ask: (message) => page.evaluate(`ours.ask(${JSON.stringify(message)})`),
    end: () => void browser.close(),
  };
}
