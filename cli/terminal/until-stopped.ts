import { once } from 'node:events';
import { IoFailed } from '../../generator/errors.js';

/** Does work until the process is told to stop: SIGINT and SIGTERM abort the signal. */
export async function untilStopped<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** The port of a server, and where it was chosen, for messages. */
interface Port {
  readonly port: number;
  readonly setting?: '--port' | 'listen';
}

/**
 * Waits until a server listens, and closes it when the process is told to stop.
 *
 * @throws {@link IoFailed} if it cannot listen on the port
 */
export async function serveUntilStopped<Server extends { close(): unknown }>(
  starting: Promise<Server>,
  port: Port,
  onListening: (server: Server) => void,
): Promise<void> {
  const server = await starting.catch((cause: NodeJS.ErrnoException) => {
    throw cause.syscall === 'listen' ? cannotListen(port, cause) : cause;
  });
  onListening(server);
  await untilStopped((stop) => once(stop, 'abort'));
  await server.close();
}

function cannotListen({ port, setting = '--port' }: Port, cause: NodeJS.ErrnoException): IoFailed {
  const { code, message } = cause;
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use: stop the process that uses the port, or choose another with ${setting}`,
    EACCES: `port ${port} needs more rights: choose a port from 1024 up with ${setting}`,
  };
  return new IoFailed(why[code ?? ''] ?? `cannot listen on port ${port}: ${message}`, { cause });
}
