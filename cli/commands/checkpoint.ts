import type { Command, Option } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { type OutputFolder, withOutputFolder } from '../../generator/files/output-folder.js';
import type { CheckpointChoice } from '../../generator/freshness/checkpoint.js';
import { missingOnlineKey } from '../../generator/freshness/online-keys.js';
import type { CommittedTree } from '../../generator/publishing/committed.js';
import type { UrlQuestion } from '../../generator/publishing/follow-url.js';
import {
  assertListed,
  type HoldChange,
  type PublishedCheckpointChoice,
} from '../../generator/publishing/next-hold.js';
import { openCommitted } from '../../generator/publishing/open-tree.js';
import {
  type CheckpointReport,
  publishCheckpoint,
  renewCheckpoint,
} from '../../generator/publishing/publish-checkpoint.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';
import { addOptions, JSON_OPTION, OFFLINE_OPTION, OUT_OPTION } from '../options/common-options.js';
import { checkpointChoice, cosignChoice } from '../options/publication-choices.js';
import { COSIGN_OPTION } from '../options/publication-options.js';
import { hasSigner, type WithSettings } from '../options/settings.js';
import { keyOptions, rootSignerChoice } from '../options/signer-options.js';
import { emit, type Io, say } from '../terminal/io.js';
import { sayLog, UNFINISHED, WAITS } from '../terminal/say-built.js';

interface Options extends WithSettings {
  cosignWait?: number;
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
    .description('complete a publication that waits for witnesses, or sign a new checkpoint')
    .argument('[dir]', 'folder of the tree', 'dist');
  addOptions(command, ...CHECKPOINT_OPTIONS);
  return (out: string, options: Options) => renew(io, out, options);
}

/** `passport-registry hold` */
export function declareHold(command: Command, io: Io) {
  command
    .description('stop issuers at once, or end that, with a new checkpoint')
    .argument('[id...]', 'issuer_ids')
    .option('--end', 'end the hold of the issuers')
    .option('--false-alarm', 'with --end: also if the list does not stop them')
    .option('--all', 'with --end: of every issuer')
    .addOption(OUT_OPTION);
  addOptions(command, ...CHECKPOINT_OPTIONS);
  return (ids: string[], options: HoldOptions) => hold(io, holdChangeOf(ids, options), options);
}

const CHECKPOINT_OPTIONS: readonly Option[] = [
  ...keyOptions('online-'),
  COSIGN_OPTION,
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

async function renew(io: Io, out: string, options: Options): Promise<number> {
  const report = await withOutputFolder(out, (output) =>
    sign(io, { output, work: renewCheckpoint, isHold: false }, options),
  );
  return sayCheckpoint(io, { out, report }, options);
}

async function hold(io: Io, holdChange: HoldChange, options: HoldOptions): Promise<number> {
  const { out } = options;
  const isHold = holdChange.action === 'hold';
  const work = (tree: CommittedTree, choice: PublishedCheckpointChoice) => {
    // Whoever stops an issuer in a hurry asks nobody, and waits for nobody.
    return publishCheckpoint(tree, { ...choice, holdChange, witnesses: undefined });
  };
  const report = await withOutputFolder(out, (output) =>
    sign(io, { output, work, isHold, ids: holdChange.ids }, options),
  ).catch(async (error) => {
    if (isHold && error instanceof IoFailed) {
      // Only a failure needs it.
      const { sayNotStopped } = await import('./emergency.js');
      await sayNotStopped(io, holdChange.ids, options);
    }
    throw error;
  });
  return sayCheckpoint(io, { out, holdChange, report }, options);
}

/** What to sign. */
interface CheckpointTask {
  readonly output: OutputFolder;
  readonly work: typeof renewCheckpoint;
  readonly isHold: boolean;
  /** The issuers whose hold begins or ends. */
  readonly ids?: readonly string[];
}

async function sign(
  io: Io,
  { output, work, isHold, ids = [] }: CheckpointTask,
  options: Options,
): Promise<CheckpointReport> {
  const witnesses = cosignChoice(options.settings, options.cosignWait);
  const found = await openCommitted(output, witnesses);
  // A typing error should show before anybody looks for a key.
  if (isHold && found.published !== undefined) assertListed(ids, found.published);
  const key = await checkpointKey(io, found.newest, options);
  if (key === undefined) throw missingOnlineKey(output.named, found.newest?.statement.online, isHold);
  return work(found, { ...key, witnesses, url: questionOf(options) });
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

/** A checkpoint can be urgent, so it is signed also while nobody can read the registry's URL. */
function questionOf({ settings, offline }: Options): UrlQuestion {
  return { baseUrl: settings.base_url, offline, onlyCheckpoint: true };
}

/** A new checkpoint, and what has asked for it. */
interface Published {
  readonly out: string;
  readonly report: CheckpointReport;
  readonly holdChange?: HoldChange;
}

function sayCheckpoint(io: Io, { out, holdChange, report }: Published, options: Options): number {
  const { log, hold, waits } = report;
  const lacksQuorum = log !== undefined && log.cosigned < log.quorum;
  const ok = !waits && !lacksQuorum;
  const warnings = [...(waits ? [WAITS] : []), ...report.warnings];
  if (options.json) emit(io, { ok, ...report, warnings });
  say(io, `${out}: the list of ${report.updatedAt} has a checkpoint that is valid until ${report.expires}`);
  if (hold.length > 0) say(io, `on hold: ${hold.join(', ')}. Verifiers treat held issuers as suspended.`);
  else if (holdChange !== undefined) say(io, 'on hold: no issuer');
  for (const warning of warnings) say(io, `WARNING: ${warning}`);
  sayLog(io, { log });
  if (holdChange !== undefined) say(io, afterHold(holdChange, out));
  // A hold is complete, although a publication waits.
  return ok || holdChange !== undefined ? 0 : UNFINISHED;
}

/** A hold stops nobody before it is published, and it is meant to last only until the root key has signed. */
function afterHold({ action, ids }: HoldChange, out: string): string {
  if (action !== 'hold') return `Publish ${out}.`;
  return (
    `Publish ${out} now: verifiers stop the held issuers when they see the checkpoint. With the root key, run ` +
    `\`suspend ${ids.join(' ')} --reason "<REASON>"\` (docs/operators/emergency.md#the-root-key-is-away).`
  );
}
