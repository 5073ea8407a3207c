import { connect } from 'node:net';

/** A request as its bytes say. Names and values are sent as they are. */
export interface RawRequest {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** The host. Default: `mail.example`. */
  readonly host?: string;
}

interface RawAnswer {
  /** Undefined if the connection was closed without an answer. */
  readonly status: number | undefined;
  readonly headers: Headers;
  /** The object in the body, or an empty one. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends a request over a connection of its own, without the corrections that `fetch` makes. */
export function sendRaw(address: string, request: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', target, headers = [], body = '', host = 'mail.example' } = request;
  const declares = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(headers.some(([name]) => /^connection$/i.test(name)) ? [] : ['Connection: close']),
    ...(body === '' || declares ? [] : [`Content-Length: ${body.length}`]),
  ];
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`),
    );
    socket.on('data', (data) => {
      text += data.toString('latin1');
      // Servers can keep the connection.
      if (text.includes('\r\n\r\n')) socket.end();
    });
    socket.once('close', () => resolve(parsed(text)));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(parsed(text)) : reject(error),
    );
  });
}

function parsed(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  // The body may be chunked.
  const [json = '{}'] = /\{.*\}/s.exec(Buffer.from(rest.join(), 'latin1').toString()) ?? [];
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers.append(name, value);
  }
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(first) ?? [];
  return { status: status === undefined ? undefined : Number(status), headers, json: JSON.parse(json) };
}
