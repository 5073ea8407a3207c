import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { LIMITS } from '@passport-registry/verifier/internal';
import { IoFailed, TreeRejected } from '../errors.js';
import { forEachConcurrent } from '../for-each-concurrent.js';
import { CHECKSUMS_PATH, parseChecksums, sha256 } from '../tree/checksums.js';
import { HOST_FILES, hostFiles } from '../tree/host-configuration.js';
import { PATHS } from '../tree/paths.js';
import { httpSource, type TreeSource } from '../verification/tree-source.js';
import type { HeldRelease } from './held-release.js';

/** What it took to have a tree here. */
export interface TransferStats {
  /** Files that were sent. */
  readonly fetched: number;
  /** Their size, in bytes. */
  readonly bytes: number;
}

/** Where a tree goes, and what it need not send. */
export interface DownloadTarget {
  /** A new folder. */
  readonly folder: string;
  /** The release that is served now. */
  readonly held: HeldRelease | undefined;
  /** Called once all that decides about trust is in the folder: what it throws ends the download. */
  readonly accept: () => Promise<void>;
  /** The environment that rsync is run in. */
  readonly env: NodeJS.ProcessEnv;
}

/** How many files are asked for at a time. */
const CONCURRENCY = 16;
/** How many lists, which are large: those of a liar are in memory until their hashes are known. */
const LARGE_CONCURRENCY = 2;

/**
 * Downloads the tree of a source into a new folder; what the served release has is linked from there, and not sent again.
 *
 * @throws {@link TreeRejected} when the source does not have what it says it has; {@link IoFailed}
 */
export function download(source: string, target: DownloadTarget): Promise<TransferStats> {
  rmSync(target.folder, { recursive: true, force: true });
  mkdirSync(target.folder, { recursive: true });
  return /^https?:\/\//i.test(source)
    ? downloadByHttp(httpSource(source), target)
    : downloadByRsync(source, target);
}

/** No byte is written before its hash is known to be right, and the first wrong hash ends the download. */
async function downloadByHttp(
  source: TreeSource,
  { folder, held, accept }: DownloadTarget,
): Promise<TransferStats> {
  let [fetched, bytes] = [0, 0];
  const put = (path: string, content: Uint8Array) => {
    write(folder, path, (file) => writeFileSync(file, content, { mode: 0o644 }));
    fetched += 1;
    bytes += content.length;
  };
  const sums = (await source.get(CHECKSUMS_PATH))?.bytes;
  const wanted = sums && parseChecksums(Buffer.from(sums).toString('utf8'));
  if (sums === undefined || wanted === undefined) {
    throw new IoFailed(`${source.name} has no ${CHECKSUMS_PATH}: there is no registry to mirror`);
  }
  put(CHECKSUMS_PATH, sums);
  const take = async ([path, hash]: [path: string, hash: string]) => {
    if (held?.has(path, hash)) {
      write(folder, path, (file) => linkSync(join(held.folder, path), file));
      return;
    }
    const content = await fetchFile(source, path, hash);
    if (content !== undefined) put(path, content);
  };
  const isTrust = ([path]: [path: string, hash: string]) =>
    path === PATHS.list || path === PATHS.signature || /^(?:keys|snapshots)\//.test(path);
  await forEachConcurrent([...wanted].filter(isTrust), LARGE_CONCURRENCY, take);
  // After what it names: a publication that came between shows as a checkpoint for another tree.
  const checkpoint = await source.get(PATHS.checkpoint);
  if (checkpoint !== undefined) put(PATHS.checkpoint, checkpoint.bytes);
  await accept();
  const others = [...wanted].filter((entry) => !isTrust(entry));
  await forEachConcurrent(others, CONCURRENCY, take);
  return { fetched, bytes };
}

/** A file with the hash that it must have. What configures hosts is made here if it is the same, since they need not serve it. */
async function fetchFile(source: TreeSource, path: string, hash: string): Promise<Uint8Array | undefined> {
  if (HOST_FILES.includes(path)) {
    const own = Buffer.from(hostFiles().get(path) ?? '');
    if (sha256(own) === hash) return own;
    const served = (await source.get(path).catch(() => undefined))?.bytes;
    return served !== undefined && sha256(served) === hash ? served : undefined;
  }
  const bytes = (await source.get(path))?.bytes;
  if (bytes !== undefined && sha256(bytes) === hash) return bytes;
  throw new TreeRejected(
    bytes === undefined ? `${path} is missing` : `${path} does not match its hash in ${CHECKSUMS_PATH}`,
  );
}

function write(folder: string, path: string, work: (file: string) => void): void {
  const file = join(folder, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    work(file);
  } catch (cause) {
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** rsync's words for files that went away while it read: the verification says whether the rest is whole. */
const FILES_VANISHED_STATUS = 24;

/** @throws {@link IoFailed} in rsync's words */
async function downloadByRsync(
  source: string,
  { folder, held, accept, env }: DownloadTarget,
): Promise<TransferStats> {
  const options = [
    // By content: two publications within one second differ in nothing else that it looks at, and a file that rotted here
    // is sent again.
    ...['--recursive', '--times', '--checksum', '--chmod=D755,F644', '--stats', '--timeout=60'],
    `--max-size=${LIMITS.list}`,
    ...(held === undefined ? [] : [`--link-dest=${resolve(held.folder)}`]),
  ];
  const from = source.endsWith('/') ? source : `${source}/`;
  const { status, stdout, stderr, error } = spawnSync('rsync', [...options, '--', from, `${folder}/`], {
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw new IoFailed(`rsync cannot be started: ${error.message}`, { cause: error });
  if (status !== 0 && status !== FILES_VANISHED_STATUS)
    throw new IoFailed(`rsync ends with ${status}: ${stderr.trim()}`);
  await accept();
  const number = (label: string) =>
    Number((new RegExp(`${label}: ([\\d,.]+)`).exec(stdout)?.[1] ?? '0').replaceAll(/[,.]/g, ''));
  return {
    fetched: number('Number of regular files transferred'),
    bytes: number('Total bytes received') + number('Total bytes sent'),
  };
}
