import { decide, type TrustPolicy } from '@passport-registry/verifier';
import { formatTime, GRAMMAR } from '@passport-registry/verifier/core';
import { GeneratorError, UsageError } from '../../generator/errors.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { rejecting } from '../../generator/verification/seen-files.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';
import { type Answer, answerFrom, type NothingSaid } from '../../observers/past/answer.js';
import { witnessTrust } from '../../observers/past/past-publication.js';
import { pastTime, sourceAt } from '../options/values.js';
import { emit, type Io, say } from '../terminal/io.js';
import { sayNothing, saySaid } from '../terminal/say-past.js';
import type { AllOptions } from './resolve-all.js';

/** What is asked about the past, who is asked, and what is trusted. */
interface PastQuestion extends Pick<AllOptions, 'trust' | 'sources'> {
  /** As on the command line. */
  readonly at: string;
  readonly proofOut: string | undefined;
  readonly json: true | undefined;
  /** Default: no decision is made. */
  readonly policy: TrustPolicy | undefined;
}

/** Exit code if nothing shows what was said. That an issuer was not listed is an answer, with another code. */
const NOTHING_PROVEN = 4;

/** Says what a registry said of an issuer at a time, and what proves it. @returns the exit code */
export async function resolveAt(
  io: Io,
  id: string,
  { at, proofOut, json, trust, sources, policy }: PastQuestion,
): Promise<number> {
  const time = pastTime('--at', at);
  if (!GRAMMAR.issuerId.pattern.test(id)) throw new UsageError(`${id} is not a valid issuer_id`);
  const isProofWanted = proofOut !== undefined;
  if (isProofWanted && witnessTrust({ trust }) === undefined) {
    throw new UsageError(
      '--proof-out needs a trust anchor with witnesses and a quorum: without them, nothing about the past is proven',
    );
  }
  const question = { issuerId: id, time, trust, isProofWanted };
  const trees = sources.map((source) => sourceAt(source));
  const answer = await firstAnswer(io, trees, (tree) => rejecting(() => answerFrom(tree, question)));
  if (answer.evidence === 'none') {
    const { isPartial: _isPartial, ...report } = answer;
    if (json) emit(io, { issuerId: id, at: formatTime(time), ...report });
    sayNothing(io, { id, time }, answer);
    if (isProofWanted) say(io, `${proofOut} is not written, because there is nothing to prove`);
    return NOTHING_PROVEN;
  }
  const { said, evidence, proof } = answer;
  const decision = policy && decide(said.issuer ?? undefined, policy, time);
  const { accepted = said.listed, reasons = [] } = decision ?? {};
  const decided = decision && { accepted, reasons };
  if (proofOut !== undefined && proof !== undefined) writeWholeFile(proofOut, proof);
  if (json) emit(io, { issuerId: id, at: formatTime(time), evidence, ...said, ...decided });
  saySaid(io, { id, time }, answer);
  if (decision !== undefined) say(io, `    the policy ${accepted ? 'accepts' : 'REJECTS'} it`);
  for (const { code, message } of reasons) say(io, `    ${code}: ${message}`);
  if (isProofWanted) say(io, `${proofOut} proves it to everybody who trusts the root key and the witnesses`);
  return accepted ? 0 : 1;
}

/** Returns the answer of the first source that shows what was said: an old copy may know too little. Says why others do not. */
async function firstAnswer(
  io: Io,
  sources: readonly TreeSource[],
  ask: (source: TreeSource) => Promise<Answer>,
): Promise<Answer> {
  let nothing: NothingSaid | undefined;
  for (const source of sources) {
    try {
      const answer = await ask(source);
      if (answer.evidence !== 'none') return answer;
      nothing = moreTelling(nothing, answer);
      if (sources.length > 1) say(io, `note: ${source.name} proves nothing for this time`);
    } catch (error) {
      const isLastHope = nothing === undefined && source === sources.at(-1);
      if (isLastHope || !(error instanceof GeneratorError)) throw error;
      say(io, `note: ${source.name} has no answer: ${error.message}`);
    }
  }
  if (nothing === undefined)
    throw new UsageError('there is no source to ask: name the URL of the registry after the issuer_id');
  return nothing;
}

/** A newer copy also knows what came after. */
function moreTelling(first: NothingSaid | undefined, next: NothingSaid): NothingSaid {
  return first === undefined || (first.after === null && next.after !== null) ? next : first;
}
