import { decide, type TrustPolicy } from '@passport-registry/verifier';
import { formatTime, GRAMMAR } from '@passport-registry/verifier/core';
import { GeneratorError, UsageError } from '../../generator/errors.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { rejecting } from '../../generator/verification/seen-files.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';
import { type PastRecord, readRecordAt } from '../../observers/past/answer.js';
import { openHistory } from '../../observers/past/history.js';
import { pastTime, sourceAt } from '../options/values.js';
import { emit, type Io, reportOutput, say, writeLine } from '../terminal/io.js';
import { inWords, writePublication } from '../terminal/write-past.js';

/** What is asked about the past, who is asked, and what is trusted. */
interface PastQuestion {
  /** As on the command line. */
  readonly at: string;
  readonly trust: PinnedTrust;
  readonly sources: readonly string[];
  readonly json: true | undefined;
  /** Default: no decision is made. */
  readonly policy: TrustPolicy | undefined;
}

/** Says what a registry said of an issuer at a time. @returns the exit code */
export async function resolveAt(
  io: Io,
  id: string,
  { at, json, trust, sources, policy }: PastQuestion,
): Promise<number> {
  const time = pastTime('--at', at);
  if (!GRAMMAR.issuerId.pattern.test(id)) throw new UsageError(`${id} is not a valid issuer_id`);
  const trees = sources.map((source) => sourceAt(source));
  const said = await firstAnswer(io, trees, (tree) =>
    rejecting(async () => readRecordAt(await openHistory(tree, trust), time, id)),
  );
  const decision = policy && decide(said.issuer ?? undefined, policy, time);
  const { accepted = said.listed, reasons = [] } = decision ?? {};
  if (json) emit(io, { issuerId: id, at: formatTime(time), ...said, ...(decision && { accepted, reasons }) });
  const output = reportOutput(io, json);
  writeLine(output, `${id} was ${inWords(said.issuer)} at ${formatTime(time)}`);
  writePublication(output, said);
  for (const [field, value] of Object.entries(said.issuer ?? {})) {
    if (field !== 'issuer_id')
      writeLine(output, `    ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  if (decision !== undefined) writeLine(output, `    the policy ${accepted ? 'accepts' : 'REJECTS'} it`);
  for (const { code, message } of reasons) writeLine(output, `    ${code}: ${message}`);
  return accepted ? 0 : 1;
}

/** Returns the answer of the first source that has one, and says why others have none: an old copy may know too little. */
async function firstAnswer(
  io: Io,
  sources: readonly TreeSource[],
  ask: (source: TreeSource) => Promise<PastRecord>,
): Promise<PastRecord> {
  for (const source of sources.slice(0, -1)) {
    try {
      return await ask(source);
    } catch (error) {
      if (!(error instanceof GeneratorError)) throw error;
      say(io, `note: ${source.name} has no answer: ${error.message}`);
    }
  }
  const last = sources.at(-1);
  if (last !== undefined) return ask(last);
  throw new UsageError('there is no source to ask: name the URL of the registry after the issuer_id');
}
