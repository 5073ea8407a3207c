import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ScriptedAnswer, ShownTree } from '../cases/case.js';
import { unbase64 } from '../cases/encoding.js';
import { type Files, typeOf } from '../cases/files.js';

/** What a source shows at the moment. */
interface ShownSource {
  readonly files: Files;
  readonly script: NonNullable<ShownTree['script']>;
}

/** Where the target of every redirect is: who follows a redirect finds the right file. */
const ELSEWHERE = 'elsewhere/';

/** A host on this machine. It serves all sources, each below a path of its own. */
export class LoopbackHost {
  readonly #server: Server;
  #prefix = '';
  #sources: readonly ShownSource[] = [];
  readonly #requests = new Map<string, number>();

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
    // A request that is never answered must not keep the host from closing.
    this.#server.unref();
  }

  static async start(): Promise<LoopbackHost> {
    const host = new LoopbackHost();
    await new Promise<void>((started) => host.#server.listen(0, '127.0.0.1', started));
    return host;
  }

  /** Shows other sources. @returns their URLs, which are those of every step of a case */
  show(prefix: string, sources: readonly ShownSource[]): string[] {
    this.#prefix = prefix;
    this.#sources = sources;
    this.#requests.clear();
    const { port } = this.#server.address() as AddressInfo;
    return sources.map((_one, at) => `http://127.0.0.1:${port}/${prefix}/${at}`);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const [, prefix, at, ...parts] = decodeURIComponent(url.replace(/\?.*/, '')).split('/');
    const source = prefix === this.#prefix ? this.#sources[Number(at)] : undefined;
    const asked = parts.join('/');
    const path = asked.startsWith(ELSEWHERE) ? asked.slice(ELSEWHERE.length) : asked;
    const file = source?.files.get(path);
    const answer = path === asked && source ? this.#scripted(source, `${at}/${path}`) : null;
    if (answer === null) send(response, { file, path });
    else if ('body' in answer) send(response, { file: unbase64(answer.body), path });
    else if ('type' in answer) send(response, { file: file ?? new Uint8Array(), path, type: answer.type });
    else if ('ends' in answer) endEarly(response, { file, path, when: answer.ends });
    else if ('status' in answer) {
      const location = `/${prefix}/${at}/${ELSEWHERE}${path}`;
      response.writeHead(answer.status, answer.location === undefined ? {} : { location }).end();
    }
  }

  #scripted(source: ShownSource, key: string): ScriptedAnswer {
    const answers = source.script[key.slice(key.indexOf('/') + 1)];
    if (answers === undefined) return null;
    const number = this.#requests.get(key) ?? 0;
    this.#requests.set(key, number + 1);
    return answers[Math.min(number, answers.length - 1)] ?? null;
  }
}

interface Sent {
  readonly file: Uint8Array | undefined;
  readonly path: string;
  readonly type?: string;
}

function send(response: ServerResponse, { file, path, type = typeOf(path) }: Sent): void {
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': type, 'content-length': file.length }).end(file);
}

/** Ends the connection before the response, or in the middle of the body. */
function endEarly(response: ServerResponse, sent: Sent & { readonly when: 'early' | 'amid' }): void {
  const { file = new Uint8Array(2), path, when } = sent;
  if (when === 'early') {
    response.destroy();
    return;
  }
  response.writeHead(200, { 'content-type': typeOf(path), 'content-length': file.length });
  response.write(file.slice(0, file.length >> 1), () => response.destroy());
}
