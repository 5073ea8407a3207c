import type { Command, Option } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { type OutputFolder, withOutputFolder } from '../../generator/files/output-folder.js';
import {
  type CheckpointChoice,
  ONLINE_CHECKPOINT_HOURS,
  ROOT_CHECKPOINT_HOURS,
} from '../../generator/freshness/checkpoint.js';
import { missingOnlineKey } from '../../generator/freshness/online-keys.js';
import { cosign } from '../../generator/publishing/cosign.js';
import { followUrl, type UrlQuestion } from '../../generator/publishing/follow-url.js';
import { assertListed, type HoldChange } from '../../generator/publishing/next-hold.js';
import { type CheckpointReport, publishCheckpoint } from '../../generator/publishing/publish-checkpoint.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { type PublishedTree, readPublished } from '../../generator/tree/published-tree.js';
import { addOptions, JSON_OPTION, numberOption, OFFLINE_OPTION } from '../options/common-options.js';
import {
  COSIGN_OPTION,
  checkpointChoice,
  cosignChoice,
  treeOptions,
} from '../options/publication-options.js';
import { hasSigner, type WithSettings } from '../options/settings.js';
import { keyOptions, rootSignerChoice } from '../options/signer-options.js';
import { emit, type Io, say } from '../terminal/io.js';
import { sayBuilt, sayLog, UNFINISHED, WITNESSES_AWAY } from '../terminal/say-built.js';

interface Options extends WithSettings {
  offline?: true;
  json?: true;
}

interface HoldOptions extends Options {
  out: string;
  end?: true;
  all?: true;
  falseAlarm?: true;
}

/** `passport-registry checkpoint` */
export function declareCheckpoint(command: Command, io: Io) {
  command
    .description(
      'complete a publication that is only in the log, collect cosignatures, and sign a checkpoint with the online key, or else the root key',
    )
    .argument('[dir]', 'folder of the tree', 'dist');
  addOptions(command, ...CHECKPOINT_OPTIONS);
  return (out: string, options: Options) => completeOrSign(io, out, options);
}

/** `passport-registry hold` */
export function declareHold(command: Command, io: Io) {
  command
    .description(
      'stop issuers at once, or end that: sign a checkpoint that holds them or not, with the online key, or else the root key',
    )
    .argument('[id...]', 'issuer_ids')
    .option('--end', 'end the hold of the issuers')
    .option('--false-alarm', 'with --end: also of issuers that the list does not stop')
    .option('--all', 'with --end: of every issuer, even if the published checkpoint cannot be read')
    .option('--out <dir>', 'folder of the tree', 'dist');
  addOptions(command, ...CHECKPOINT_OPTIONS);
  return (ids: string[], options: HoldOptions) => hold(io, holdChangeOf(ids, options), options);
}

const CHECKPOINT_OPTIONS: readonly Option[] = [
  ...keyOptions('online-'),
  COSIGN_OPTION,
  numberOption(
    '--hours <number>',
    `how long the checkpoint is valid (default: checkpoint.hours in registry.yaml, or ${ONLINE_CHECKPOINT_HOURS} by an online key, and ${ROOT_CHECKPOINT_HOURS} by the root key)`,
  ),
  OFFLINE_OPTION,
  JSON_OPTION,
];

function holdChangeOf(ids: readonly string[], { end, all, falseAlarm }: HoldOptions): HoldChange {
  const isNamed = ids.length > 0;
  if (end !== true) {
    if (!isNamed) throw new UsageError('name the issuers to hold');
    return { action: 'hold', ids };
  }
  if (isNamed === (all === true)) throw new UsageError('name the issuers whose hold ends, or pass --all');
  return { action: all === true ? 'release all' : 'release', ids, isFalseAlarm: falseAlarm };
}

/**
 * Completes a publication that is only in the log, with a new checkpoint. Without such a publication, signs a checkpoint of the
 * published list. Without a key, completes and collects what needs none.
 */
async function completeOrSign(io: Io, out: string, options: Options): Promise<number> {
  const { settings } = options;
  const started = performance.now();
  const done = await withOutputFolder(out, async (output) => {
    const published = await readPublished(output.named);
    const isLogged = published?.statement?.log !== undefined;
    const asksWitnesses = (settings.log.witnesses ?? []).length > 0;
    const hasKey = hasSigner(settings.checkpoint) || hasSigner(settings);
    if (published?.pending === undefined && (hasKey || !isLogged || !asksWitnesses)) {
      return { signed: await sign(io, { published, output }, options) };
    }
    const checkpoint = await checkpointKey(io, published, options);
    const how = { log: cosignChoice(settings), checkpoint, url: questionOf(options) };
    const report = await cosign(published, output, { ...treeOptions(settings), ...how });
    return { ...report, lacksKey: checkpoint === undefined };
  });
  if ('signed' in done) return sayCheckpoint(io, { out, ...done.signed }, options);
  const { lacksKey, log, completed } = done;
  if (completed !== undefined) sayBuilt(io, completed, performance.now() - started);
  else sayLog(io, { log });
  if (lacksKey) throw await missingOnlineKey(out, false);
  const ok = log.collected >= log.quorum;
  if (options.json) emit(io, { ok, log, completed });
  return ok ? 0 : UNFINISHED;
}

/**
 * Returns the key that signs a checkpoint: the online key, of `--online-key` or of the settings, or else the root key of the
 * settings, or the development key of a tree that it has signed. Undefined if there is none.
 */
async function checkpointKey(
  io: Io,
  published: PublishedTree | undefined,
  { settings }: Options,
): Promise<CheckpointChoice | undefined> {
  const online = await checkpointChoice(io, settings, { passphraseOption: '--online-passphrase-file' });
  if (online !== undefined) return online;
  if (!hasSigner(settings) && published?.development !== true) return undefined;
  return { signer: await chooseSigner(rootSignerChoice(io, { settings })), hours: settings.checkpoint.hours };
}

async function hold(io: Io, holdChange: HoldChange, options: HoldOptions): Promise<number> {
  const { out } = options;
  const signed = await withOutputFolder(out, async (output) =>
    sign(io, { published: await readPublished(output.named), output, holdChange }, options),
  ).catch(async (error) => {
    if (holdChange.action === 'hold' && error instanceof IoFailed) {
      // Only a failure needs it.
      const { sayNotStopped } = await import('./emergency.js');
      await sayNotStopped(io, holdChange.ids, options);
    }
    throw error;
  });
  return sayCheckpoint(io, { out, holdChange, ...signed }, options);
}

/** A checkpoint to sign: over which tree, and with which change of the holds. */
interface CheckpointTask {
  readonly published: PublishedTree | undefined;
  readonly output: OutputFolder;
  readonly holdChange?: HoldChange | undefined;
}

/** A new checkpoint, and what the registry's URL shows. */
interface SignedCheckpoint {
  readonly report: CheckpointReport;
  readonly note: string | undefined;
}

async function sign(
  io: Io,
  { published, output, holdChange }: CheckpointTask,
  options: Options,
): Promise<SignedCheckpoint> {
  const isHold = holdChange?.action === 'hold';
  // Whoever stops an issuer in a hurry should not look for a key first, only to learn of a typing error.
  if (isHold && published?.intact.list === true) assertListed(holdChange.ids, published);
  const key = await checkpointKey(io, published, options);
  if (key === undefined) throw await missingOnlineKey(output.named, isHold);
  const isAsked = published !== undefined && !published.development;
  const next = { rootKey: key.signer.rootKey, published };
  const { checkpoint: served, note } = isAsked ? await followUrl(next, questionOf(options)) : {};
  const choice = { ...key, holdChange, served, witnesses: cosignChoice(options.settings) };
  return { note, report: await publishCheckpoint(published, output, choice) };
}

/** A checkpoint can be urgent, so it is signed also while nobody can read the registry's URL. */
function questionOf({ settings, offline }: Options): UrlQuestion {
  return { baseUrl: settings.base_url, offline, onlyCheckpoint: true };
}

/** What a hold means in a list that lacks cosignatures. */
const UNSEEN_HOLD = `fewer witnesses than the quorum have cosigned this list, so verifiers that demand them refuse it, and the hold with it: ${WITNESSES_AWAY}`;

function sayCheckpoint(
  io: Io,
  signed: SignedCheckpoint & { readonly out: string; readonly holdChange?: HoldChange },
  options: Options,
): number {
  const { out, holdChange, report, note } = signed;
  const { log, hold } = report;
  const ok = log === undefined || log.collected >= log.quorum;
  const isUnseen = holdChange?.action === 'hold' && log !== undefined && log.cosigned < log.quorum;
  const warnings = [note, isUnseen ? UNSEEN_HOLD : undefined, ...report.warnings].filter(
    (warning) => warning !== undefined,
  );
  if (options.json) emit(io, { ok, ...report, warnings });
  say(io, `${out}: the list of ${report.updatedAt} has a checkpoint that is valid until ${report.expires}`);
  if (hold.length > 0) say(io, `on hold: ${hold.join(', ')}. Verifiers treat held issuers as suspended.`);
  else if (holdChange !== undefined) say(io, 'on hold: no issuer');
  for (const warning of warnings) say(io, `WARNING: ${warning}`);
  sayLog(io, { log });
  if (holdChange !== undefined) say(io, afterHold(holdChange, out, isUnseen || !ok));
  return ok ? 0 : UNFINISHED;
}

/** A hold stops nobody before it is published, and it is meant to last only until the root key has signed. */
function afterHold({ action, ids }: HoldChange, out: string, isDoubtful: boolean): string {
  // Verifiers may refuse the list.
  const publish = isDoubtful
    ? `Run \`status\` now, and publish ${out} only if it says so`
    : `Publish ${out}${action === 'hold' ? ' now' : ''}`;
  if (action !== 'hold') return `${publish}.`;
  // Pasted at night, one command with all ids would end each hold.
  const mistaken =
    ids.length === 1
      ? `\`hold --end ${ids[0]} --false-alarm\``
      : '`hold --end --false-alarm` with the ids of these';
  return (
    `${publish}: verifiers stop the held issuers as soon as they see the checkpoint. Then suspend or revoke with the root key ` +
    `(\`suspend ${ids.join(' ')} --reason "<REASON>"\`), and end the hold; or, if it was a mistake, run ${mistaken}.`
  );
}
