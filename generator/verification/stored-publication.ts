import type { StoredPublication } from '@passport-registry/verifier';
import { STORED_FILES } from '@passport-registry/verifier/core';
import { claimsOf } from '../freshness/previous-checkpoint.js';
import type { ReadFile } from '../log/log-files.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';

/**
 * Returns what a verifier would store of a tree: the list that the publication statement names, or else the one that
 * the checkpoint names, or else the list at the top.
 *
 * @returns undefined if files are missing
 */
export function storedPublication(read: ReadFile): StoredPublication | undefined {
  const text = (path: string) => {
    const bytes = read(path);
    return bytes && Buffer.from(bytes).toString('utf8');
  };
  const pairIn = (pathOf: (name: string) => string) => {
    const [list, signature] = [text(pathOf(PATHS.list)), text(pathOf(PATHS.signature))];
    return list === undefined || signature === undefined ? undefined : { list, signature };
  };
  const top = pairIn((name) => name);
  if (top === undefined) return undefined;
  const hash = namedHash(read);
  const isTop = hash === undefined || hash === sha256(Buffer.from(top.list));
  const pair = isTop ? top : (pairIn((name) => PATHS.snapshot(hash, name)) ?? top);
  const { list: _list, signature: _signature, ...statements } = STORED_FILES;
  const others = Object.entries(statements).map(([name, path]) => [name, text(path)] as const);
  return { version: 1, ...pair, ...Object.fromEntries(others.filter(([, value]) => value !== undefined)) };
}

/**
 * Returns the payload hash of the list that the statements of a tree name; undefined if they name none. The statements are
 * not verified yet, and the hash becomes a part of a path.
 */
export function namedHash(read: ReadFile): string | undefined {
  const [publication, checkpoint] = [read(PATHS.publication), read(PATHS.checkpoint)];
  const hash =
    (publication && claimsOf(publication, 'registry-publication+jwt')['sha256']) ??
    (checkpoint && claimsOf(checkpoint, 'registry-checkpoint+jwt')['sha256']);
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? hash : undefined;
}
