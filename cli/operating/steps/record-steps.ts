import { onlyExampleNames } from '../changes-condition.js';
import { shellWord } from '../shell-word.js';
import type { RegistryStatus } from '../status.js';
import { type CommandSettings, type NextStep, run, told } from './next-step.js';

/** The step that the records need before they can be published, or after they were. */
export function recordSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { changes, tree } = status;
  const { issuers } = settings;
  const isEmpty = changes.state === 'none' || changes.state === 'empty';
  if (isEmpty && tree.published) return [told(`restore the records in ${issuers}, for example from git`)];
  if (isEmpty) return [run('create the first record', 'new', '<ISSUER_ID>')];
  if (changes.toCommit !== undefined) return [commitStep(changes.toCommit)];
  return changes.problems.length === 0 ? [] : [problemsStep(status, settings)];
}

function commitStep(files: readonly string[]): NextStep {
  return {
    command: `git add ${files.map(shellWord).join(' ')} && git commit -m "Published records"`,
    reason:
      'commit what was published, and push it: a build in another clone would otherwise publish the old state again',
  };
}

/** The step that shows why a build would refuse the records. */
function problemsStep({ changes, tree, live, mirrors }: RegistryStatus, settings: CommandSettings): NextStep {
  const { issuers, out, rootKeyOptions, overrideOptions } = settings;
  const isPublic = [live, ...mirrors].some(({ host }) => host?.updatedAt !== undefined);
  const startAgain =
    tree.published && !isPublic
      ? `; if the list was never published, on no host and no branch, remove ${out} to start again`
      : '';
  const reason = onlyExampleNames(changes.problems)
    ? 'see the names that are reserved for examples; replace them, or pass --allow-example-names to `status` and to builds'
    : `see what would stop a build, and fix it${startAgain}`;
  // Without this option, `diff` and `check` allow these names, as a build with a development key does.
  const production = changes.problems.some(({ rule }) => rule === 'example-name') ? ['--production'] : [];
  // `diff` shows the problems of the records, too.
  if (tree.published)
    return run(reason, 'diff', out, issuers, ...rootKeyOptions, ...overrideOptions, ...production);
  return run(reason, 'check', issuers, ...production);
}
