import type { SignedHead, StatementsFile } from '@passport-registry/verifier/core';
import type { OutputFolder } from '../files/output-folder.js';
import type { SignedPublication } from '../list/list.js';
import { type LogChoice, NO_WITNESSES } from '../log/log-choice.js';
import { readLogHead } from '../log/log-files.js';
import { PATHS } from '../tree/paths.js';
import { withStatements } from '../tree/statements-file.js';
import type { Tree } from '../tree/tree.js';
import type { CommittedTree } from './committed.js';
import { extendLog, readPublishedLog } from './extend-log.js';
import { amend, readerOver, type Stage } from './journal.js';
import { cosign, type LogReport, proveLast } from './prove-logged.js';

/** What a publication changes in the log. */
interface Logged {
  /** The new files of the log. */
  readonly files: Tree;
  /** The folders of partial tiles and bundles that full ones have replaced. */
  readonly replaced: readonly string[];
  /** What proves that the log has the publication; undefined if the registry has no log. */
  readonly proof: string | undefined;
  /** The head that witnesses are to cosign; undefined if nothing new is in the log. */
  readonly head: SignedHead | undefined;
}

/** Adds a publication to the log, or verifies that the log ends with it. The errors are those of {@link extendLog}. */
export async function logPublication(
  { signed, rotation }: { readonly signed: SignedPublication; readonly rotation: readonly string[] },
  { newest, stage }: CommittedTree,
  choice: LogChoice | undefined,
): Promise<Logged> {
  const { statement } = signed;
  const { log } = statement;
  if (log === undefined) return { files: new Map(), replaced: [], proof: undefined, head: undefined };
  if (newest?.statement.hash === statement.hash) {
    await readPublishedLog(newest, log);
    const waiting = stage && readLogHead(newest.read);
    return { files: new Map(), replaced: [], proof: newest.statements.logProof, head: waiting };
  }
  const { head, files, replaced } = await extendLog(
    { rotation, log, statement: statement.text },
    newest,
    choice,
  );
  const proof = await proveLast(head, (path) => files.get(path) ?? newest?.read(path));
  return { files, replaced, proof, head };
}

/** A committed stage, and its statements. */
interface Committed {
  readonly output: OutputFolder;
  readonly committed: Stage;
  readonly statements: StatementsFile;
}

/**
 * Asks witnesses to cosign the head of a committed stage: only what is on the disk is shown to them, because what a witness has seen
 * is completed, never dropped.
 */
export async function cosignStage(
  { output, committed, statements }: Committed,
  head: SignedHead,
  choice: LogChoice = NO_WITNESSES,
): Promise<CosignedStage> {
  const { headBytes, proof, report } = await cosign(head, choice, readerOver(output, committed));
  if (report.collected === 0) return { staged: committed, statements, report };
  const cosigned = { ...statements, logProof: proof };
  const files = withStatements(new Map([[PATHS.logHead, headBytes]]), cosigned);
  return { staged: await amend(output, committed, files), statements: cosigned, report };
}

/** A stage after witnesses were asked. */
export interface CosignedStage {
  readonly staged: Stage;
  readonly statements: StatementsFile;
  readonly report: LogReport;
}
