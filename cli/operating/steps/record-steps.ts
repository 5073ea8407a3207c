import { PRIVATE_FOLDER } from '../../../generator/files/private-folder.js';
import { commandLine, shellWord } from '../../command-line.js';
import { moveAway } from '../../hosts/load-commands.js';
import { onlyExampleNames } from '../changes-condition.js';
import type { RegistryStatus } from '../status.js';
import { fromHostAndHold } from './load-steps.js';
import { type CommandSettings, type NextStep, run, told } from './next-step.js';

/** The step that the records need before they can be published, or after they were. */
export function recordSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { changes, tree } = status;
  const { issuers, issuersOptions } = settings;
  const isEmpty = changes.state === 'none' || changes.state === 'empty';
  if (isEmpty && tree.published) return [told(`restore the records in ${issuers}, for example from git`)];
  const create = commandLine(settings, 'new', ...issuersOptions);
  if (isEmpty) return [told(`create the first record: run \`${create}\` with the id of an issuer`)];
  if (changes.toCommit !== undefined) return [commitStep(changes.toCommit, changes.hasOrigin === true)];
  if (changes.unpushed !== undefined) return [{ command: 'git push', reason: `push the records: ${WHY}` }];
  return changes.problems.length === 0 ? [] : [problemsStep(status, settings)];
}

const WHY = 'a build in another clone would otherwise publish the old state again';

function commitStep(files: readonly string[], hasOrigin: boolean): NextStep {
  const commit = `git add ${files.map(shellWord).join(' ')} && git commit -m "Published records"`;
  return {
    command: hasOrigin ? `${commit} && git push origin HEAD` : commit,
    reason: `commit what was published, and push it: ${WHY}`,
  };
}

/** The step that shows why a build would refuse the records. */
function problemsStep(status: RegistryStatus, settings: CommandSettings): NextStep {
  const { changes, tree } = status;
  const { issuers, out, rootKeyOptions, overrideOptions } = settings;
  const reason = onlyExampleNames(changes.problems)
    ? 'see the names that are reserved for examples. Replace them, or pass --allow-example-names to `status` and to builds'
    : `see what would stop a build, and fix it${wayBack(status, settings)}`;
  // Without this option, `diff` and `check` allow these names, as a build with a development key does.
  const production = changes.problems.some(({ rule }) => rule === 'example-name') ? ['--production'] : [];
  // `diff` shows the problems of the records, too.
  if (tree.published)
    return run(reason, settings, 'diff', out, issuers, ...rootKeyOptions, ...overrideOptions, ...production);
  return run(reason, settings, 'check', issuers, ...production);
}

/** How to undo a list that nobody has seen. Nothing else ends a revocation, and a witness may have seen the entry of a log. */
function wayBack(status: RegistryStatus, settings: CommandSettings): string {
  const { tree, live, mirrors, log, changes } = status;
  const isPublic = [live, ...mirrors].some(({ host }) => host?.updatedAt !== undefined);
  if (!tree.published) return '';
  if (!isPublic)
    return log.size === undefined
      ? `. Only if the list was never published, on no host and no branch, start again after \`mkdir -p ${PRIVATE_FOLDER} && ${moveAway(settings.out)}\``
      : '';
  const isRevoked = changes.problems.some(({ rule }) => rule === 'revoked-is-final');
  const isUnseen = live.parts?.list === 'older' && log.size === undefined;
  if (!isRevoked || live.url === undefined) return '';
  if (!isUnseen) return '. A revocation is final: get the record back from git, or run `revoke` again';
  return `. To undo a revocation that ${live.url} does not have, run \`${fromHostAndHold(live.url, status, settings)}\``;
}
