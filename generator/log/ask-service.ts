import {
  CLOCK_TOLERANCE_MS,
  consistencyProof,
  encodeBase64,
  formatNote,
  LIMITS,
  type NoteSignature,
  parseSignatureLines,
  textOf,
} from '@passport-registry/verifier/core';
import { boundedFetch, Repeats } from '@passport-registry/verifier/http';
import { countEntries, hashesIn } from './log-files.js';
import { knownTime, type Question, readCosignature, WitnessProblem } from './read-cosignature.js';

/** How often a witness may say that it has cosigned another size. Another publisher can ask it at the same time. */
const MAX_CONFLICTS = 3;

/** How many characters of an error that a witness sends to show. */
const MAX_SHOWN = 200;

const sentResponse = (message: string) => new WitnessProblem(`sent a response that ${message}`);

/**
 * Asks a witness service to cosign a head (C2SP tlog-witness). The witness says what it has cosigned last, and the proof
 * begins there.
 *
 * @throws {@link WitnessProblem} | {@link RegistryError}
 */
export async function askService(url: string, question: Question): Promise<NoteSignature> {
  const { head, key } = question;
  const known = knownTime(question);
  const since = Math.max(known ?? Number.NEGATIVE_INFINITY, Date.now() - CLOCK_TOLERANCE_MS);
  let oldSize = known === undefined ? 0 : head.size;
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    const { status, text } = await post(url, await requestBody(oldSize, question), question.signal);
    if (status === 200) {
      const lines = parseSignatureLines(text, sentResponse);
      return readCosignature(lines, { text: head.note.text, key, since });
    }
    if (status !== 409) {
      const problem = `responded with ${status}: ${text.split('\n')[0]?.slice(0, MAX_SHOWN)}`;
      throw new WitnessProblem(problem, { isOtherHistory: status === 422 });
    }
    oldSize = conflictingSize(text, oldSize, head.size);
  }
  throw new WitnessProblem(`named another size ${MAX_CONFLICTS} times`);
}

/** Returns the size that a witness has cosigned last. */
function conflictingSize(text: string, asked: number, size: number): number {
  const [, digits] = /^(0|[1-9][0-9]{0,15})\n$/.exec(text) ?? [];
  const cosigned = Number(digits);
  if (!Number.isSafeInteger(cosigned)) throw new WitnessProblem('responded with 409, but without a size');
  if (cosigned > size) {
    throw new WitnessProblem(
      `has cosigned a head of this log with ${countEntries(cosigned)}, but the log has only ${size}: check whether an old copy of the log has been put back`,
      { isOtherHistory: true },
    );
  }
  if (cosigned === asked) {
    const problem = `responded with 409 to a proof from ${asked}, the size that it named`;
    // C2SP tlog-witness: at the same size, the roots differ.
    throw new WitnessProblem(problem, { isOtherHistory: asked === size });
  }
  return cosigned;
}

async function requestBody(oldSize: number, { head, read }: Question): Promise<string> {
  const proof = await consistencyProof(oldSize, head.size, hashesIn(read, head.size));
  const lines = proof.map((hash) => `${encodeBase64(hash)}\n`).join('');
  // Only the signature of the log: the witness has no use for those of others.
  const note = { text: head.note.text, signatures: head.note.signatures.slice(0, 1) };
  return `old ${oldSize}\n${lines}\n${formatNote(note)}`;
}

/** Sends a request, and again if it failed on the way (rule deadlines). */
async function post(url: string, body: string, signal: AbortSignal) {
  const repeats = new Repeats(signal);
  for (;;) {
    try {
      const answer = await send(url, body, signal);
      if (!(await repeats.afterAnswer(answer))) return answer;
    } catch (error) {
      if (!(await repeats.afterError(error))) throw error;
    }
  }
}

async function send(url: string, body: string, signal: AbortSignal) {
  const response = await boundedFetch(
    `${url.replace(/\/$/, '')}/add-checkpoint`,
    { method: 'POST', body, headers: { 'Content-Type': 'text/plain; charset=utf-8' } },
    { fetch: globalThis.fetch, timeout: signal, maxBytes: LIMITS.logProof },
  );
  const text = textOf(await response.body(), sentResponse);
  return { status: response.status, headers: response.headers, text };
}
