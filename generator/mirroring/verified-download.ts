import { TreeRejected } from '../errors.js';
import { acceptStatements } from '../verification/accept-statements.js';
import { assertAcceptable } from '../verification/assert-acceptable.js';
import { auditLog } from '../verification/audit-log.js';
import { folderSource } from '../verification/tree-source.js';
import { type TreeReport, type VerifyOptions, verifyTree } from '../verification/verify.js';
import type { CheckedLog } from '../verification/verify-log.js';
import { download } from './download.js';
import type { AcceptanceRules, TransferStats } from './download-target.js';
import { readHeldLog } from './held-log.js';
import type { HeldRelease } from './held-release.js';
import type { MirrorOptions } from './mirror-options.js';
import { withoutQuorum } from './testify.js';

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
  const { source, maxAgeDays, env, witness } = options;
  const trust = witness === undefined ? options.trust : withoutQuorum(options.trust);
  const heldLog = await readHeldLog(accepted, trust.rootKey);
  const publications = accepted.flatMap((release) => release.stored() ?? []);
  const [tree, conditions] = [folderSource(folder), { trust, maxAgeDays, held: publications }];
  let log: CheckedLog | undefined;
  const rules: AcceptanceRules = {
    // A log can be cosigned even if the list is too old: the next publication may be waiting for the cosignature.
    acceptStatements: () =>
      acceptStatements(tree, { ...conditions, ...(witness && { maxAgeDays: undefined }) }),
    acceptLog: async (isVerified) => {
      log = await auditLog(tree, trust.rootKey, { head: heldLog?.head, isVerified });
      if (log !== undefined) await onLog(log);
    },
    acceptPublication: () => assertAcceptable(tree, conditions),
  };
  const seeksLog = witness !== undefined || trust.log.log !== undefined;
  const target = { ...{ folder, held, heldLog, seeksLog, trust, rules, env } };
  let failure = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    try {
      const stats = await download(source, target);
      return { stats, report: await verifyFolder(folder, { trust, maxAgeDays, checkedLog: log }), log };
    } catch (error) {
      if (!(error instanceof TreeRejected)) throw error;
      failure = error.message;
    }
  }
  throw new TreeRejected(`${source} was not accepted: ${failure.slice(0, 500)}`);
}

async function verifyFolder(
  folder: string,
  {
    trust,
    maxAgeDays,
    checkedLog,
  }: Pick<MirrorOptions, 'trust' | 'maxAgeDays'> & Pick<VerifyOptions, 'checkedLog'>,
): Promise<TreeReport> {
  const source = { ...folderSource(folder), withoutHostFiles: true };
  const { rootKey, requireCheckpoint, requirePublication } = trust;
  const required = { requireCheckpoint, requirePublication, checkedLog };
  const report = await verifyTree(source, rootKey, { ...required, maxAge: maxAgeDays * 24 * 60 * 60 });
  if (report.ok) return report;
  const problems = report.checks.flatMap(({ problems, result }) => (result === 'failed' ? problems : []));
  throw new TreeRejected(problems.join('; '));
}
