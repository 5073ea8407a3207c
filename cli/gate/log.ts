import { escapeUnprintable } from '@passport-registry/verifier/printable';
import type { Io } from '../terminal/io.js';

/** Writes a line of the log: what happened, and its details. */
export type Log = (level: 'info' | 'warning' | 'error', event: string, details?: object) => void;

/** Creates a log of JSON lines on stdout. */
export function jsonLog({ stdout }: Io): Log {
  return (level, event, details = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), level, event, ...details });
    stdout.write(`${escapeUnprintable(line)}\n`);
  };
}
