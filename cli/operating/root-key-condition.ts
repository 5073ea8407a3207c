import type { RootKey } from '@passport-registry/verifier';
import type { Condition, Level } from './condition.js';
import type { LocalTree } from './local-tree.js';
import { problemsOf } from './local-tree.js';
import { presenceOf, type SignerPresence } from './signer-presence.js';

/** The root key of the configuration. */
export interface PinnedKey {
  /** The file of the public key; undefined if none is configured. */
  readonly file: string | undefined;
  readonly rootKey: RootKey | undefined;
  /** The keys to which registry.yaml commits the root key; undefined if it says nothing. */
  readonly nextRoots: readonly string[] | undefined;
  /** Why the file cannot be used. */
  readonly problem: string | undefined;
}

/** The condition of the root key. */
export interface RootKeyCondition extends Condition {
  /** RFC 7638 thumbprint of the root key of the tree or, without a tree, of the configured key. */
  readonly thumbprint: string | undefined;
  /** Whether the tree is signed by a development key. */
  readonly development: boolean;
  /** Whether `root_key` names a key that a rotation of the tree has replaced. */
  readonly rotated: boolean;
  /** Whether `next_roots` in registry.yaml belongs to an earlier root key, or differs from the rotation. */
  readonly hasStaleNextRoots: boolean;
  /** RFC 7638 thumbprints of the only keys that can follow the root key; empty if the root key is not committed. */
  readonly nextRoots: readonly string[];
  /** What is wrong: the configured key, or the tree. Undefined unless the level is `error`. */
  readonly fault: 'pinned' | 'tree' | undefined;
}

/** Describes the root key. The private key is never read. */
export function rootKeyCondition(
  pinned: PinnedKey,
  { folder, report, published }: LocalTree,
  { signer, env }: { readonly signer: SignerPresence; readonly env: NodeJS.ProcessEnv },
): RootKeyCondition {
  const problems = problemsOf(report, (name) => name === 'root key' || name === 'rotation');
  const development = report?.development === true;
  const rotated = report?.rotatedFrom !== undefined;
  const thumbprint = report?.rootKey ?? pinned.rootKey?.thumbprint;
  const shown = published?.rootKey?.nextRoots;
  const misfit = misfitOf(pinned.nextRoots, { thumbprint, shown });
  const nextRoots = shown ?? (misfit === undefined ? pinned.nextRoots : undefined) ?? [];
  const committed = nextRoots.length === 0 ? '' : `; only ${nextRoots.join(' or ')} can follow it`;
  const own = published?.rootKey?.thumbprint;
  const isOther = own !== undefined && pinned.rootKey !== undefined && own !== pinned.rootKey.thumbprint;
  const wrong = pinned.problem !== undefined || isOther ? 'pinned' : 'tree';
  const state = (level: Level, message: string): RootKeyCondition => ({
    ...{ level, thumbprint, development, rotated, nextRoots },
    hasStaleNextRoots: misfit !== undefined,
    fault: level === 'error' ? wrong : undefined,
    message: thumbprint === undefined || level === 'error' ? message : `${message}${committed}`,
  });
  if (pinned.problem !== undefined) return state('error', pinned.problem);
  if (problems !== undefined) return state('error', problems.join('; '));
  if (rotated) {
    const message = `${thumbprint}, but ${pinned.file} still names ${report?.rotatedFrom}, which it has replaced`;
    return state('warning', message);
  }
  if (misfit !== undefined) return state('warning', misfit);
  if (development) return state('note', `${thumbprint}, a development key: not for production`);
  if (thumbprint === undefined) {
    return state('note', `none: no root_key is configured, and ${folder} has no tree`);
  }
  const { level, message, ...exposed } = presenceOf(signer, env);
  if (pinned.file === undefined) {
    const unpinned = `${thumbprint}, the tree's own: set root_key, so that it is compared; ${message}`;
    return { ...state('note', unpinned), ...exposed };
  }
  const fits = report === undefined ? `from ${pinned.file}` : `${pinned.file} fits the tree`;
  return { ...state(level, `${thumbprint}, ${fits}; ${message}`), ...exposed };
}

/** Returns why `next_roots` in registry.yaml does not belong to the root key; undefined if it does. */
function misfitOf(
  configured: readonly string[] | undefined,
  {
    thumbprint,
    shown,
  }: { readonly thumbprint: string | undefined; readonly shown: readonly string[] | undefined },
): string | undefined {
  if (configured === undefined || thumbprint === undefined) return undefined;
  if (configured.includes(thumbprint)) {
    return `${thumbprint}, which next_roots in registry.yaml contains: remove next_roots, it belongs to an earlier root key`;
  }
  if (shown === undefined || `${[...configured].sort()}` === `${shown}`) return undefined;
  return `${thumbprint}, for which next_roots in registry.yaml names other keys than the rotation, which counts: remove next_roots`;
}
