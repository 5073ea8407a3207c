import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CHECKSUMS_PATH, parseChecksums, sha256 } from '../checksums.js';
import { eachOf } from '../each-of.js';
import { IoFailed } from '../errors.js';
import { HOST_FILES, hostFiles } from '../host-files.js';
import { PATHS } from '../paths.js';
import { httpSource, type TreeSource } from '../tree-source.js';

/** What it took to have a tree here. */
export interface Brought {
  /** Files that were sent. */
  readonly fetched: number;
  /** Their size, in bytes; undefined where rsync does not say. */
  readonly bytes: number;
}

/** How many files are asked for at a time. */
const CONCURRENCY = 16;

/** Brings the tree of a source into a new folder; what the tree before has is linked from there, and not sent again. */
export function bring(source: string, folder: string, before: string | undefined): Promise<Brought> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return /^https?:\/\//i.test(source)
    ? bringByHttp(httpSource(source), folder, before)
    : bringByRsync(source, folder, before);
}

/** What is missing or of another publication is left for the verification to say. @throws {@link IoFailed} */
async function bringByHttp(source: TreeSource, folder: string, before: string | undefined): Promise<Brought> {
  const sums = await source.get(CHECKSUMS_PATH);
  const wanted = sums && parseChecksums(Buffer.from(sums.bytes).toString('utf8'));
  if (sums === undefined || wanted === undefined) {
    throw new IoFailed(`${source.name} has no ${CHECKSUMS_PATH}: there is no registry to mirror`);
  }
  const held = heldFiles(before);
  let [fetched, bytes] = [1, sums.bytes.length];
  await eachOf([...wanted], CONCURRENCY, async ([path, hash]) => {
    if (before !== undefined && held.get(path) === hash) {
      put(folder, path, (file) => linkSync(join(before, path), file));
      return;
    }
    const content = await wholeFile(source, path, hash);
    if (content === undefined) return;
    put(folder, path, (file) => writeFileSync(file, content, { mode: 0o644 }));
    fetched += 1;
    bytes += content.length;
  });
  put(folder, CHECKSUMS_PATH, (file) => writeFileSync(file, sums.bytes, { mode: 0o644 }));
  // Last, since it names the others.
  const checkpoint = await source.get(PATHS.checkpoint);
  if (checkpoint !== undefined) {
    put(folder, PATHS.checkpoint, (file) => writeFileSync(file, checkpoint.bytes, { mode: 0o644 }));
    fetched += 1;
    bytes += checkpoint.bytes.length;
  }
  return { fetched, bytes };
}

function heldFiles(before: string | undefined): ReadonlyMap<string, string> {
  if (before === undefined) return new Map();
  return parseChecksums(readFileSync(join(before, CHECKSUMS_PATH), 'utf8')) ?? new Map();
}

/** A file by the host; what configures hosts is made here if it is the same, since they need not serve it. */
async function wholeFile(source: TreeSource, path: string, hash: string): Promise<Uint8Array | undefined> {
  if (!HOST_FILES.includes(path)) return (await source.get(path))?.bytes;
  const own = Buffer.from(hostFiles().get(path) ?? '');
  if (sha256(own) === hash) return own;
  const served = await source.get(path).catch(() => undefined);
  return served !== undefined && sha256(served.bytes) === hash ? served.bytes : undefined;
}

function put(folder: string, path: string, write: (file: string) => void): void {
  const file = join(folder, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    write(file);
  } catch (cause) {
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** rsync's words for files that went away while it read: the verification says whether the rest is whole. */
const VANISHED = 24;

/** @throws {@link IoFailed} in rsync's words */
async function bringByRsync(source: string, folder: string, before: string | undefined): Promise<Brought> {
  const options = [
    // By content: two publications within one second differ in nothing else that it looks at.
    ...['--recursive', '--times', '--checksum', '--chmod=D755,F644', '--stats', '--timeout=60'],
    ...(before === undefined ? [] : [`--link-dest=${resolve(before)}`]),
  ];
  const from = source.endsWith('/') ? source : `${source}/`;
  const { status, stdout, stderr, error } = spawnSync('rsync', [...options, '--', from, `${folder}/`], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw new IoFailed(`rsync cannot be started: ${error.message}`, { cause: error });
  if (status !== 0 && status !== VANISHED) throw new IoFailed(`rsync ends with ${status}: ${stderr.trim()}`);
  const number = (label: string) =>
    Number((new RegExp(`${label}: ([\\d,.]+)`).exec(stdout)?.[1] ?? '0').replaceAll(/[,.]/g, ''));
  return {
    fetched: number('Number of regular files transferred'),
    bytes: number('Total bytes received') + number('Total bytes sent'),
  };
}
