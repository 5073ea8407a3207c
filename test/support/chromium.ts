import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
    unpack(join(packed, 'chromium.br'), executablePath),
    // The libraries that a bare Debian lacks, and fonts.
    extract(join(packed, 'al2023.tar.br'), folder),
    extract(join(packed, 'fonts.tar.br'), folder),
  ]);
  const folders = `<dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir>`;
  writeFileSync(fonts, `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>`);
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: fonts };
  return { executablePath, env: env as Record<string, string> };
}

/** Decompresses a file into a program, or into a file that nobody runs. */
async function unpack(path: string, target: string): Promise<void> {
  const decompress = createBrotliDecompress({ chunkSize: 2 ** 21 });
  await pipeline(createReadStream(path), decompress, createWriteStream(target, { mode: 0o755 }));
}

/** Extracts an archive into a folder. */
async function extract(archive: string, folder: string): Promise<void> {
  // tar may end before it has read a pipe to its end, which would be an error.
  const tar = join(folder, basename(archive, '.br'));
  await unpack(archive, tar);
  execFileSync('tar', ['--no-same-owner', '-xf', tar], { cwd: folder });
}
