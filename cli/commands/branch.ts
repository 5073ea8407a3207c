import { type Command, Option } from 'commander';
import { repositoryAround } from '../../generator/files/git.js';
import {
  branchName,
  PUBLISHED_BRANCH,
  type RemoteBranch,
  remoteBranch,
} from '../../generator/files/remote-branch.js';
import { loadBranch } from '../../generator/publishing/load-branch.js';
import { saveBranch } from '../../generator/publishing/save-branch.js';
import { addOptions } from '../options/common-options.js';
import {
  BREAK_OPTION,
  exceptions,
  OVERRIDE_OPTION,
  type PublicationOptions,
} from '../options/publication-options.js';
import type { WithSettings } from '../options/settings.js';
import { assertAddresses } from '../options/values.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { count, type Io, say } from '../terminal/io.js';
import { addCommands, type Run } from './add-commands.js';

interface BranchOptions {
  branch: string;
  remote: string;
}

type LoadOptions = BranchOptions & WithSettings & { replace?: boolean };

type SaveOptions = BranchOptions & PublicationOptions & { message: string };

/** `passport-registry branch` */
export function declareBranch(command: Command, _io: Io, run: Run): undefined {
  addCommands(command, run, {
    load: {
      summary: 'write the tree of the branch into a folder',
      example: 'branch load dist',
      load: async () => declareLoad,
    },
    save: {
      summary: 'commit a tree to the branch, on top of the commit that was loaded, and push',
      example: 'branch save dist',
      load: async () => declareSave,
    },
  });
}

function declareLoad(command: Command, io: Io) {
  addOptions(command, ...BRANCH_OPTIONS)
    .argument('[dir]', 'folder to make', 'dist')
    .option('--replace', 'replace an older tree in the folder, once the new one is complete')
    .option('--base-url <url>', 'URL of the registry, whose list must not be newer than the branch');
  return (dir: string, options: LoadOptions) => loadTree(io, dir, options);
}

function declareSave(command: Command, io: Io) {
  addOptions(command, ...BRANCH_OPTIONS)
    .argument('[dir]', 'folder of the tree', 'dist')
    .option('--message <text>', 'message of the commit', 'Publish the registry');
  addOptions(command, OVERRIDE_OPTION, BREAK_OPTION);
  return (dir: string, options: SaveOptions) => saveTree(io, dir, options);
}

async function loadTree(io: Io, dir: string, options: LoadOptions): Promise<void> {
  const from = namedBranch(io, options);
  const { base_url: baseUrl } = options.settings;
  if (baseUrl !== undefined) assertAddresses([baseUrl]);
  const loaded = await loadBranch(dir, from, { baseUrl, replace: options.replace === true });
  const where = branchName(from);
  if (loaded === undefined) {
    say(
      io,
      `there is no ${where}, so ${dir} stays as it is: without a tree, the next build makes the first list`,
    );
    return;
  }
  say(io, `${dir} has ${count(loaded.files, 'file')} of ${where}, commit ${loaded.commit}`);
  if (loaded.notCompared !== undefined)
    say(io, `note: the tree was not compared with the live registry: ${loaded.notCompared}`);
}

async function saveTree(io: Io, dir: string, options: SaveOptions): Promise<void> {
  const to = namedBranch(io, options);
  const how = { message: options.message, exceptions: exceptions(options) };
  const { commit, warnings } = await saveBranch(dir, to, how);
  sayDiagnostics(io, warnings);
  const where = branchName(to);
  say(io, commit === undefined ? `${where} has the same files` : `${dir} is on ${where}: commit ${commit}`);
}

const BRANCH_OPTIONS = [
  new Option('--branch <name>', 'branch that holds the published tree').default(PUBLISHED_BRANCH),
  new Option('--remote <name>', 'remote repository').default('origin'),
];

function namedBranch({ env }: Io, { branch, remote }: BranchOptions): RemoteBranch {
  return remoteBranch({ repository: repositoryAround('.', env), remote, branch });
}
