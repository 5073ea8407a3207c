import type { Command } from 'commander';
import { addRequestOptions, type RequestOptions } from '../options/request-options.js';
import { addShareOptions, memoryOf, openShareFor, type ShareOptions } from '../options/share-options.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { shownRequest } from './confirm-request.js';

interface Options extends ShareOptions, Omit<RequestOptions, 'yes'> {
  share: string;
  again?: true;
  json?: true;
}

/** `passport-registry commit`, for the holder of a share */
export function addCommitCommand(program: Command, io: Invocation): void {
  const command = program
    .command('commit')
    .description('show what a signing request changes, and prepare to sign it with a share of the root key')
    .argument('<request>', 'folder that a command with `--unsigned` wrote')
    .option('--again', 'replace your earlier commitments for this request, and what you signed with them')
    .option('--json', 'report as JSON on stdout');
  addRequestOptions(addShareOptions(command), false).action((folder: string, options: Options) =>
    run(io, options.json === true, () => commit(io, folder, options)),
  );
}

async function commit(io: Io, folder: string, options: Options): Promise<undefined> {
  // Imported on demand, because the other commands need no FROST.
  const { signingHolder, writeCommitments } = await import('../../custody/holder-signing/commitments.js');
  const { signingTask } = await import('../../custody/holder-signing/signing-task.js');
  const opened = await openShareFor(io, folder, options);
  const { group, label } = opened;
  const { payloads } = await shownRequest(io, { folder, rootKey: group.rootKey }, options);
  const task = signingTask(folder, group, payloads);
  const holder = signingHolder(task, opened, memoryOf(io, options));
  const isNew = await writeCommitments(task, holder, options.again === true);
  const file = `${folder}/commitments-${label.number}.jwt`;
  if (options.json) emit(io, { ok: true, file, isNew });
  say(
    io,
    `${file} ${isNew ? 'has the commitments of' : 'is unchanged:'} ${label.name}${isNew ? '' : ' has committed before'}`,
  );
  say(
    io,
    `next: \`passport-registry sign ${folder} --share ${options.share}\`, once the others have committed`,
  );
  return undefined;
}
