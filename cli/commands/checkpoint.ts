import { RegistryError } from '@passport-registry/verifier';
import type { ReportedMirror } from '@passport-registry/verifier/core';
import type { Command } from 'commander';
import { GeneratorError, UsageError } from '../../generator/errors.js';
import { missingOnlineKey } from '../../generator/freshness/missing-online-key.js';
import { assertListed, type HoldChange } from '../../generator/publishing/next-hold.js';
import { publishCheckpoint } from '../../generator/publishing/publish-checkpoint.js';
import type { Signer } from '../../generator/signing/sign.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readPublished } from '../../generator/tree/published-tree.js';
import { publishOperations } from '../operating/publish-operations.js';
import { onlineSigner } from '../options/freshness-options.js';
import { addCosignOptions, type CosignOptions, cosignChoice, TOO_FEW } from '../options/log-options.js';
import { positiveNumber } from '../options/positive-number.js';
import { addSigningOptions, type SigningOptions } from '../options/signer-options.js';
import { asSource, assertAddresses } from '../options/where.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { sayLog } from '../terminal/say-built.js';

interface Options extends SigningOptions, CosignOptions {
  publicKey?: string;
  /** Only `checkpoint` has this option. */
  mirror?: readonly string[];
  hours: string;
  json?: true;
}

interface HoldOptions extends Options {
  out: string;
  /** Only `release` has these options. */
  all?: true;
  falseAlarm?: true;
}

/** `passport-registry checkpoint`, `hold` and `release` */
export function addCheckpointCommands(program: Command, io: Invocation): void {
  const command = program
    .command('checkpoint')
    .description('sign a checkpoint of the published list with the online key')
    .argument('[dir]', 'folder of the tree', 'dist')
    .option('--mirror <url...>', 'URLs of the mirrors, whose state the tree reports');
  addCheckpointOptions(command).action((out: string, options: Options) =>
    run(io, options.json === true, () => checkpoint(io, { out }, options)),
  );
  const hold = program
    .command('hold')
    .description('stop issuers at once: sign a checkpoint that holds them, with the online key')
    .argument('<id...>', 'issuer_ids');
  addHoldOptions(hold).action((ids: string[], options: HoldOptions) =>
    run(io, options.json === true, () =>
      checkpoint(io, { out: options.out, holdChange: { action: 'hold', ids } }, options),
    ),
  );
  const release = program
    .command('release')
    .description('end the hold of issuers: sign a checkpoint that does not hold them, with the online key')
    .argument('[id...]', 'issuer_ids')
    .option('--false-alarm', 'release issuers although the list does not stop them')
    .option('--all', 'release every issuer, even if the published checkpoint cannot be read');
  addHoldOptions(release).action((ids: string[], options: HoldOptions) =>
    run(io, options.json === true, () =>
      checkpoint(io, { out: options.out, holdChange: releaseOf(ids, options) }, options),
    ),
  );
}

function addHoldOptions(command: Command): Command {
  return addCheckpointOptions(command.option('--out <dir>', 'folder of the tree', 'dist'));
}

function addCheckpointOptions(command: Command): Command {
  return addCosignOptions(addSigningOptions(command))
    .option('--public-key <file>', 'public JWK that the key must match; needed with --signer-command')
    .option('--hours <number>', 'how long the checkpoint is valid', '24')
    .option('--json', 'report as JSON on stdout');
}

function releaseOf(ids: readonly string[], { all, falseAlarm }: HoldOptions): HoldChange {
  const isNamed = ids.length > 0;
  if (isNamed === (all === true)) throw new UsageError('name the issuers to release, or pass --all');
  return { action: all === true ? 'release all' : 'release', ids, isFalseAlarm: falseAlarm };
}

/** A checkpoint to sign: for which tree, and with which change of the holds. */
interface Request {
  readonly out: string;
  readonly holdChange?: HoldChange;
}

/**
 * Publishes what registry.yaml names of mirrors and witnesses. The checkpoint is published by now, and must reach the hosts,
 * so a failure is only a warning.
 */
async function reportOperations(
  out: string,
  signer: Signer,
  { mirror = [], witnesses = [], quorum }: Options,
): Promise<
  { readonly mirrors?: readonly ReportedMirror[]; readonly warnings: readonly string[] } | undefined
> {
  if (mirror.length === 0 && witnesses.length === 0) return undefined;
  try {
    const mirrors = await publishOperations(out, signer, {
      mirrors: mirror.map((url) => asSource(url) ?? url),
      witnesses: witnesses.map(({ key }) => key),
      quorum: quorum === undefined ? undefined : Number(quorum),
    });
    return { mirrors, warnings: [] };
  } catch (error) {
    if (!(error instanceof GeneratorError || error instanceof RegistryError)) throw error;
    return { warnings: [`${PATHS.operations} was not published: ${error.message}`] };
  }
}

async function checkpoint(io: Io, { out, holdChange }: Request, options: Options): Promise<number> {
  const hours = positiveNumber('--hours', options.hours);
  const { mirror: mirrors = [] } = options;
  assertAddresses(mirrors);
  const isHold = holdChange?.action === 'hold';
  // Whoever stops an issuer in a hurry should not look for a key first, only to learn of a typing error.
  const published = isHold ? await readPublished(out) : undefined;
  if (isHold && published?.intact.list === true) assertListed(holdChange.ids, published);
  if (options.key === undefined && options.signerCommand === undefined)
    throw await missingOnlineKey(out, isHold);
  const signer = await onlineSigner(io, { ...options, rootKey: options.publicKey });
  const report = await publishCheckpoint(out, { signer, hours, holdChange }, cosignChoice(options));
  const { log, hold } = report;
  const ok = log === undefined || log.collected >= log.quorum;
  const operations = holdChange === undefined ? await reportOperations(out, signer, options) : undefined;
  const warnings = [...report.warnings, ...(operations?.warnings ?? [])];
  if (options.json) emit(io, { ok, ...report, warnings, mirrors: operations?.mirrors });
  say(io, `${out}: the list of ${report.updatedAt} has a checkpoint that is valid until ${report.expires}`);
  if (hold.length > 0) say(io, `on hold: ${hold.join(', ')}. Verifiers treat held issuers as suspended.`);
  else if (holdChange !== undefined) say(io, 'on hold: no issuer');
  for (const { url, state, behind } of operations?.mirrors ?? []) {
    say(io, `mirror ${url}: ${state}${state === 'behind' ? ` by ${behind} s` : ''}`);
  }
  for (const warning of warnings) say(io, `WARNING: ${warning}`);
  sayLog(io, { log });
  return ok ? 0 : TOO_FEW;
}
