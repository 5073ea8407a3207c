import { IoFailed, UsageError } from '../../generator/errors.js';

/** Parses the value of `--port`. @throws {@link UsageError} */
export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new UsageError('--port takes a number from 0 to 65535');
  }
  return Number(text);
}

/** Makes the error for a server that can't listen on a port. @param setting - where the port was chosen */
export function cannotListen(
  port: number,
  cause: NodeJS.ErrnoException,
  setting: '--port' | 'listen' = '--port',
): IoFailed {
  const { code, message } = cause;
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use: stop the process that uses the port, or choose another with ${setting}`,
    EACCES: `port ${port} needs more rights: choose a port from 1024 up with ${setting}`,
  };
  return new IoFailed(why[code ?? ''] ?? `cannot listen on port ${port}: ${message}`, { cause });
}
