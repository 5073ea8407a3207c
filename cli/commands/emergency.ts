import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import type { Command } from 'commander';
import { editStatus, type StatusEdit } from '../../generator/authoring/edit-status.js';
import { IoFailed, KeyRejected, UsageError } from '../../generator/errors.js';
import { type OutputFolder, withOutputFolder } from '../../generator/files/output-folder.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { onlinePermission } from '../../generator/freshness/missing-online-key.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readPublished } from '../../generator/tree/published-tree.js';
import { assertFollowsHost } from '../hosts/follows-host.js';
import { presenceOf } from '../operating/signer-presence.js';
import { addOptions } from '../options/common-options.js';
import { BUILD_OPTIONS, type BuildCommandOptions } from '../options/publication-options.js';
import { hasSigner } from '../options/settings.js';
import { type Io, say } from '../terminal/io.js';
import { codeOf, WITNESSES_AWAY } from '../terminal/say-built.js';
import { buildAndReport, buildUnsigned } from './build.js';

interface Options extends BuildCommandOptions {
  reason: string;
  /** Only `suspend` has this option. */
  end?: true;
}

/** `passport-registry suspend` */
export function declareSuspend(command: Command, io: Io) {
  command
    .description('suspend issuers, or end that: edit their records, build, sign, verify')
    .argument('<id...>', 'issuer_ids')
    .option('--end', 'end the suspension: make the issuers active again')
    .requiredOption(
      '--reason <text>',
      'the reason, which is published, or with --end a comment in the record',
    );
  addOptions(command, ...BUILD_OPTIONS);
  return (given: string[], options: Options) => {
    const ids = [...new Set(given)];
    return changeAndBuild(io, { ids, to: options.end ? 'active' : 'suspended' }, options);
  };
}

/** `passport-registry revoke` */
export function declareRevoke(command: Command, io: Io) {
  command
    .description('revoke an issuer for good: edit its record, build, sign, verify')
    .argument('<id>', 'issuer_id')
    .requiredOption('--reason <text>', 'the reason, which is published');
  addOptions(command, ...BUILD_OPTIONS);
  return (id: string, options: Options) => changeAndBuild(io, { ids: [id], to: 'revoked' }, options);
}

interface StatusChange {
  readonly ids: readonly string[];
  readonly to: Issuer['status'];
}

/** The signals that end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Changes the records and the tree, or a request, together: if that fails or a signal ends it, restores the records, unless the
 * list or the log has the change by then. No other build reads the records meanwhile.
 */
async function changeAndBuild(io: Io, change: StatusChange, options: Options): Promise<number> {
  const { to } = change;
  const { out, unsigned } = options;
  let isBegun = false;
  const { files, built, isPublic } = await withOutputFolder(out, (output) => {
    isBegun = true;
    return changeIn(io, { ...change, output }, options);
  }).catch(async (error) => {
    if (!isBegun && to !== 'active' && error instanceof IoFailed)
      await sayNotStopped(io, change.ids, options);
    throw error;
  });
  const lacks = built?.isFinished === false ? lackOf(built) : undefined;
  const isDoubtful = built?.isCompared === false && options.settings.base_url !== undefined;
  const publishing = isDoubtful
    ? `, run \`status\`, and publish ${out} if it says so`
    : `, and publish ${out}`;
  const publish = lacks === 'cosignatures' ? '' : publishing;
  const isForked = built?.log?.isForked === true;
  say(io, `Commit ${files}${isForked ? '' : publish}${unsigned === undefined ? '' : ' after `attach`'}.`);
  // The report has said what to do.
  if (lacks !== undefined && !isForked) say(io, untilComplete(lacks, change, options));
  if (to === 'revoked')
    say(
      io,
      `A revocation is final: nothing ends it once it is published.${isPublic ? '' : ` ${undoOf(files, built, options)}`}`,
    );
  await sayHeld(io, change, out);
  return built === undefined ? 0 : codeOf(built);
}

/** Until when a revocation can be undone, and how. */
function undoOf(files: string, built: BuildReport | undefined, { out, unsigned }: Options): string {
  if (unsigned !== undefined)
    return `Until \`attach\`, you can undo it: restore ${files}, for example from git, and remove ${unsigned}.`;
  // No answer does not show that a witness has not cosigned.
  const isWitnessed = built?.log !== undefined && built.log.cosigned + built.log.missing.length > 0;
  return isWitnessed
    ? 'This one stays: the log has it, and witnesses never cosign a log that lacks what they have cosigned.'
    : `Until you publish ${out}, you can undo it: restore ${files}, for example from git, and the published tree in ${out}, with \`branch load\` or from a host with \`mirror\`.`;
}

/** Says which of the changed issuers the published checkpoint holds, whatever the list says. */
async function sayHeld(io: Io, { ids, to }: StatusChange, out: string): Promise<void> {
  const hold = (await readPublished(out))?.checkpoint?.hold;
  const held = ids.filter((id) => hold?.includes(id));
  if (held.length === 0) return;
  const end = `hold --end ${held.join(' ')}`;
  say(
    io,
    to === 'active'
      ? `Still on hold, so that verifiers go on treating them as suspended: ${held.join(', ')}. End that with \`${end} --false-alarm\`.`
      : `On hold, too: ${held.join(', ')}. When the list that stops them is published, end that with \`${end}\`.`,
  );
}

/** What a list lacks that is signed and written. */
type Lack = 'cosignatures' | 'checkpoint';

function lackOf({ log }: BuildReport): Lack {
  return log !== undefined && log.cosigned < log.quorum ? 'cosignatures' : 'checkpoint';
}

function untilComplete(lacks: Lack, { ids, to }: StatusChange, options: Options): string {
  const { out } = options;
  const seen = `sees that ${ids.join(' and ')} ${ids.length === 1 ? 'is' : 'are'} ${to}`;
  if (lacks === 'checkpoint')
    return `First run \`checkpoint ${out}\`: until then, not every verifier ${seen}.`;
  return (
    `Run \`checkpoint ${out}\` until it ends with 0, and publish ${out} only then: until enough witnesses have cosigned, verifiers that demand them refuse this list, and holds beside it, so not every verifier ${seen}. ` +
    `To stop an issuer meanwhile, ${WITNESSES_AWAY}.`
  );
}

/** The result of a command. */
interface ChangedRecords {
  /** The files of the records, in words. */
  readonly files: string;
  readonly built: BuildReport | undefined;
  /** Whether the list had the revocation before, and may be published with it. */
  readonly isPublic: boolean;
}

/** Edits the records and builds, with exclusive access to the output folder. */
async function changeIn(
  io: Io,
  { ids, to, output }: StatusChange & { readonly output: OutputFolder },
  options: Options,
): Promise<ChangedRecords> {
  const { issuers, out, reason, unsigned } = options;
  const isPublished = async (id: string) => {
    const tree = await readPublished(out);
    if (tree?.signed !== true || statusInList(tree.list, id) !== to) return false;
    // The host may have ended or begun it since.
    const { settings, config } = options;
    const unknown = await assertFollowsHost({ published: tree, settings, env: io.env, config });
    if (unknown !== undefined) say(io, `WARNING: ${unknown}`);
    return true;
  };
  const before = { out, head: readIfReadable(out, PATHS.logHead), list: readIfReadable(out, PATHS.list) };
  const isPublic = to === 'revoked' && ids.some((id) => statusInList(before.list, id) === to);
  const edits: IssuerEdit[] = [];
  /** Restores what the list does not have. Returns the issuers. */
  const restore = () => {
    const unseen = edits.filter((edit) => !isKept(io, edit, before));
    for (const edit of unseen) undo(io, edit, out);
    return unseen;
  };
  const stop = (signal: NodeJS.Signals) => {
    const unseen = restore().map(({ id }) => id);
    if (to !== 'active' && unseen.length > 0) say(io, `Not stopped yet: ${unseen.join(', ')}.`);
    // The listener is gone, so that the signal now ends the process with the usual exit code.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    for (const id of ids) {
      const change = { to, reason, now: new Date(), isPublished: () => isPublished(id) };
      edits.push({ id, ...(await editStatus(issuers, id, change)) });
    }
    for (const { id, file, from } of edits)
      if (from === to) say(io, `${id}: status ${to} in ${file}, but not in the list in ${out}: building`);
    const purpose = { about: ids, stopped: to === 'active' ? [] : ids };
    const built =
      unsigned === undefined ? await buildAndReport(io, options, { output, ...purpose }) : undefined;
    if (unsigned !== undefined) await buildUnsigned(io, { ...options, unsigned }, ids);
    for (const { id, file, from } of edits)
      if (from !== to) say(io, `${id}: status ${from} -> ${to} (${file})`);
    return { files: edits.map(({ file }) => file).join(', '), built, isPublic };
  } catch (error) {
    const restored = restore().map(({ id }) => id);
    if (restored.length < edits.length) throw error;
    const root = presenceOf(options.settings.signer ?? {}, io.env);
    const isComplete = edits.length === ids.length;
    // A wrong option is no lack of the key.
    const isAway = isComplete && root.level === 'note' && !(error instanceof UsageError);
    if (isAway) say(io, `the root key is away: ${root.message}`);
    const isRootKey = isAway || (isComplete && isFaultOfRootKey(error, root.level === 'ok'));
    if (to !== 'active' && (isRootKey || error instanceof IoFailed))
      await sayNotStopped(io, ids, { ...options, needsOther: isRootKey });
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** The change of the record of one issuer. */
interface IssuerEdit extends StatusEdit {
  readonly id: string;
}

/** What the tree had before a command. */
interface TreeBefore {
  readonly out: string;
  readonly head: Buffer | undefined;
  readonly list: Buffer | undefined;
}

/** A record that says something else than the list, or than what the log promises, would undo the change with the next build. */
function isKept(io: Io, edit: IssuerEdit, tree: TreeBefore): boolean {
  const { file, to } = edit;
  if (!mayBeWritten(edit, tree)) return false;
  say(io, `${file} says ${to}, as ${tree.out} or its log does by now: \`build\` completes the tree`);
  return true;
}

/** Restores a record, as far as possible. */
function undo(io: Io, edit: IssuerEdit, out: string): void {
  try {
    edit.undo();
    say(io, `${edit.file} is unchanged`);
  } catch (error) {
    say(io, `${edit.file} says ${edit.to}, and ${out} does not: ${(error as Error).message}`);
  }
}

/** Whether a build that did not end has written the change, to the list or to the log, or may have done so. */
function mayBeWritten({ id, to }: IssuerEdit, { out, head, list }: TreeBefore): boolean {
  try {
    const now = readIfReadable(out, PATHS.logHead);
    const isLogged = now !== undefined && head?.equals(now) !== true;
    const written = readIfReadable(out, PATHS.list);
    const isNew = written !== undefined && list?.equals(written) !== true;
    return isLogged || (isNew && statusInList(written, id) === to);
  } catch {
    // A record that stops an issuer does no harm if the list does not.
    return to !== 'active';
  }
}

/** A hold helps only against the lack of the root key. */
function isFaultOfRootKey(error: unknown, isPresent: boolean): boolean {
  if (error instanceof IoFailed) return !isPresent;
  return error instanceof KeyRejected && !error.isOtherKey;
}

/** Says which issuers a command has not stopped, because it failed; without the root key, also how the online key can, if it may. */
export async function sayNotStopped(
  io: Io,
  ids: readonly string[],
  { out, settings, needsOther }: Pick<Options, 'out' | 'settings'> & { readonly needsOther?: boolean },
): Promise<void> {
  const { mayHold, text } = await onlinePermission(out).catch(() => ({ mayHold: undefined, text: '' }));
  const hold = (await readPublished(out).catch(() => undefined))?.checkpoint?.hold;
  const held = ids.filter((id) => hold?.includes(id));
  const free = ids.filter((id) => !held.includes(id));
  if (held.length > 0)
    say(
      io,
      `On hold by the checkpoint in ${out}, which stops them when it is published: ${held.join(', ')}.`,
    );
  if (free.length === 0) return;
  const key = hasSigner(settings.checkpoint) ? '' : ', with --online-key and its file';
  const other =
    needsOther && mayHold === true
      ? ` Without the root key, the online key can do that: \`hold ${free.join(' ')}\`${key} (${text})`
      : '';
  say(io, `Not stopped yet: ${free.join(', ')}.${other}`);
}

/** Returns the status of an issuer in the bytes of a list. Undefined if the list is damaged or has no such issuer. */
function statusInList(list: Uint8Array | undefined, id: string): Issuer['status'] | undefined {
  try {
    const { issuers }: IssuerRegistry = JSON.parse(new TextDecoder().decode(list));
    return issuers.find(({ issuer_id }) => issuer_id === id)?.status;
  } catch {
    return undefined;
  }
}
