import type { Issuer } from '@passport-registry/verifier';
import type { AboutIssuer } from '@passport-registry/verifier/core';
import type { Command } from 'commander';
import { statusEdit } from '../../generator/authoring/edit-status.js';
import { IoFailed, KeyRejected, UsageError } from '../../generator/errors.js';
import { withOutputFolder } from '../../generator/files/output-folder.js';
import { describeOnlineKeys } from '../../generator/freshness/online-keys.js';
import { openCommitted } from '../../generator/publishing/open-tree.js';
import { readPublished } from '../../generator/verification/read-published.js';
import { presenceOf } from '../operating/signer-presence.js';
import { addOptions } from '../options/common-options.js';
import { cosignChoice } from '../options/publication-choices.js';
import { BUILD_OPTIONS, type BuildCommandOptions } from '../options/publication-options.js';
import { hasSigner } from '../options/settings.js';
import { type Io, say } from '../terminal/io.js';
import { UNFINISHED } from '../terminal/say-built.js';
import { buildOrRequest } from './build.js';

interface Options extends BuildCommandOptions {
  reason: string;
  /** Only `suspend` has this option. */
  end?: true;
}

/** `passport-registry suspend` */
export function declareSuspend(command: Command, io: Io) {
  command
    .description('suspend issuers, or end that: edit their records, build, sign, verify')
    .argument('<id...>')
    .option('--end', 'end the suspension: make the issuers active again')
    .requiredOption('--reason <text>', 'the reason, which is published unless with --end');
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
    .argument('<id>')
    .requiredOption('--reason <text>', 'the reason, which is published');
  addOptions(command, ...BUILD_OPTIONS);
  return (id: string, options: Options) => changeAndBuild(io, { ids: [id], to: 'revoked' }, options);
}

interface StatusChange {
  readonly ids: readonly string[];
  readonly to: Issuer['status'];
}

/**
 * Changes the records, and builds the tree or a request. All records are checked before the first one is written. If the build fails,
 * the edits stay, and the same command builds again.
 */
async function changeAndBuild(io: Io, change: StatusChange, options: Options): Promise<number> {
  const { ids, to } = change;
  const { issuers, reason } = options;
  const now = new Date();
  const suspended = to === 'active' ? await suspensionsIn(options) : undefined;
  const edits = ids.map((id) => statusEdit(issuers, id, { to, reason, now, suspended: suspended?.get(id) }));
  for (const { write } of edits) write();
  for (const [at, { file, from }] of edits.entries())
    say(io, `${ids[at]}: status ${from === to ? `${to} already` : `${from} -> ${to}`} (${file})`);
  const files = edits.map(({ file }) => file).join(', ');
  let code: number;
  try {
    code = await buildOrRequest(io, options);
  } catch (error) {
    await sayFailed(io, { ...change, files }, { options, error });
    throw error;
  }
  await sayBuilt(io, { ...change, files }, { code, ...options });
  return code;
}

/** Says what to publish, and what verifiers do until then. */
async function sayBuilt(
  io: Io,
  { ids, to, files }: StatusChange & { readonly files: string },
  { code, out, unsigned }: Options & { readonly code: number },
): Promise<void> {
  const publish = code === UNFINISHED ? '' : `, and publish ${out}`;
  say(io, `Commit ${files}${publish}${unsigned === undefined ? '' : ' after `attach`'}.`);
  if (code === UNFINISHED) {
    say(io, `Until \`checkpoint ${out}\` ends with 0, verifiers do not see that.`);
    if (to !== 'active') say(io, `Meanwhile, run \`hold ${ids.join(' ')}\`, and publish ${out}.`);
  }
  if (to === 'revoked') say(io, 'A revocation is final: nothing ends it once it is published.');
  await sayHeld(io, { ids, to }, out);
}

/** Says what a failed build leaves, and which issuers it has not stopped. */
async function sayFailed(
  io: Io,
  { ids, to, files }: StatusChange & { readonly files: string },
  { options, error }: { readonly options: Options; readonly error: unknown },
): Promise<void> {
  say(io, `The status in ${files} stays ${to}. Fix the cause, and run the same command again.`);
  const root = presenceOf(options.settings.signer ?? {}, io.env);
  // A wrong option is no lack of the key.
  const isAway = root.level === 'note' && !(error instanceof UsageError);
  if (isAway) say(io, `the root key is away: ${root.message}`);
  const isRootKey = isAway || isFaultOfRootKey(error, root.level === 'ok');
  if (to !== 'active' && (isRootKey || error instanceof IoFailed))
    await sayNotStopped(io, ids, { ...options, needsOther: isRootKey });
}

/** Says which of the changed issuers the published checkpoint holds, whatever the list says. */
async function sayHeld(io: Io, { ids, to }: StatusChange, out: string): Promise<void> {
  const hold = (await readPublished(out))?.checkpoint.hold;
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

/** What is said of the issuers that the newest list suspends. Completes what was committed, or a killed command has left. */
async function suspensionsIn(options: Options): Promise<ReadonlyMap<string, AboutIssuer>> {
  const witnesses = cosignChoice(options.settings, options.cosignWait);
  const { newest } = await withOutputFolder(options.out, (output) => openCommitted(output, witnesses));
  const suspended = newest?.issuers.filter(({ status }) => status === 'suspended') ?? [];
  return new Map(suspended.map(({ issuer_id }) => [issuer_id, newest?.about.get(issuer_id) ?? {}]));
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
  const published = await readPublished(out).catch(() => undefined);
  const online = published?.statement.online;
  const text = describeOnlineKeys(out, online);
  const hold = published?.checkpoint.hold;
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
    needsOther && online?.mayHold === true
      ? ` Without the root key, the online key can do that: \`hold ${free.join(' ')}\`${key} (${text})`
      : '';
  say(io, `Not stopped yet: ${free.join(', ')}.${other}`);
}
