import type { IssuerRegistry, RootKey } from '@passport-registry/verifier';
import type { StatementsFile } from '@passport-registry/verifier/core';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { CheckedLog } from './check-log.js';
import { trustedRoot } from './check-statements.js';
import { Audit, checkTree, type ProvenStatements, type VerifyOptions } from './check-tree.js';
import type { Check } from './checks.js';
import { checkClient, checkUnknownId } from './file-checks.js';
import { pinnedKey } from './pinned-trust.js';
import { RETRIES, SeenFiles } from './seen-files.js';
import type { TreeSource } from './tree-source.js';
import type { Note } from './unknown-parts.js';

/** The checks that need a live host. */
const ONLY_LIVE = ['unknown id', 'content types'] as const;

/** The result of a verification. */
export interface TreeReport {
  readonly source: string;
  /** Whether no check failed. */
  readonly ok: boolean;
  /** Whether the source could not be reached, so that a failed check says nothing about the tree. */
  readonly unreachable: boolean;
  /** RFC 7638 thumbprint of the root key that was used. */
  readonly rootKey: string | undefined;
  /** RFC 7638 thumbprint of the pinned key, if the tree's rotation led from it to `rootKey`. */
  readonly rotatedFrom: string | undefined;
  /**
   * Whether the caller gave the root key. If not, the tree's own key was used, which only shows that the tree is
   * consistent.
   */
  readonly pinned: boolean;
  /** Whether the tree is marked as signed by a development key. */
  readonly development: boolean;
  readonly updatedAt: string | undefined;
  /** The number of issuers in the list. */
  readonly issuers: number | undefined;
  /** The payload hash: SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string | undefined;
  /**
   * The ids of the issuers that the checkpoint holds, sorted: verifiers treat them as suspended. Undefined if the checkpoint is
   * not valid: then it is unknown which issuers are on hold.
   */
  readonly hold: readonly string[] | undefined;
  readonly checks: readonly Check[];
  /** What is valid now but will soon expire, and what could not be verified, in words. */
  readonly warnings: readonly string[];
  /** What this version does not know: it was neither refused nor, but for its hash or its signature, verified. */
  readonly notes: readonly Note[];
}

/** A report for people, and the facts behind it for code that goes on with them. */
interface Audited {
  readonly report: TreeReport;
  readonly statements: ProvenStatements;
  /** The file with the statements, as it was read. */
  readonly file: StatementsFile | undefined;
  readonly rootKey: RootKey | undefined;
  /** The list, if it is valid and signed. */
  readonly registry: IssuerRegistry | undefined;
  /** The log, if there is one and it is valid. */
  readonly log: CheckedLog | undefined;
}

/**
 * Verifies everything in a tree as an outsider would: with nothing but the published files and a root key.
 *
 * @param source - the tree: `folderSource`, `httpSource` or `memorySource`
 * @param pinned - the root key that the caller trusts: the current one, or an earlier one from which the tree's
 *   rotation leads to the current one. Default: the tree's own key
 *
 * @example
 * ```ts
 * import { folderSource, verifyTree } from 'passport-registry';
 *
 * const report = await verifyTree(folderSource('dist'));
 * console.log(report.ok, report.rootKey);
 * ```
 */
export async function verifyTree(
  source: TreeSource,
  pinned?: RootKey,
  options: VerifyOptions = {},
): Promise<TreeReport> {
  return (await auditTree(source, pinned, options)).report;
}

/** Verifies a tree like {@link verifyTree}, and also returns what it has proven. */
export async function auditTree(
  source: TreeSource,
  pinned?: RootKey,
  options: VerifyOptions = {},
): Promise<Audited> {
  let files = new SeenFiles(source);
  let audited = await auditOnce(files, pinned, options);
  for (let retry = 0; retry < RETRIES && source.live; retry++) {
    const { report } = audited;
    if (report.ok || report.unreachable || !(await mayHaveChanged(files, report))) break;
    files = new SeenFiles(source);
    audited = await auditOnce(files, pinned, options);
  }
  return audited;
}

/** A new publication statement can name the same list, and the head of the log is replaced before the statement. */
const ALSO_CHANGED: readonly string[] = [PATHS.checksums, PATHS.logHead, PATHS.statements];

/** Whether a publication during the verification may have made the verification fail. */
async function mayHaveChanged(files: SeenFiles, { checks, sha256: list }: TreeReport): Promise<boolean> {
  if (checks.some(({ name, result }) => name === 'signature' && result === 'failed')) return true;
  if (await differs(files.source, PATHS.list, list)) return true;
  for (const path of ALSO_CHANGED) {
    const seen = await files.hash(path).catch(() => undefined);
    if (await differs(files.source, path, seen)) return true;
  }
  return false;
}

/** Whether a source now has another file than the one that was seen. */
async function differs(source: TreeSource, path: string, seen: string | undefined): Promise<boolean> {
  const file = await source.get(path).catch(() => undefined);
  return file !== undefined && sha256(file.bytes) !== seen;
}

async function auditOnce(
  files: SeenFiles,
  pinned: RootKey | undefined,
  options: VerifyOptions,
): Promise<Audited> {
  const { source } = files;
  const audit = new Audit(files, pinned, options);
  const { checks } = audit;
  audit.root = await checks.run('root key', () => trustedRoot(files, pinned));
  if (!checks.unreachable) {
    await checkTree(audit);
    await checkReading(audit);
  }
  if (!source.live) for (const name of ONLY_LIVE) checks.skip(name, 'only for a live host');
  const { root, rootKey, list, registry, publication, checkpoint } = audit;
  const development = await files.get(PATHS.developmentMark).catch(() => undefined);
  const report: TreeReport = {
    source: source.name,
    ok: checks.failed.length === 0,
    unreachable: checks.unreachable,
    rootKey: rootKey?.thumbprint,
    rotatedFrom: root?.rotatedFrom?.thumbprint,
    pinned: pinned !== undefined,
    development: development !== undefined,
    updatedAt: registry?.updated_at,
    issuers: registry?.issuers.length,
    sha256: list && sha256(list),
    hold: checkpoint?.hold,
    checks: checks.complete(),
    warnings: audit.warnings,
    notes: audit.notes,
  };
  const { statements: file, logged: log } = audit;
  return { report, statements: { publication, checkpoint }, file, rootKey, registry, log };
}

/** The checks `unknown id` and `content types` of a live host, and `client`. */
async function checkReading({ files, checks, rootKey, registry, options }: Audit): Promise<void> {
  const { live } = files.source;
  if (live && !checks.unreachable) {
    await checks.run('unknown id', () => checkUnknownId(files));
    if (options.anyContentType === true) checks.skip('content types', 'any content type is accepted');
    else if (files.any) await checks.run('content types', async () => files.assertTypes());
  }
  // A host may serve a client differently. A folder that has already failed needs no check by a client.
  if (rootKey === undefined || registry === undefined || (checks.failed.length > 0 && !live)) {
    checks.skip('client', 'an earlier check failed');
    return;
  }
  const trusted = { ...pinnedKey(rootKey), log: options.log ?? {} };
  await checks.run('client', () => checkClient(files, trusted, options.now?.()));
}
