import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { type CosignChoice, NO_WITNESSES } from '../../generator/log/log-choice.js';
import { countCosigners, readProof } from '../../generator/publishing/prove-logged.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import { checkConformance } from '../../generator/verification/check-host.js';
import { type TreeReport, verifyTree } from '../../generator/verification/verify.js';
import { JSON_OPTION, numberOption } from '../options/common-options.js';
import { cosignChoice } from '../options/publication-choices.js';
import {
  loadTrust,
  TRUST_OPTION,
  type TrustOption,
  trustFile,
  type WithTrust,
} from '../options/trust-option.js';
import { isFolder, sourceAt } from '../options/values.js';
import { emit, type Io, reportOutput, say, withProgress, writeLine } from '../terminal/io.js';
import { shellWord } from '../terminal/paths.js';
import { writeConformance, writeReport } from '../terminal/write-verified.js';
import { differenceFrom, type ExpectedTree, readExpectedTree, rememberFiles } from './expected-tree.js';

interface Options extends WithTrust {
  conformance?: true;
  anyContentType?: true;
  expect?: string;
  wait?: number;
  json?: true;
}

/** `passport-registry verify` */
export function declareVerify(command: Command, io: Io) {
  command
    .argument('[dir|url]', 'folder of a tree, or URL (default: base_url, or dist)')
    .addOption(TRUST_OPTION)
    .option('--conformance', 'also check types, caching and missing files')
    .option('--any-content-type', 'accept any content types')
    .option('--expect <dir>', 'the files must be those of the tree in this folder')
    .addOption(numberOption('--wait <seconds>', 'how long to try again until the registry is valid'))
    .addOption(JSON_OPTION);
  return (where: string | undefined, options: Options) => verify(io, where, options);
}

async function verify(io: Io, named: string | undefined, options: Options): Promise<number> {
  const question = await questionOf(io, named, options);
  const { where, expected } = question;
  const { report, difference, ok } = await withWait(io, options.wait, (signal) =>
    verifyOnce(io, question, signal),
  );
  const conformance = options.conformance && !report.unreachable ? await checkConformance(where) : undefined;
  const passed = ok && conformance?.ok !== false;
  if (options.json) {
    const compared = expected && { expected: expected.sha256, difference: difference ?? null };
    emit(io, { ...report, ok: passed, ...compared, ...(conformance && { conformance }) });
  }
  const output = reportOutput(io, options.json);
  writeReport(output, report);
  if (conformance !== undefined) writeConformance(output, conformance);
  if (report.unreachable) {
    writeLine(output, `${where} cannot be reached, so nothing was verified`);
    return UNREACHABLE;
  }
  if (difference !== undefined) writeLine(output, difference);
  else writeLine(output, passed ? `${where} is valid` : `${where} is NOT valid`);
  return passed ? 0 : 1;
}

/** What is verified, and what is demanded of it. */
interface Question {
  readonly where: string;
  readonly trust: TrustOption | undefined;
  readonly anyContentType: boolean;
  /** The tree of `--expect`. */
  readonly expected: ExpectedTree | undefined;
  /** The witnesses whose quorum the operator of that tree needs. */
  readonly witnesses: CosignChoice;
}

async function questionOf(io: Io, named: string | undefined, options: Options): Promise<Question> {
  const { conformance, anyContentType = false, expect, settings } = options;
  const file = trustFile(options);
  const trust = file === undefined ? undefined : await loadTrust(io, file);
  const where = named ?? settings.base_url ?? defaultTarget(trust);
  if (conformance && !sourceAt(where).live)
    throw new UsageError('--conformance checks a live host: give its URL');
  if (expect === undefined) {
    return { where, trust, anyContentType, expected: undefined, witnesses: NO_WITNESSES };
  }
  const expected = readExpectedTree(expect);
  return { where, trust, anyContentType, expected, witnesses: cosignChoice(settings) };
}

/** What one verification has found. */
interface Outcome {
  readonly report: TreeReport;
  /** How a valid tree differs from the expected one. Undefined if it does not. */
  readonly difference: string | undefined;
  readonly ok: boolean;
}

/** Verifies a tree once. @param signal - ends the requests */
async function verifyOnce(
  io: Io,
  { where, trust, anyContentType, expected, witnesses }: Question,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { source, seen } = rememberFiles(sourceAt(where, signal));
  const report = await withProgress(io, (onProgress) =>
    verifyTree(source, trust?.rootKey, { ...trust, anyContentType, onProgress }),
  );
  if (!report.ok || expected === undefined) return { report, difference: undefined, ok: report.ok };
  const difference = differenceFrom(expected, seen, where);
  const ok = difference === undefined;
  const lack = await lackOfQuorum(statementsIn((path) => seen.get(path))?.logProof, witnesses);
  if (lack === undefined) return { report, difference, ok };
  const warnings = [...report.warnings, whileRefused(lack, expected.folder)];
  return { report: { ...report, warnings }, difference, ok };
}

/** Says in what a proof that was served, or its absence, falls short of the quorum. Undefined if it has the quorum. */
async function lackOfQuorum(
  served: string | undefined,
  { witnesses, quorum }: CosignChoice,
): Promise<string | undefined> {
  const proof = readProof(served);
  const cosigned = proof === undefined ? 0 : await countCosigners(proof.head, { witnesses });
  if (cosigned >= quorum) return undefined;
  return `cosigned by ${cosigned} of ${witnesses.length} witnesses, but the quorum is ${quorum}`;
}

/** Says what a publication without the quorum of registry.yaml means, and what to do. */
function whileRefused(lack: string, folder: string): string {
  const command = `checkpoint ${shellWord(folder)}`;
  return `${lack}. Verifiers that demand this quorum refuse it: run \`${command}\` until it ends with 0, and publish again`;
}

/** Time between two attempts, in seconds. */
const PAUSE_SECONDS = 10;
/** The time that an attempt has at least, in seconds. */
const ATTEMPT_SECONDS = 10;

/**
 * Verifies again until the outcome is good or the time is over. Returns the last outcome.
 *
 * @param work - one attempt. The signal ends the requests of an attempt that would take longer than the time
 */
async function withWait<T extends { ok: boolean }>(
  io: Io,
  seconds: number | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (seconds === undefined) return work(undefined);
  const end = performance.now() + seconds * 1000;
  for (let isLast = false; ; ) {
    const limit = Math.max(end - performance.now(), ATTEMPT_SECONDS * 1000);
    const outcome = await work(AbortSignal.timeout(Math.ceil(limit)));
    const rest = end - performance.now();
    if (outcome.ok || isLast || rest <= 0) return outcome;
    say(io, `not valid yet; trying again for ${Math.ceil(rest / 1000)} s`);
    // A timer can end a little early, so the clock does not tell which attempt is the last.
    isLast = rest <= PAUSE_SECONDS * 1000;
    await setTimeout(isLast ? rest : PAUSE_SECONDS * 1000);
  }
}

function defaultTarget(trust: TrustOption | undefined): string {
  const target = isFolder('dist') ? 'dist' : trust?.sources[0];
  if (target !== undefined) return target;
  throw new UsageError(
    'there is nothing to verify: name the folder of a tree or the URL of a registry, or set base_url in registry.yaml',
  );
}

/** Exit code if the source cannot be reached, the same as that of {@link IoFailed}. */
const UNREACHABLE = new IoFailed('').exitCode;
