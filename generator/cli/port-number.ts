import { UsageError } from '../errors.js';

/** The number that `--port` was given. @throws {@link UsageError} */
export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new UsageError('--port takes a number from 0 to 65535');
  }
  return Number(text);
}
