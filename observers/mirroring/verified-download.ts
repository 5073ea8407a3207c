import { setTimeout } from 'node:timers/promises';
import { RegistryError } from '@passport-registry/verifier';
import { hasCode } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import type { VerifyHolders } from '../../generator/tree/held-by.js';
import { PATHS } from '../../generator/tree/paths.js';
import { acceptPublication, acceptStatements } from '../../generator/verification/accept.js';
import { auditLog } from '../../generator/verification/audit-log.js';
import { isLoggedStatement } from '../../generator/verification/log-archive.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { Problems, SeenFiles } from '../../generator/verification/seen-files.js';
import { folderSource, type TreeSource } from '../../generator/verification/tree-source.js';
import type { Note } from '../../generator/verification/unknown-parts.js';
import { type TreeReport, type VerifyOptions, verifyTree } from '../../generator/verification/verify.js';
import type { CheckedLog } from '../../generator/verification/verify-log.js';
import { checkOperations, trustedRoot } from '../../generator/verification/verify-statements.js';
import type { Cosigner } from '../witnessing/cosign-head.js';
import { download } from './download.js';
import type { AcceptanceRules, TransferStats } from './download-target.js';
import { readHeldLog } from './held-log.js';
import type { HeldRelease } from './held-release.js';
import { withoutQuorum } from './testify.js';

/** Options of `mirrorOnce`. */
export interface MirrorOptions {
  /** A URL with http or https, or a source that rsync accepts: `rsync://host/module`, `host:folder` or a folder. */
  readonly source: string;
  /** The folder of the mirror. A host serves `current` in it. */
  readonly folder: string;
  readonly trust: PinnedTrust;
  /** The maximum age of a list without a checkpoint. */
  readonly maxAgeDays: number;
  /** The environment for rsync. */
  readonly env: NodeJS.ProcessEnv;
  /** Cosigns the log. Default: the mirror is no witness. */
  readonly witness?: Cosigner | undefined;
  /** Verifies the record of the holders of the root key. Default: the record is not verified. */
  readonly verifyHolders?: VerifyHolders | undefined;
}

/** How often to download a source that may have changed during the download. */
const MAX_ATTEMPTS = 3;
/** The pause between two attempts. A publication takes less time. */
const RETRY_DELAY_MS = 1000;

/** The folder of a new release, and the releases that a mirror accepted before. */
interface ReleaseFolders {
  readonly folder: string;
  /** The release being served. */
  readonly held: HeldRelease | undefined;
  /** All releases, newest first. */
  readonly accepted: readonly HeldRelease[];
  /** Called with the log once it has been verified, before the rest of the tree is. */
  readonly onLog: (log: CheckedLog) => Promise<void>;
}

/** A release that may be served. */
interface VerifiedRelease {
  readonly stats: TransferStats;
  readonly report: TreeReport;
  /** Undefined if the registry has no log. */
  readonly log: CheckedLog | undefined;
  /** Whether it is the release being served, which is intact. */
  readonly isHeld: boolean;
  /** The operations statement, if it was left out, in words. */
  readonly warnings: readonly string[];
  /** What this version does not know. */
  readonly notes: readonly Note[];
}

/**
 * Downloads a source into a folder and verifies everything. Tries again if the source may have changed meanwhile.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function downloadVerified(
  options: MirrorOptions,
  { folder, held, accepted, onLog }: ReleaseFolders,
): Promise<VerifiedRelease> {
  const { source, trust, maxAgeDays, env, witness, verifyHolders } = options;
  const heldLog = await readHeldLog(accepted, trust.rootKey);
  const publications = accepted.flatMap((release) => release.stored() ?? []);
  const [tree, conditions] = [folderSource(folder), { trust, maxAgeDays, accepted: publications }];
  let log: CheckedLog | undefined;
  const acceptLog = async (source: TreeSource, isVerified?: (path: string) => boolean) => {
    log = await auditLog(source, trust.rootKey, { head: heldLog?.head, isVerified });
    if (log !== undefined) await onLog(log);
  };
  const verify = (release: string) =>
    verifyFolder(release, { trust, maxAgeDays, checkedLog: log, verifyHolders });
  let heldReport: TreeReport | undefined;
  let warning: string | undefined;
  let leftOut: readonly Note[] = [];
  const rules: AcceptanceRules = {
    acceptHeld: async () => {
      if (held === undefined) return false;
      // Signatures that were verified under the same root key are not verified again. Bytes are: a disk can damage them.
      const isKept = heldLog?.release === held ? isLoggedStatement : undefined;
      try {
        await acceptLog(folderSource(held.folder), isKept);
        await acceptPublication(folderSource(held.folder), conditions);
        heldReport = await verify(held.folder);
        return true;
      } catch (error) {
        // The download shows whether this disk or the source is at fault.
        if (error instanceof TreeRejected || error instanceof IoFailed) return false;
        throw error;
      }
    },
    // A log can be cosigned even if the list is too old, or lacks cosignatures: a publication may be waiting for this one.
    // The rules for the publication, which are applied last, demand both.
    acceptStatements: () =>
      acceptStatements(tree, {
        ...conditions,
        ...(witness && { trust: withoutQuorum(trust), maxAgeDays: undefined }),
      }),
    acceptOperations: async (read) => {
      warning = undefined;
      try {
        const operations = await read();
        if (operations !== undefined) await assertOperations(operations, tree, trust);
        return operations;
      } catch (error) {
        const isBad =
          error instanceof Problems || error instanceof IoFailed || error instanceof RegistryError;
        if (!isBad) throw error;
        warning = `${PATHS.operations} is left out: ${error.message}`;
        return undefined;
      }
    },
    noteLeftOut: (notes) => {
      leftOut = notes;
    },
    acceptLog: (isVerified) => acceptLog(tree, isVerified),
    acceptPublication: () => acceptPublication(tree, conditions),
  };
  const seeksLog = witness !== undefined || trust.log.log !== undefined;
  const target = { ...{ folder, held, heldLog, seeksLog, trust, rules, env } };
  let failure: TreeRejected | undefined;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (attempt > 1) await setTimeout(RETRY_DELAY_MS);
    try {
      const stats = await download(source, target);
      const isHeld = heldReport !== undefined;
      const warnings = warning === undefined ? [] : [warning];
      const report = heldReport ?? (await verify(folder));
      const isServed = ({ path }: Note) => !leftOut.some((note) => note.path === path);
      const notes = [...report.notes.filter(isServed), ...leftOut];
      return { stats, report, log, isHeld, warnings, notes };
    } catch (error) {
      if (!(error instanceof TreeRejected)) throw error;
      failure = error;
    }
  }
  const advice = held === undefined && lacksCosignatures(failure) ? NEW_LOG : '';
  throw new TreeRejected(
    `${source} was not accepted: ${failure?.message.slice(0, 500)}. ${advice}If the next run fails too, tell the operator of the registry`,
  );
}

/** A mirror that serves nothing yet may be the witness that is missing. */
const NEW_LOG =
  'If the log is new, its witnesses may not have cosigned it yet: begin with a trust anchor from pin without --witness and --quorum. ';

function lacksCosignatures(failure: TreeRejected | undefined): boolean {
  for (let cause: unknown = failure; cause instanceof Error; cause = cause.cause) {
    if (hasCode(cause, 'ERR_TOO_FEW_COSIGNATURES')) return true;
  }
  return false;
}

/** Asserts that `verify` accepts an operations statement with the other files of a tree. */
async function assertOperations(bytes: Uint8Array, tree: TreeSource, trust: PinnedTrust): Promise<void> {
  const get = async (path: string) => (path === PATHS.operations ? { bytes } : tree.get(path));
  const files = new SeenFiles({ ...tree, get });
  const { rootKey } = await trustedRoot(files, trust.rootKey);
  await checkOperations(files, rootKey, Date.now());
}

async function verifyFolder(
  folder: string,
  {
    trust,
    maxAgeDays,
    checkedLog,
    verifyHolders,
  }: Pick<MirrorOptions, 'trust' | 'maxAgeDays' | 'verifyHolders'> & Pick<VerifyOptions, 'checkedLog'>,
): Promise<TreeReport> {
  const source = { ...folderSource(folder), withoutHostFiles: true };
  const options = { ...trust, checkedLog, verifyHolders, maxAge: maxAgeDays * 24 * 60 * 60 };
  const report = await verifyTree(source, trust.rootKey, options);
  if (report.ok) return report;
  const problems = report.checks.flatMap(({ problems, result }) => (result === 'failed' ? problems : []));
  throw new TreeRejected(problems.join('; '));
}
