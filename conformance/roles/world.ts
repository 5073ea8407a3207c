import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { HostAnswer, ShownTree, Step } from '../cases/case.js';
import { typeOf } from '../cases/content-types.js';
import type { Files } from '../cases/files.js';
import { golden } from '../cases/goldens.js';
import { patched } from '../cases/patch.js';

/** The clock of all programs in this process. */
export const clock = { now: 0 };

/** The URL of a source. */
export const sourceUrl = (at: number): string => `https://source-${at}.example`;

/** Deadlines are longer, and stay. */
const LONGEST_PAUSE_MS = 1000;

/**
 * Puts this process into the world of the cases: their clock, their hosts, no pauses before another attempt, and no
 * flushing of disks, because nobody needs a recording after a loss of power.
 *
 * @returns a function that leaves it
 */
export function enterWorld(): () => void {
  const before = { now: Date.now, setTimeout: globalThis.setTimeout, fetch: globalThis.fetch };
  const modules = { pause: timers.setTimeout, fsync: fs.fsyncSync };
  const withoutPause = (work: () => void, ms = 0, ...rest: unknown[]) =>
    before.setTimeout(work, ms < LONGEST_PAUSE_MS ? 0 : ms, ...(rest as []));
  globalThis.setTimeout = Object.defineProperties(
    withoutPause,
    Object.getOwnPropertyDescriptors(before.setTimeout),
  ) as typeof globalThis.setTimeout;
  Date.now = () => clock.now;
  globalThis.fetch = hostsFetch;
  timers.setTimeout = (async (_ms: number, value: unknown) => value) as typeof timers.setTimeout;
  fs.fsyncSync = () => undefined;
  syncBuiltinESMExports();
  return () => {
    Date.now = before.now;
    Object.assign(globalThis, { setTimeout: before.setTimeout, fetch: before.fetch });
    timers.setTimeout = modules.pause;
    fs.fsyncSync = modules.fsync;
    syncBuiltinESMExports();
  };
}

/** A source with its files. */
export interface Source {
  readonly files: Files;
  readonly answers: Readonly<Record<string, HostAnswer>>;
}

let sources: readonly Source[] = [];

/** Sets the clock, and serves the trees of a step. Returns the sources. */
export function show({ now, sources: trees }: Step): readonly Source[] {
  clock.now = now;
  sources = trees.map((tree) => ({ files: filesOf(tree), answers: tree.answers ?? {} }));
  return sources;
}

/** Returns the files that a step shows. */
export function filesOf({ base, patches }: ShownTree): Files {
  return patched(golden(base).files, patches);
}

const hostsFetch: typeof fetch = async (input, init) => {
  const { hostname } = new URL(String(input));
  const source = sources[Number(/^source-(\d+)\./.exec(hostname)?.[1])];
  if (source === undefined) throw new TypeError(`no case has the host ${hostname}`);
  return answerOf(source, String(input), init);
};

/** Answers as a host of static files. It ignores queries, as hosts do. */
export async function answerOf(source: Source, url: string, init?: RequestInit): Promise<Response> {
  const path = decodeURIComponent(new URL(url).pathname.slice(1));
  const bytes = source.files.get(path);
  const answer = source.answers[path];
  if (answer === undefined) return bytes === undefined ? missing() : found(bytes, typeOf(path));
  if ('never' in answer) return untilAborted(init?.signal);
  if ('type' in answer) return found(bytes ?? new Uint8Array(), answer.type);
  if ('ends' in answer) return endEarly(bytes ?? new Uint8Array(), answer.ends);
  const { status, location } = answer;
  return new Response(null, { status, headers: location === undefined ? {} : { location } });
}

const missing = () => new Response(null, { status: 404 });

const found = (bytes: Uint8Array, type: string) =>
  new Response(bytes.slice(), { headers: { 'content-type': type } });

function endEarly(bytes: Uint8Array, when: 'early' | 'amid'): Response {
  if (when === 'early') throw new TypeError('the connection has ended');
  const half = bytes.slice(0, bytes.length >> 1);
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isSent) controller.error(new TypeError('the connection has ended'));
      else controller.enqueue(half);
      isSent = true;
    },
  });
  return new Response(body);
}

function untilAborted(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
