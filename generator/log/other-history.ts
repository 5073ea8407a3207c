import {
  isSameBytes,
  LIMITS,
  parseHead,
  rangeRoot,
  type SignedHead,
  signerAmong,
  textOf,
} from '@passport-registry/verifier/core';
import { boundedFetch } from '@passport-registry/verifier/http';
import type { Witness } from './log-choice.js';
import { cosignedHeadPath, countEntries, hashesIn, type ReadFileSync, readLogHead } from './log-files.js';
import { WitnessProblem } from './read-cosignature.js';

/** How long witnesses may take to show what they have cosigned, in milliseconds. What waits for them can be urgent. */
const WITNESSES_TIMEOUT_MS = 5000;

/**
 * Asks witnesses for the newest heads that they have cosigned, whether a log has them. A witness never cosigns a log that
 * lacks what it has cosigned. Nothing is cosigned: a witness that has seen none of two histories must not choose one.
 *
 * @param log - the log in a folder. A head counts only if one of its keys has signed it, so that no witness can make one up
 * @returns what a witness has cosigned, and the log lacks, in words. Undefined if no witness shows that
 */
export async function otherHistory(
  witnesses: readonly Witness[],
  { read, vkeys }: { readonly read: ReadFileSync; readonly vkeys: readonly string[] },
): Promise<string | undefined> {
  const head = readLogHead(read);
  if (head === undefined) return undefined;
  const signal = AbortSignal.timeout(WITNESSES_TIMEOUT_MS);
  const found = await Promise.all(
    witnesses.map(async (witness) => {
      const served = await cosignedHead(witness.service, head.origin, signal).catch(() => undefined);
      const isOwn = served?.origin === head.origin && (await signerAmong(served, vkeys)) !== undefined;
      const lack = isOwn ? await lackOf(served, head, read) : undefined;
      return lack === undefined ? [] : [`${witness.key.name} ${lack}`];
    }),
  );
  return found.flat()[0];
}

/** Fetches the newest head of a log that a witness has cosigned. @throws {@link WitnessProblem} | {@link RegistryError} */
async function cosignedHead(url: string, origin: string, timeout: AbortSignal): Promise<SignedHead> {
  // The query changes with each request, so that no cache between sends an old file.
  const address = `${url.replace(/\/$/, '')}/${cosignedHeadPath(origin)}?${Date.now()}`;
  const limits = { fetch: globalThis.fetch, timeout, maxBytes: LIMITS.logProof };
  const response = await boundedFetch(address, {}, limits);
  if (response.status !== 200) {
    response.discard();
    throw new WitnessProblem(`serves no head of this log: ${address} responds with ${response.status}`);
  }
  const invalid = (message: string) => new WitnessProblem(`serves a head that ${message}`);
  return parseHead(textOf(await response.body(), invalid), invalid);
}

/** Returns what a log lacks of a head that is signed by its key. Undefined if it has it, or if its own files cannot tell. */
async function lackOf(served: SignedHead, head: SignedHead, read: ReadFileSync): Promise<string | undefined> {
  if (served.size > head.size)
    return `has cosigned a head of this log with ${countEntries(served.size)}, but the log has only ${head.size}`;
  if (served.size === 0) return undefined;
  const root = await rangeRoot(0, served.size, hashesIn(read, head.size)).catch(() => undefined);
  if (root === undefined || isSameBytes(root, served.root)) return undefined;
  return `has cosigned another head of this log with ${countEntries(served.size)} than this log had at that size`;
}
