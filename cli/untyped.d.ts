// Types of packages that ship without types.

declare module 'serve-handler' {
  import type { ReadStream } from 'node:fs';
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** Responds to a request as configured in a serve.json. */
  export default function handler(
    request: IncomingMessage,
    response: ServerResponse,
    configuration: object,
    files?: { readonly createReadStream: (path: string, range?: object) => ReadStream },
  ): Promise<void>;
}

declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** Makes a middleware that compresses responses for clients that accept compression. */
  export default function compression(): (
    request: IncomingMessage,
    response: ServerResponse,
    next: () => void,
  ) => void;
}
