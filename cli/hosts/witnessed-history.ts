import { readIfReadable } from '../../generator/files/read-file.js';
import type { Witness } from '../../generator/log/log-choice.js';
import { otherHistory } from '../../generator/log/other-history.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';

/** What a witness has cosigned, and the log of a tree lacks, in words. Undefined if no witness shows that. */
export async function historyOfWitnesses(
  { folder, statement }: Pick<PublishedTree, 'folder' | 'statement'>,
  witnesses: readonly Witness[],
): Promise<string | undefined> {
  if (statement?.log === undefined || witnesses.length === 0) return undefined;
  const read = (path: string) => readIfReadable(folder, path);
  const found = await otherHistory(witnesses, { read, vkeys: [statement.log.vkey] });
  return found && `${found}: ${folder} is an old copy, or the log is forked`;
}

/** The way out if witnesses have cosigned what a tree lacks. */
export function wayBack(out: string): string {
  return (
    `witnesses never cosign what follows. Find the newest tree, in the folder in which it was signed, on a mirror or in a backup, and put ` +
    `it in the place of ${out}. Until then, \`hold\` stops issuers over the tree that the host serves. If it is lost for good, read ` +
    '"What can go wrong, and what stays" in the document log.md'
  );
}
