// Packages that come without types.

declare module 'serve-handler' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** Answers a request as a serve.json says. */
  export default function handler(
    request: IncomingMessage,
    response: ServerResponse,
    configuration: object,
  ): Promise<void>;
}

declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** Makes what compresses the answers that follow, for clients that accept it. */
  export default function compression(): (
    request: IncomingMessage,
    response: ServerResponse,
    next: () => void,
  ) => void;
}
