import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import type { Command } from 'commander';
import { editStatus, type StatusEdit } from '../../generator/authoring/edit-status.js';
import { IoFailed, KeyRejected } from '../../generator/errors.js';
import { type OutputFolder, withOutputFolder } from '../../generator/files/output-folder.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { onlinePermission } from '../../generator/freshness/missing-online-key.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readPublished } from '../../generator/tree/published-tree.js';
import type { Level } from '../operating/condition.js';
import { presenceOf } from '../operating/root-key-condition.js';
import { addOptions } from '../options/add-options.js';
import { BUILD_OPTIONS, type BuildCommandOptions } from '../options/build-options.js';
import { asksMirror, hasSigner } from '../options/settings.js';
import type { Invocation } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { codeOf, WITNESSES_AWAY } from '../terminal/say-built.js';
import { buildAndReport, buildUnsigned, UNSIGNED_OPTION } from './build.js';

interface Options extends BuildCommandOptions {
  reason: string;
  unsigned?: string;
  /** Only `suspend` has this option. */
  end?: true;
}

/** `passport-registry suspend` */
export function declareSuspend(command: Command, io: Invocation): void {
  command
    .description('suspend an issuer, or end that: edit its record, build, sign, verify')
    .argument('<id>', 'issuer_id')
    .option('--end', 'end the suspension: make the issuer active again');
  addChangeOptions(command, 'the reason, which is published, or with --end a comment in the record').action(
    (id: string, options: Options) =>
      run(io, options.json === true, () =>
        changeAndBuild(io, { id, to: options.end ? 'active' : 'suspended' }, options),
      ),
  );
}

/** `passport-registry revoke` */
export function declareRevoke(command: Command, io: Invocation): void {
  command
    .description('revoke an issuer for good: edit its record, build, sign, verify')
    .argument('<id>', 'issuer_id');
  addChangeOptions(command, 'the reason, which is published').action((id: string, options: Options) =>
    run(io, options.json === true, () => changeAndBuild(io, { id, to: 'revoked' }, options)),
  );
}

function addChangeOptions(command: Command, reason: string): Command {
  command.requiredOption('--reason <text>', reason);
  return addOptions(command, UNSIGNED_OPTION, ...BUILD_OPTIONS);
}

interface StatusChange {
  readonly id: string;
  readonly to: Issuer['status'];
}

/** The signals that end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Changes the record and the tree, or a request, together: if that fails or a signal ends it, restores the record, unless the list
 * or the log has the change by then. No other build reads the record meanwhile.
 */
async function changeAndBuild(io: Invocation, { id, to }: StatusChange, options: Options): Promise<number> {
  const { out, unsigned } = options;
  const { edit, built } = await withOutputFolder(out, (output) => changeIn(io, { id, to, output }, options));
  const lacks = built?.isFinished === false ? lackOf(built) : undefined;
  const publish = lacks === 'cosignatures' && !asksMirror(options.settings) ? '' : `, and publish ${out}`;
  say(io, `Commit ${edit.file}${publish}${unsigned === undefined ? '' : ' after `attach`'}.`);
  if (lacks !== undefined) say(io, untilComplete(lacks, { id, to }, options));
  if (to === 'revoked') {
    const undone =
      unsigned === undefined
        ? `Until you publish ${out}, you can undo it: restore ${edit.file}, for example from git, and the published tree in ${out}, with \`branch load\` or from a host with \`mirror\`.`
        : `Until \`attach\`, you can undo it: restore ${edit.file}, for example from git, and remove ${unsigned}.`;
    say(io, `A revocation is final: nothing ends it once it is published. ${undone}`);
  }
  if ((await readPublished(out))?.checkpoint?.hold.includes(id)) {
    say(
      io,
      to === 'active'
        ? `${id} is still on hold, so verifiers go on treating it as suspended: end that with \`hold --end ${id} --false-alarm\`.`
        : `${id} is on hold, too. When the list that stops it is published, end that with \`hold --end ${id}\`.`,
    );
  }
  return built === undefined ? 0 : codeOf(built);
}

/** What a list lacks that is signed and written. */
type Lack = 'publication' | 'cosignatures' | 'checkpoint';

function lackOf({ log }: BuildReport): Lack {
  if (log?.isComplete === false) return 'publication';
  return log !== undefined && log.cosigned < log.quorum ? 'cosignatures' : 'checkpoint';
}

function untilComplete(lacks: Lack, { id, to }: StatusChange, options: Options): string {
  const { out } = options;
  const again = `Then run \`checkpoint ${out}\`, and publish ${out} again`;
  const seen = `sees that ${id} is ${to}`;
  if (lacks === 'publication') return `${again}: until then, no verifier ${seen}.`;
  if (lacks === 'checkpoint')
    return `First run \`checkpoint ${out}\`: until then, not every verifier ${seen}.`;
  const way = asksMirror(options.settings)
    ? again
    : `Run \`checkpoint ${out}\` until it ends with 0, and publish ${out} only then`;
  return (
    `${way}: until enough witnesses have cosigned, verifiers that demand them refuse this list, and holds beside it, so not every verifier ${seen}. ` +
    `To stop an issuer meanwhile, ${WITNESSES_AWAY}.`
  );
}

/** Edits the record and builds, with exclusive access to the output folder. */
async function changeIn(
  io: Invocation,
  { id, to, output }: StatusChange & { readonly output: OutputFolder },
  given: Options,
): Promise<{ readonly edit: StatusEdit; readonly built: BuildReport | undefined }> {
  const options = { ...given, about: id, stopped: to === 'active' ? undefined : id };
  const { issuers, out, reason, unsigned } = options;
  const isPublished = async () => {
    const tree = await readPublished(out);
    return tree?.signed === true && statusInList(tree.list, id) === to;
  };
  const head = readIfReadable(out, PATHS.logHead);
  const edit = await editStatus(issuers, id, { to, reason, now: new Date(), isPublished });
  const restore = () => {
    try {
      edit.undo();
      say(io, `${edit.file} is unchanged`);
    } catch (error) {
      say(io, `${edit.file} says ${to}, and ${out} does not: ${(error as Error).message}`);
    }
  };
  // A record that says something else than the list, or than what the log promises, would undo the change with the next build.
  const keepsEdit = () => {
    const isKept = mayBeWritten({ id, to, out, head });
    if (isKept)
      say(io, `${edit.file} says ${to}, as ${out} or its log does by now: \`build\` completes the tree`);
    return isKept;
  };
  const stop = (signal: NodeJS.Signals) => {
    if (!keepsEdit()) restore();
    // The listener is gone, so that the signal now ends the process with the usual exit code.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    if (edit.from === to)
      say(io, `${id}: status ${to} in ${edit.file}, but not in the list in ${out}: building`);
    const built = unsigned === undefined ? await buildAndReport(io, options, output) : undefined;
    if (unsigned !== undefined) await buildUnsigned(io, unsigned, options);
    if (edit.from !== to) say(io, `${id}: status ${edit.from} -> ${to} (${edit.file})`);
    return { edit, built };
  } catch (error) {
    if (keepsEdit()) throw error;
    restore();
    const root = presenceOf(options.settings.signer ?? {}, io.env);
    const isAway = root.level === 'note';
    if (isAway) say(io, `the root key is away: ${root.message}`);
    if (to !== 'active' && (isAway || isFaultOfRootKey(error, root.level))) await sayHold(io, id, options);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** Whether a build that did not end has written the change, to the list or to the log, or may have done so. */
function mayBeWritten({
  id,
  to,
  out,
  head,
}: StatusChange & { readonly out: string; readonly head: Buffer | undefined }): boolean {
  try {
    const now = readIfReadable(out, PATHS.logHead);
    const isLogged = now !== undefined && head?.equals(now) !== true;
    return isLogged || statusInList(readIfReadable(out, PATHS.list), id) === to;
  } catch {
    // A record that stops an issuer does no harm if the list does not.
    return to !== 'active';
  }
}

/** A hold helps only against the lack of the root key. */
function isFaultOfRootKey(error: unknown, presence: Level): boolean {
  if (error instanceof IoFailed) return presence !== 'ok';
  return error instanceof KeyRejected && !error.isOtherKey;
}

/** Tells whoever cannot suspend an issuer now how to stop it all the same, if the online key may. */
async function sayHold(io: Invocation, id: string, { out, settings }: Options): Promise<void> {
  const { mayHold, text } = await onlinePermission(out).catch(() => ({ mayHold: undefined, text: '' }));
  if (mayHold !== true) return;
  const held = (await readPublished(out).catch(() => undefined))?.checkpoint?.hold;
  if (held?.includes(id)) {
    say(io, `${id} is on hold by the checkpoint in ${out}, which stops it as soon as it is published.`);
    return;
  }
  const key = hasSigner(settings.checkpoint) ? '' : ' --online-key FILE';
  say(
    io,
    `${id} is not stopped yet. Without the root key, the online key can stop it: \`hold ${id}${key}\` (${text})`,
  );
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
