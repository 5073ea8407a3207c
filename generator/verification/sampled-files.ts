import { bundlePath, lastTiles, MAX_LEVELS, sumsPath, tilePath } from '@passport-registry/verifier/core';
import { LOG_FOLDER } from '../log/log-files.js';
import { PATHS } from '../tree/paths.js';

/** A live host whose files are read. */
interface ReadableHost {
  get(path: string): Promise<{ readonly bytes: Uint8Array }>;
  /** Whether the host serves a file. */
  has(path: string): Promise<boolean>;
}

/**
 * Returns the first id of a list, and the first id with a dot, because hosts may take a dot for the start of a file
 * extension. The list has not been verified, so it is not parsed.
 */
export function findSampleIds(list: Uint8Array): string[] {
  let first: string | undefined;
  for (const [, id = ''] of Buffer.from(list)
    .toString('latin1')
    .matchAll(/"issuer_id":"([a-z0-9._-]{1,128})"/g)) {
    if (id.includes('.')) return first === undefined ? [id] : [first, id];
    first ??= id;
  }
  return first === undefined ? [] : [first];
}

/**
 * Returns the root of the tree of sums, and the files below it down to one leaf. The files have not been verified, so
 * they are not parsed.
 */
export async function findSums(host: ReadableHost): Promise<string[]> {
  const found: string[] = [];
  for (let path: string | undefined = sumsPath(''); path !== undefined && found.length <= MAX_LEVELS; ) {
    found.push(path);
    const text: string = Buffer.from((await host.get(path)).bytes).toString('latin1');
    path = /^[0-9a-f]{64} {2}(sums\/[0-9a-f]{1,8})$/m.exec(text)?.[1];
  }
  return found;
}

/**
 * Returns a file of each kind that a log has, as far as the host has one. The files have not been verified, so they are not
 * parsed.
 */
export async function findLog(host: ReadableHost) {
  const text = async (path: string) => Buffer.from((await host.get(path)).bytes).toString('latin1');
  const [, origin, size] = /^([^\n]+)\n([1-9][0-9]{0,14})\n/.exec(await text(PATHS.logHead)) ?? [];
  if (origin === undefined) return { changing: [], immutable: [] };
  const changing: string[] = [PATHS.logHead, PATHS.logProof];
  const [, index] = /^index ([0-9]{1,15})$/m.exec(await text(PATHS.logProof)) ?? [];
  if (index !== undefined) changing.push(PATHS.firstProof(Number(index)));
  const cosigned = PATHS.cosignedHead(origin);
  if (await host.has(cosigned)) changing.push(cosigned);
  const tiles = lastTiles(Number(size))
    .slice(0, 1)
    .flatMap((place) => [tilePath(place), bundlePath(place)].map((path) => `${LOG_FOLDER}${path}`));
  return { changing, immutable: [...tiles, PATHS.loggedStatement(Number(size) - 1)] };
}
