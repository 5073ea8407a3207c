import { dirname, resolve } from 'node:path';
import { CLOCK_TOLERANCE_MS, clockNote, DAY_MS } from '@passport-registry/verifier/core';
import { hasOrigin } from '../../generator/files/git.js';
import { knowsBranch } from '../../generator/files/remote-branch.js';
import { formatDuration } from '../../generator/freshness/expiry.js';
import type { PublicationTrace } from '../hosts/published-before.js';
import { type Condition, summarize } from './condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/** The condition of the published list. */
export interface ListCondition extends Condition {
  readonly updatedAt: string | undefined;
  readonly sha256: string | undefined;
  /** The number of issuers. */
  readonly issuers: number | undefined;
  readonly ageDays: number | undefined;
}

/** The condition of all files of the tree. */
export interface TreeCondition extends Condition {
  readonly folder: string;
  /** Whether anything was published. */
  readonly published: boolean;
  /** The damaged files that a build makes again. */
  readonly repairable: readonly string[];
  /** What a build cannot make again, and what to do. Undefined if nothing is lost. */
  readonly lost: string | undefined;
  /** The one missing file that can be made from another one. Undefined if there is none. */
  readonly lostFile: string | undefined;
  /**
   * Whether the tree may be on a branch: git knows one or, if no host shows a list, a repository from which this one comes, or
   * to which it goes.
   */
  readonly hasRemote: boolean;
  /** Without a tree: what shows that there was one. Undefined if nothing does. */
  readonly trace: PublicationTrace | undefined;
}

/** Describes the whole tree: does everything in it verify? */
export function treeCondition(
  local: LocalTree,
  {
    env,
    trace,
    isServed,
  }: {
    readonly env: NodeJS.ProcessEnv;
    readonly trace: PublicationTrace | undefined;
    /** Whether a host serves a list of the registry. */
    readonly isServed: boolean;
  },
): TreeCondition {
  const { folder, published, refusal, report, repairable, lost, lostFile } = local;
  const around = dirname(resolve(folder));
  const hasRemote = hasOrigin(around, env) && (!isServed || knowsBranch(around, env));
  const state = (level: Condition['level'], message: string): TreeCondition => ({
    ...{ level, message, folder, published: report !== undefined, repairable, lost, lostFile },
    ...{ hasRemote, trace },
  });
  if (refusal !== undefined) return state('error', refusal);
  if (trace !== undefined) return state('error', `${folder} has no tree, but ${trace.what}`);
  if (report === undefined) return state('note', `${folder} has no tree`);
  // The other lines describe the times and the statements.
  const elsewhere = ['root key', 'rotation', 'checkpoint', 'freshness'];
  const problems = problemsOf(report, (name) => !elsewhere.includes(name));
  if (problems !== undefined) return state('error', `${folder} is not valid: ${summarize(problems)}`);
  if (report.rootKey === undefined) return state('error', `${folder} was not verified: see the root key`);
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  if (failed.length > 0) {
    const parts = failed.map(({ name }) => name).join(', ');
    return state('note', `the other files of ${folder} are valid, but see: ${parts}`);
  }
  const files = (published?.checksums()?.size ?? 0) + (report.issuers ?? 0);
  const unlisted = report.notes.flatMap(({ code, path }) => (code === 'file-unlisted' ? [path] : []));
  if (unlisted.length > 0)
    return state('warning', `${folder} has files that are not part of the tree: ${summarize(unlisted)}`);
  return state('ok', `${folder} is valid, ${files} files`);
}

/** Describes the published list and its age. */
export function listCondition({ report }: LocalTree, now: number): ListCondition {
  const { updatedAt, sha256, issuers } = report ?? {};
  const facts = { updatedAt, sha256, issuers, ageDays: undefined };
  if (updatedAt === undefined || issuers === undefined) {
    const message = report === undefined ? 'none: there is no tree' : 'cannot be read';
    return { level: report === undefined ? 'note' : 'error', message, ...facts };
  }
  const ageMs = now - Date.parse(updatedAt);
  const ageDays = Math.floor(ageMs / DAY_MS);
  const found = { ...facts, ageDays };
  const what = `${issuers} ${issuers === 1 ? 'issuer' : 'issuers'}, of ${updatedAt}, ${formatDuration(ageMs)} ago`;
  if (-ageMs > CLOCK_TOLERANCE_MS) {
    return {
      level: 'error',
      message: `dated ${updatedAt}, which is in the future ${clockNote(now)}`,
      ...found,
    };
  }
  return { level: 'ok', message: what, ...found };
}
