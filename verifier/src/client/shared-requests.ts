import { untilAborted } from '../http/bounded-fetch.js';
import type { HttpSource } from './http-files.js';
import { STAGGER_SHARE } from './round.js';
import { STOPPED } from './tasks.js';

interface SharedRequest {
  readonly bytes: Promise<Uint8Array | undefined>;
  readonly since: number;
  /** The number of callers that wait. */
  waiting: number;
  /** Ends the request, unless it is over. */
  readonly end: () => void;
}

/**
 * Requests to one source. Callers that need the same file at the same time share one request. Nobody joins a request that
 * is slow: otherwise one request without a response would keep everybody from the file for as long as callers arrive.
 */
export class SharedRequests {
  readonly #source: HttpSource;
  readonly #deadline: number;
  readonly #underWay = new Map<string, SharedRequest>();

  /** @param deadline - of each caller, in milliseconds */
  constructor(source: HttpSource, deadline: number) {
    this.#source = source;
    this.#deadline = deadline;
  }

  /**
   * Returns the bytes of a file, or undefined if the source has no such file.
   *
   * @param signal - ends the wait of this caller. The request ends once no caller waits
   */
  async get(path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const known = this.#underWay.get(path);
    const request = known === undefined || this.#isSlow(known) ? this.#start(path) : known;
    request.waiting += 1;
    try {
      return await untilAborted(request.bytes, signal);
    } finally {
      request.waiting -= 1;
      if (request.waiting === 0) request.end();
    }
  }

  #isSlow({ since }: SharedRequest): boolean {
    return Date.now() - since >= this.#deadline * STAGGER_SHARE;
  }

  #start(path: string): SharedRequest {
    const controller = new AbortController();
    const bytes = this.#source.files(controller.signal).get(path);
    let isOver = false;
    const leave = () => {
      isOver = true;
      if (this.#underWay.get(path) === request) this.#underWay.delete(path);
    };
    const end = () => {
      if (!isOver) controller.abort(STOPPED);
      leave();
    };
    const request: SharedRequest = { bytes, since: Date.now(), waiting: 0, end };
    // Each caller handles the error.
    bytes.then(leave, leave);
    this.#underWay.set(path, request);
    return request;
  }
}
