import { LIMITS } from '../core/limits.js';
import { readLimited } from './bounded-fetch.js';

/** How often a request is sent again after a lost connection, or to a busy host that does not say when to come back. */
const MAX_BLIND_REPEATS = 2;
/** How long a request waits altogether for a host that says when to come back, and at least each time. */
const MAX_PAUSES_MS = 60_000;
const MIN_INVITED_PAUSE_MS = 500;
/** The first pause before a blind repeat, and the most that is added to any pause at random. */
const FIRST_PAUSE_MS = 250;

/** The statuses of hosts and gateways that are busy or restarting. */
const BUSY: readonly number[] = [429, 502, 503, 504];

/** The part of a response that says whether to repeat the request. */
interface Answer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
}

/**
 * Decides whether to send a request again, and waits before that (rule deadlines). Every program that reads many files
 * uses this class, one object for each file, so that one failed request does not end a run of hundreds.
 *
 * @example
 * ```ts
 * import { Repeats } from '@passport-registry/verifier/http';
 *
 * const repeats = new Repeats();
 * let answer = await fetch('https://registry.example/keys/root.json');
 * while (await repeats.afterAnswer(answer)) answer = await fetch('https://registry.example/keys/root.json');
 * console.log(answer.status); // 200
 * ```
 */
export class Repeats {
  readonly #signal: AbortSignal | undefined;
  #blind = 0;
  #waited = 0;
  #sent = 1;

  /** @param signal - ends a pause. The request is then not sent again */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Waits if the host is busy. Returns whether to send the request again: the caller then discards the answer. */
  async afterAnswer(answer: Answer): Promise<boolean> {
    if (!BUSY.includes(answer.status)) return false;
    const asked = retryAfter(answer.headers);
    if (asked === undefined) return this.#repeatBlindly();
    const pause = Math.max(asked, MIN_INVITED_PAUSE_MS);
    if (this.#waited + pause > MAX_PAUSES_MS) return false;
    this.#waited += pause;
    return this.#pause(pause);
  }

  /** Waits if an error says that a connection was lost, or timed out. Returns whether to send the request again. */
  async afterError(error: unknown): Promise<boolean> {
    const codes = codesOf(error);
    if (codes.some((code) => LOST.test(code))) return this.#repeatBlindly();
    if (!codes.some((code) => LATE.test(code)) || this.#blind > 0) return false;
    // A time-out has cost the most already. Nothing is sent after a second one.
    this.#blind = MAX_BLIND_REPEATS;
    return this.#pause(FIRST_PAUSE_MS);
  }

  /** Says why a busy host was given up. The words can follow the status of its last answer. Empty for other answers. */
  describe(answer: Answer): string {
    if (!BUSY.includes(answer.status)) return '';
    const requests = this.#sent === 1 ? '1 request' : `${this.#sent} requests`;
    const asked = retryAfter(answer.headers);
    if (asked === undefined) return `; given up after ${requests}`;
    const later = `, and asks to come back in ${Math.ceil(asked / 1000)} s`;
    return `${later}; given up after ${requests}: the limit is ${MAX_PAUSES_MS / 1000} s of pauses for one file`;
  }

  async #repeatBlindly(): Promise<boolean> {
    if (this.#blind >= MAX_BLIND_REPEATS) return false;
    this.#blind += 1;
    return this.#pause(FIRST_PAUSE_MS * this.#blind);
  }

  /** Waits before the next request. The random part keeps requests that failed together from being sent together. */
  #pause(milliseconds: number): Promise<boolean> {
    const signal = this.#signal;
    if (signal?.aborted) return Promise.resolve(false);
    this.#sent += 1;
    return new Promise((resolve) => {
      const end = (isComplete: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        resolve(isComplete);
      };
      const abort = () => end(false);
      const timer = setTimeout(() => end(true), milliseconds + Math.random() * FIRST_PAUSE_MS);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/**
 * Creates a `fetch` that sends a request again as {@link Repeats} decides, until a whole response has arrived. It holds the
 * response in memory. For programs that end: a client of a service asks again by itself.
 *
 * @example
 * ```ts
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { patientFetch } from '@passport-registry/verifier/http';
 *
 * const registry = createRegistryClient({ trustAnchor, fetch: patientFetch() });
 * await registry.ready();
 * registry.close();
 * ```
 */
export function patientFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const repeats = new Repeats(init?.signal ?? undefined);
    for (;;) {
      try {
        const answer = await fetch(input, init);
        if (!(await repeats.afterAnswer(answer))) return await arrived(answer, init?.signal ?? undefined);
        answer.body?.cancel().catch(() => undefined);
      } catch (error) {
        if (!(await repeats.afterError(error))) throw error;
      }
    }
  };
}

/** Reads a file to its end, so that a connection that is lost in its middle is noticed here. */
async function arrived(answer: Response, signal: AbortSignal | undefined): Promise<Response> {
  if (answer.status !== 200) return answer;
  return new Response((await readLimited(answer.body, LIMITS.list, signal)) as BodyInit, answer);
}

/**
 * Returns how long a host asks to wait, in milliseconds (RFC 9110, section 10.2.3): a number of seconds, or a date. Undefined
 * if the host does not say, or not in one of the two forms. A date counts from the date of the answer: clocks differ.
 */
function retryAfter(headers: Pick<Headers, 'get'>): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  if (!/^[A-Z][a-z]+,? /.test(text) || Number.isNaN(date)) return undefined;
  const sent = Date.parse(headers.get('date') ?? '');
  return Math.max(0, date - (Number.isNaN(sent) ? Date.now() : sent));
}

/** The error codes of this library, Node.js and undici for connections that were opened and lost. */
const LOST =
  /^(?:ERR_SOURCE_TRUNCATED|ECONNRESET|EPIPE|ECONNABORTED|EAI_AGAIN|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE)$/;
/** The same for answers that did not come in time. */
const LATE = /^(?:ERR_SOURCE_TIMEOUT|ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;

/** Returns the codes of an error and of its causes. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let one = error, depth = 0; one instanceof Error && depth < 10; one = innerOf(one), depth++)
    codes.push(String((one as { code?: unknown }).code));
  return codes;
}

/** For a host with several IP addresses, there is one error for each. The first is representative. */
function innerOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
}
