import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { findProgram } from './programs.js';

/** How Playwright starts a browser. */
interface Chromium {
  readonly executablePath: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The Chromium of this machine. Undefined if none is installed. */
const installed = findProgram('chromium-headless-shell', process.env['PATH'] ?? '');

/** Whether tests can use Chromium: that of the machine, or that of the package @sparticuz/chromium. */
export const hasChromium: boolean = installed !== undefined || (platform() === 'linux' && arch() === 'x64');

/** Returns the Chromium of this machine, or unpacks that of the package into a folder, which takes a few seconds. */
export async function findChromium(folder: string): Promise<Chromium> {
  if (installed !== undefined) return { executablePath: installed };
  const build = dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium'));
  const packed = join(build, '../../bin');
  const [executablePath, fonts] = [join(folder, 'chromium'), join(folder, 'fonts.conf')];
  mkdirSync(folder);
  await Promise.all([
    pipeline(unpacked(join(packed, 'chromium.br')), createWriteStream(executablePath, { mode: 0o755 })),
    // The libraries that a bare Debian lacks, and fonts.
    extract(join(packed, 'al2023.tar.br'), folder),
    extract(join(packed, 'fonts.tar.br'), folder),
  ]);
  const folders = `<dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir>`;
  writeFileSync(fonts, `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>`);
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: fonts };
  return { executablePath, env: env as Record<string, string> };
}

function unpacked(path: string): NodeJS.ReadableStream {
  return createReadStream(path).pipe(createBrotliDecompress({ chunkSize: 2 ** 21 }));
}

/** Extracts an archive into a folder. */
async function extract(archive: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x'], { cwd: folder, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(tar, 'close');
  await pipeline(unpacked(archive), tar.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${archive} cannot be unpacked`);
}
