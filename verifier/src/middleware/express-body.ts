import { LimitExceeded, readLimited } from '../http/read-limited.js';
import { isEmptyBody, type Read, readBody, tooLarge } from './payload.js';
import { unreadable } from './refusal.js';

/** The members of an Express request, or of a platform's own request, that show its body. */
export interface RequestWithBody {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as parsed by a parser or the platform. */
  body?: unknown;
  /** The body as sent, if the platform or the `verify` option of a parser keeps it. */
  readonly rawBody?: unknown;
  /** Of a Node.js stream: whether it has given any data. */
  readonly readableDidRead?: boolean;
  /** Of a Node.js stream: whether all of it has been read. */
  readonly readableEnded?: boolean;
  /** Of a Node.js stream: whether it can give no more. */
  readonly destroyed?: boolean;
  /** Of a Node.js stream. */
  resume?(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the listeners of Node.js differ by the event
  on?(event: string, listener: (value: any) => void): unknown;
}

/**
 * The body of a request, no matter who has read it and what its headers say: some platforms pass bodies without a length.
 * Bytes are parsed strictly. If only a parsed body is left, without its bytes, that value is verified, and the handler gets
 * the same value.
 */
export async function expressBody(request: RequestWithBody, maxBytes: number): Promise<Read<unknown>> {
  const { body, rawBody } = request;
  const raw = [rawBody, body].map(bytesOf).find((bytes) => bytes !== undefined && bytes.length > 0);
  if (raw !== undefined) return raw.length > maxBytes ? tooLarge(maxBytes) : readBody(raw);
  if (!isEmptyBody(body)) return { value: body };
  if (request.readableDidRead === false && request.readableEnded !== true) return readAll(request, maxBytes);
  const wasSent = request.readableDidRead ?? saysThatItHasBody(request);
  if (wasSent && body !== undefined && saysThatItIs(FORM, request)) {
    return unreadable(400, 'body-not-json', 'the body is a form without fields, and not JSON');
  }
  // A parser of JSON makes an empty object of `{}`; others may have put what they read somewhere else.
  if (wasSent && !(body !== undefined && saysThatItIs(JSON_TYPE, request))) {
    throw new Error(
      'requirePassport cannot see the body: an earlier middleware has read it. Put requirePassport first, keep the ' +
        'bytes as rawBody, or set the payload option',
    );
  }
  return { value: undefined };
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : undefined;
}

async function readAll(request: RequestWithBody, maxBytes: number): Promise<Read<unknown>> {
  try {
    return readBody(await readLimited(streamOf(request), maxBytes));
  } catch (error) {
    if (error instanceof LimitExceeded) return tooLarge(maxBytes);
    throw error;
  }
}

/** A Node.js stream as a Web stream. It is never destroyed, because its connection carries the answer. */
function streamOf(request: RequestWithBody): ReadableStream<Uint8Array> {
  let open = true;
  return new ReadableStream({
    start: (controller) => {
      const end = (ended: () => void) => {
        if (open) ended();
        open = false;
      };
      const breakOff = () => end(() => controller.error(new Error('the request body was cut off')));
      if (request.destroyed === true) return breakOff();
      request.on?.('data', (chunk: Uint8Array) => open && controller.enqueue(chunk));
      request.on?.('end', () => end(() => controller.close()));
      request.on?.('error', breakOff);
      request.on?.('close', breakOff);
      // An earlier middleware may have paused it.
      request.resume?.();
    },
    cancel: () => {
      open = false;
    },
  });
}

function saysThatItHasBody({ headers }: RequestWithBody): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;
const FORM = /^application\/x-www-form-urlencoded\b/i;

function saysThatItIs(type: RegExp, { headers }: RequestWithBody): boolean {
  return type.test(String(headers['content-type'] ?? ''));
}
