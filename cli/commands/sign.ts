import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { SigningHolder } from '../../custody/holder-signing/commitments.js';
import { type SigningTask, TASK_FILES } from '../../custody/holder-signing/signing-task.js';
import { folderOf, PAYLOADS } from '../../custody/offline-signing/payloads.js';
import {
  payloadsOf,
  type SigningRequest,
  signRequest,
} from '../../custody/offline-signing/signing-request.js';
import { nameHolders } from '../../custody/shared-key/key-group.js';
import { KeyRejected } from '../../generator/errors.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { addOptions, JSON_OPTION } from '../options/common-options.js';
import { hasSigner } from '../options/settings.js';
import {
  memoryOf,
  openShareFor,
  ROOT_SIGNER_OPTIONS,
  rootSignerChoice,
  type ShareOptions,
} from '../options/signer-options.js';
import { emit, type Io, say } from '../terminal/io.js';
import { confirmRequest, REQUEST_OPTIONS, type RequestOptions, shownRequest } from './confirm-request.js';

interface Options extends RequestOptions, ShareOptions {
  again?: true;
  json?: true;
}

/** `passport-registry sign`, for the machine with the key */
export function declareSign(command: Command, io: Io) {
  command
    .argument('<request>', 'folder that a command with `--unsigned` wrote')
    .option('--share <file>', "file with the holder's share of the key")
    .option('--again', 'with --share: replace your earlier commitments')
    .addOption(JSON_OPTION);
  addOptions(command, ...ROOT_SIGNER_OPTIONS, ...REQUEST_OPTIONS);
  return (folder: string, options: Options) => sign(io, folder, options);
}

async function sign(io: Io, folder: string, { share, ...options }: Options): Promise<void> {
  if (share !== undefined) return signWithShare(io, folder, { ...options, share });
  if (!hasSigner(options.settings)) {
    throw new KeyRejected('no signing key: pass --key or --share, or set signer in registry.yaml', {
      see: 'docs/operators/offline.md#offline-signing',
    });
  }
  const signer = await chooseSigner(rootSignerChoice(io, { ...options, production: true }));
  const request = await shownRequest(io, { folder, rootKey: signer.rootKey }, options);
  await confirmRequest(io, { request, rootKey: signer.rootKey }, options);
  const signed = await signRequest(folder, request, signer);
  const left = unsigned(folder, request);
  if (options.json) emit(io, { ok: true, signed, left });
  for (const file of signed) say(io, `signed: ${file}`);
  for (const file of left) say(io, `left for the other key: ${file}`);
}

/** The payloads of a rotation that wait for the other key. */
const unsigned = (folder: string, { payloads }: SigningRequest): string[] =>
  payloads.flatMap(({ type }) =>
    existsSync(join(folder, PAYLOADS[type].signature)) ? [] : join(folder, PAYLOADS[type].file),
  );

type ShareSigning = Options & { readonly share: string };

/** Signs in two rounds: the first run commits, and a later run signs once enough holders have committed. */
async function signWithShare(io: Io, folder: string, options: ShareSigning): Promise<void> {
  // Imported on demand, because the other commands need no FROST.
  const { hasCommitted, signingHolder } = await import('../../custody/holder-signing/commitments.js');
  const { signingTask } = await import('../../custody/holder-signing/signing-task.js');
  const opened = await openShareFor(io, folder, options);
  const { group } = opened;
  const request = await shownRequest(io, { folder, rootKey: group.rootKey }, options);
  const payloads = payloadsOf(request, group.rootKey);
  const task = signingTask(folderOf(folder, payloads[0]?.type ?? 'list'), group, payloads);
  const holder = signingHolder(task, opened, memoryOf(io, options));
  const signing = { task, holder, name: opened.label.name };
  if (options.again || !hasCommitted(task, holder)) return commit(io, signing, options);
  return giveShares(io, { ...signing, request }, options);
}

/** A request that a holder signs. */
interface HolderSigning {
  readonly task: SigningTask;
  readonly holder: SigningHolder;
  /** The name of the holder. */
  readonly name: string;
}

async function commit(
  io: Io,
  { task, holder, name }: HolderSigning,
  { again, json }: ShareSigning,
): Promise<void> {
  const { writeCommitments } = await import('../../custody/holder-signing/commitments.js');
  const isNew = await writeCommitments(task, holder, again === true);
  const file = `${task.folder}/${TASK_FILES.commitments(holder.share.number)}`;
  if (json) emit(io, { ok: true, committed: file, isNew, signed: [] });
  say(
    io,
    isNew
      ? `${file} has the commitments of ${name}`
      : `${file} is written again: ${name} has committed before`,
  );
  say(
    io,
    `next: run the same command once more${again ? ', without --again,' : ''} when enough others have committed`,
  );
}

async function giveShares(
  io: Io,
  { task, holder, request }: HolderSigning & { readonly request: SigningRequest },
  options: ShareSigning,
): Promise<void> {
  const { readyShares, writeShares } = await import('../../custody/holder-signing/signature-shares.js');
  // Before the question, and before the memory says that this machine has signed.
  await readyShares(task, holder);
  await confirmRequest(io, { request, rootKey: holder.group.rootKey }, options);
  const { sessions, waitingFor, faults } = await writeShares(task, holder);
  const file = `${task.folder}/${TASK_FILES.shares(holder.share.number)}`;
  if (options.json) emit(io, { ok: true, signed: [file], sessions, waitingFor });
  for (const { message } of faults) say(io, `WARNING: ${message}`);
  const groups = sessions === 1 ? 'one group' : `${sessions} groups`;
  say(io, `signed: ${file}, for ${groups} of ${holder.group.key.threshold} holders`);
  if (waitingFor.length === 0) return;
  const have = waitingFor.length === 1 ? 'has' : 'have';
  say(io, `without ${nameHolders(waitingFor)}, who ${have} not committed`);
}
