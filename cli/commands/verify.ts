import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import type { CosignChoice } from '../../generator/log/log-choice.js';
import { NO_WITNESSES } from '../../generator/log/log-choice.js';
import { countCosigners, readProof } from '../../generator/publishing/prove-logged.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import { type ConformanceReport, checkConformance } from '../../generator/verification/check-host.js';
import type { Check } from '../../generator/verification/checks.js';
import { type TreeReport, verifyTree } from '../../generator/verification/verify.js';
import { shellWord } from '../command-line.js';
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
import { count, emit, type Io, type Output, reportOutput, say, writeLine } from '../terminal/io.js';
import { withProgress } from '../terminal/progress.js';
import { differenceFrom, readExpectedTree, rememberFiles } from './expected-tree.js';

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
  const { base_url: baseUrl } = options.settings;
  const file = trustFile(options);
  const trust = file === undefined ? undefined : await loadTrust(io, file);
  const where = named ?? baseUrl ?? defaultTarget(trust);
  if (options.conformance && !sourceAt(where).live)
    throw new UsageError('--conformance checks a live host: give its URL');
  const expected = options.expect === undefined ? undefined : readExpectedTree(options.expect);
  const demands = {
    ...trust,
    anyContentType: options.anyContentType === true,
  };
  const witnesses = expected === undefined ? NO_WITNESSES : cosignChoice(options.settings);
  const { report, difference } = await withWait(io, options.wait, async (signal) => {
    const { source, seen } = rememberFiles(sourceAt(where, signal));
    const once = await withProgress(io, (onProgress) =>
      verifyTree(source, trust?.rootKey, { ...demands, onProgress }),
    );
    if (!once.ok || expected === undefined) return { report: once, difference: undefined, ok: once.ok };
    const differs = differenceFrom(expected, seen, where);
    const lack = await lackOfQuorum(statementsIn((path) => seen.get(path))?.logProof, witnesses);
    const warnings = lack === undefined ? [] : [whileRefused(lack, expected.folder)];
    const warned = { ...once, warnings: [...once.warnings, ...warnings] };
    return { report: warned, difference: differs, ok: differs === undefined };
  });
  const ok = report.ok && difference === undefined;
  const conformance = options.conformance && !report.unreachable ? await checkConformance(where) : undefined;
  const passed = ok && conformance?.ok !== false;
  if (options.json) {
    const compared = expected && { expected: expected.sha256, difference: difference ?? null };
    emit(io, { ...report, ok: passed, ...compared, ...(conformance && { conformance }) });
  }
  const output = reportOutput(io, options.json);
  writeReport(output, report);
  if (!report.pinned) {
    writeLine(
      output,
      "note: without --trust-anchor, the tree's own key was used, which shows that the tree is consistent, but not who signed it",
    );
  }
  if (report.development)
    writeLine(output, 'note: this tree is signed by a development key. It is not for production.');
  if (conformance !== undefined) writeConformance(output, conformance);
  if (report.unreachable) {
    writeLine(output, `${where} cannot be reached, so nothing was verified`);
    return UNREACHABLE;
  }
  if (difference !== undefined) writeLine(output, difference);
  else writeLine(output, passed ? `${where} is valid` : `${where} is NOT valid`);
  return passed ? 0 : 1;
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

/** Prints a table of the checks, with the expected result of each check that failed. */
function writeConformance(output: Output, { answers }: ConformanceReport): void {
  const width = (column: 'check' | 'path') => Math.max(...answers.map((answer) => answer[column].length));
  const checks = width('check');
  const paths = width('path');
  for (const { demand, check, path, result, found, expected } of answers) {
    const mark = result === 'passed' ? 'ok     ' : demand === 'required' ? 'FAILED ' : 'warning';
    const wanted = result === 'passed' ? '' : `, expected ${expected}`;
    writeLine(output, `${mark} ${check.padEnd(checks)} ${path.padEnd(paths)} ${found}${wanted}`);
  }
}

const MARKS = { passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const;
const MAX_PROBLEMS = 10;

/** Prints the report of a verification for people. */
function writeReport(output: Output, report: TreeReport): void {
  // Of a host that does not respond, the one check that failed says everything.
  for (const check of report.checks)
    if (!report.unreachable || check.result !== 'skipped') writeCheck(output, check);
  if (report.sha256 !== undefined) writeLine(output, `sha256     ${report.sha256}`);
  if (report.updatedAt !== undefined)
    writeLine(output, `updated_at ${report.updatedAt}, ${count(report.issuers ?? 0, 'issuer')}`);
  if (report.rootKey !== undefined)
    writeLine(output, `root key   ${report.rootKey} (${report.pinned ? 'pinned' : "the tree's own"})`);
  if (report.rotatedFrom !== undefined) {
    writeLine(output, `note: the pinned key ${report.rotatedFrom} was rotated to ${report.rootKey}`);
  }
  if (report.hold !== undefined && report.hold.length > 0) {
    writeLine(
      output,
      `note: the checkpoint holds ${report.hold.join(', ')}: verifiers treat held issuers as suspended`,
    );
  }
  for (const warning of report.warnings) writeLine(output, `WARNING: ${warning}`);
  for (const { message } of report.notes) writeLine(output, `note: ${message}`);
}

function writeCheck(output: Output, { name, result, problems }: Check): void {
  writeLine(output, `${MARKS[result]} ${name}${result === 'skipped' ? `: ${problems.join()}` : ''}`);
  if (result !== 'failed') return;
  for (const problem of problems.slice(0, MAX_PROBLEMS)) writeLine(output, `        ${problem}`);
  if (problems.length > MAX_PROBLEMS) writeLine(output, `        and ${problems.length - MAX_PROBLEMS} more`);
}
