import { SourceUnreachable } from '../errors.js';
import { untilAborted } from '../http/deadline.js';
import type { HttpSource } from './http-files.js';

interface SharedRequest {
  readonly bytes: Promise<Uint8Array | undefined>;
  readonly abort: AbortController;
  waiting: number;
  isDone: boolean;
}

/** Requests to one source. Callers that need the same file at the same time share one request. */
export class SharedRequests {
  readonly #source: HttpSource;
  readonly #underWay = new Map<string, SharedRequest>();

  constructor(source: HttpSource) {
    this.#source = source;
  }

  /**
   * Returns the bytes of a file, or undefined if the source has no such file.
   *
   * @param signal - ends the wait of this caller. The request ends once no caller waits
   */
  async get(path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const request = this.#underWay.get(path) ?? this.#start(path);
    request.waiting += 1;
    try {
      return await untilAborted(request.bytes, signal);
    } finally {
      request.waiting -= 1;
      if (request.waiting === 0) {
        this.#underWay.delete(path);
        if (!request.isDone) request.abort.abort(new SourceUnreachable('the file is no longer needed'));
      }
    }
  }

  #start(path: string): SharedRequest {
    const abort = new AbortController();
    const bytes = this.#source.files(abort.signal).get(path);
    const request = { bytes, abort, waiting: 0, isDone: false };
    const finish = () => {
      request.isDone = true;
    };
    // Each caller handles the error.
    bytes.then(finish, finish);
    this.#underWay.set(path, request);
    return request;
  }
}
