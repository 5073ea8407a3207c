import { setTimeout } from 'node:timers/promises';
import {
  cosignatureTime,
  DAY_MS,
  hasCode,
  LIMITS,
  type NoteSignature,
  parseHead,
  type SignedHead,
  textOf,
} from '@passport-registry/verifier/core';
import { boundedFetch } from '@passport-registry/verifier/http';
import { ignoring } from '../errors.js';
import { cosignedHeadPath, countEntries } from './log-files.js';
import { cosignedAt, knownTime, type Question, readCosignature, WitnessProblem } from './read-cosignature.js';

/** The pauses between two requests, in milliseconds: the first, and the longest. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5000;
/** The time limit for one response, in milliseconds. A later one can be better. */
const RESPONSE_MS = 10_000;
/** After which time a mirror must have cosigned an unchanged head again, in milliseconds. */
const MAX_QUIET_MS = DAY_MS;

/** A mirror has not cosigned the head yet, or cannot be reached now. */
class NotYet extends WitnessProblem {}

/** What a later request can change. */
const TRANSIENT = ['ERR_SOURCE_UNREACHABLE', 'ERR_SOURCE_TIMEOUT', 'ERR_SOURCE_TRUNCATED'] as const;

/**
 * Waits until a mirror serves its cosignature of a head (rule log-witnesses).
 *
 * @param onProblem - receives what the mirror lacks so far
 * @throws {@link WitnessProblem} if waiting is useless
 */
export async function askMirror(
  url: string,
  question: Question,
  onProblem: (problem: Error) => void,
): Promise<NoteSignature> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await readHead(url, question);
    } catch (error) {
      const isTransient = error instanceof NotYet || hasCode(error, ...TRANSIENT);
      if (!isTransient || question.signal.aborted) throw error;
      onProblem(error as Error);
    }
    await setTimeout(pause, undefined, { signal: question.signal });
  }
}

async function readHead(url: string, question: Question): Promise<NoteSignature> {
  const { head, key, signal } = question;
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_MS)]);
  const served = await cosignedHead(witnessFolder(url), head.origin, timeout);
  if (served.note.text !== head.note.text) {
    const { note, origin, size } = served;
    const demand = { text: note.text, key, since: Number.NEGATIVE_INFINITY };
    const isCosigned = () => readCosignature(note.signatures, demand).catch(ignoring(WitnessProblem));
    // Only what the witness has cosigned tells that it never cosigns this head.
    const isOtherHistory = origin === head.origin && size >= head.size && (await isCosigned()) !== undefined;
    throw new NotYet(otherHead(served.size, head.size), { isOtherHistory });
  }
  const known = knownTime(question);
  const demand = { text: head.note.text, key, since: known ?? Number.NEGATIVE_INFINITY };
  const found = await readCosignature(served.note.signatures, demand);
  const time = (cosignatureTime(found) ?? 0) * 1000;
  if (time === known && Date.now() - time > MAX_QUIET_MS) {
    throw new WitnessProblem(`has not cosigned the head again since ${cosignedAt(time)}`);
  }
  return found;
}

/** Returns the URL below which a mirror publishes what it has cosigned. */
export const witnessFolder = (mirror: string) => `${mirror.replace(/\/$/, '')}/witness`;

/**
 * Fetches the newest head of a log that a witness has cosigned.
 *
 * @param url - the URL of a service, or that of a {@link witnessFolder}
 * @throws {@link WitnessProblem} | {@link RegistryError}
 */
export async function cosignedHead(url: string, origin: string, timeout: AbortSignal): Promise<SignedHead> {
  // The query changes with each request, so that no cache between sends an old file.
  const address = `${url.replace(/\/$/, '')}/${cosignedHeadPath(origin)}?${Date.now()}`;
  const limits = { fetch: globalThis.fetch, timeout, maxBytes: LIMITS.logProof };
  const response = await boundedFetch(address, {}, limits);
  if (response.status !== 200) {
    response.discard();
    throw new NotYet(`serves no head of this log: ${address} responds with ${response.status}`);
  }
  const problem = (message: string) => `serves a head that ${message}`;
  const text = textOf(await response.body(), (message) => new WitnessProblem(problem(message)));
  return parseHead(text, (message) => new NotYet(problem(message)));
}

function otherHead(served: number, size: number): string {
  if (served === size)
    return `serves another head with ${countEntries(size)}: the log may have two histories`;
  return `serves the head with ${countEntries(served)}, not ${size}`;
}
