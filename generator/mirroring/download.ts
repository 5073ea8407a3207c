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

/** The size of a download. */
export interface TransferStats {
  /** The number of files that the source sent. */
  readonly fetched: number;
  /** The size of these files, in bytes. */
  readonly bytes: number;
}

/** Where to write a tree, and what need not be downloaded again. */
export interface DownloadTarget {
  /** A new folder. */
  readonly folder: string;
  /** The release being served. */
  readonly held: HeldRelease | undefined;
  /** Called once all files that decide about trust are in the folder. An error ends the download. */
  readonly accept: () => Promise<void>;
  /** The environment for rsync. */
  readonly env: NodeJS.ProcessEnv;
}

/** How many files to request at a time. */
const CONCURRENCY = 16;
/** How many lists to request at a time. Lists are large, and stay in memory until their hashes have been checked. */
const LARGE_CONCURRENCY = 2;

/**
 * Downloads the tree of a source into a new folder. Files that the release being served already has are hard-linked,
 * not downloaded.
 *
 * @throws {@link TreeRejected} if files of the source are missing or do not match SHA256SUMS; {@link IoFailed}
 */
export function download(source: string, target: DownloadTarget): Promise<TransferStats> {
  rmSync(target.folder, { recursive: true, force: true });
  mkdirSync(target.folder, { recursive: true });
  return /^https?:\/\//i.test(source)
    ? downloadByHttp(httpSource(source), target)
    : downloadByRsync(source, target);
}

/** Writes a file only after its hash has been checked. The first wrong hash ends the download. */
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
  const fetchOrLink = async ([path, hash]: [path: string, hash: string]) => {
    if (held?.has(path, hash)) {
      write(folder, path, (file) => linkSync(join(held.folder, path), file));
      return;
    }
    const content = await fetchFile(source, path, hash);
    if (content !== undefined) put(path, content);
  };
  const decidesTrust = ([path]: [path: string, hash: string]) =>
    path === PATHS.list || path === PATHS.signature || /^(?:keys|snapshots)\//.test(path);
  await forEachConcurrent([...wanted].filter(decidesTrust), LARGE_CONCURRENCY, fetchOrLink);
  // After the files that it names. If a publication happened in between, the checkpoint is for another tree.
  const checkpoint = await source.get(PATHS.checkpoint);
  if (checkpoint !== undefined) put(PATHS.checkpoint, checkpoint.bytes);
  await accept();
  const others = [...wanted].filter((entry) => !decidesTrust(entry));
  await forEachConcurrent(others, CONCURRENCY, fetchOrLink);
  return { fetched, bytes };
}

/**
 * Downloads a file and checks its hash. Files that configure hosts are generated here if the hash matches, because a
 * host need not serve them.
 */
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

/**
 * The exit status of rsync if files vanished during the transfer. The verification decides whether the tree is
 * complete.
 */
const FILES_VANISHED_STATUS = 24;

/** @throws {@link IoFailed} with the message of rsync */
async function downloadByRsync(
  source: string,
  { folder, held, accept, env }: DownloadTarget,
): Promise<TransferStats> {
  const options = [
    // Compare by checksum: two publications within one second can have files of the same size and time. A file that was
    // damaged on this disk is also sent again.
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
    throw new IoFailed(`rsync failed with status ${status}: ${stderr.trim()}`);
  await accept();
  const number = (label: string) =>
    Number((new RegExp(`${label}: ([\\d,.]+)`).exec(stdout)?.[1] ?? '0').replaceAll(/[,.]/g, ''));
  return {
    fetched: number('Number of regular files transferred'),
    bytes: number('Total bytes received') + number('Total bytes sent'),
  };
}
