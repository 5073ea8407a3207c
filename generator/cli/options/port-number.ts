import { IoFailed, UsageError } from '../../errors.js';

/** The number that `--port` was given. @throws {@link UsageError} */
export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new UsageError('--port takes a number from 0 to 65535');
  }
  return Number(text);
}

/** The error of a server that cannot listen at a port. */
export function cannotListen(port: number, cause: NodeJS.ErrnoException): IoFailed {
  const { code, message } = cause;
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use: end what listens there, or choose another by --port`,
    EACCES: `port ${port} is not for this user: choose one from 1024 on by --port`,
  };
  return new IoFailed(why[code ?? ''] ?? `nothing can listen at port ${port}: ${message}`, { cause });
}
