import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { escapeUnprintable } from '@passport-registry/verifier/printable';
import { printable, printableJson } from '../../generator/diagnostics/printable.js';
import type { OnProgress } from '../../generator/progress.js';

/** A stream that may be a terminal. */
export type Output = Writable & Partial<Pick<WriteStream, 'isTTY' | 'hasColors' | 'columns'>>;
type Input = Readable & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;

/** The streams and the environment of the command line. `process` has this type. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: NodeJS.ProcessEnv;
}

/** Prints a line for people. */
export function writeLine(output: Output, text: string): void {
  output.write(`${printable(text)}\n`);
}

/** Prints a message for people, on stderr: progress, a warning or an error. */
export function say({ stderr }: Io, text: string): void {
  writeLine(stderr, text);
}

/** Returns the stream for the report that a user asked for: stdout, or stderr if stdout gets the report as data. */
export function reportOutput({ stdout, stderr }: Io, asData: boolean | undefined): Output {
  return asData ? stderr : stdout;
}

/** Prints text with several lines, on stderr. */
export function sayLines(io: Io, text: string): void {
  for (const line of text.trimEnd().split('\n')) say(io, line);
}

/** Prints data as JSON, on stdout. */
export function emit({ stdout }: Io, data: unknown): void {
  stdout.write(`${printableJson(data)}\n`);
}

/** Formats a number with a noun: `1 record`, `2 records`. */
export function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : nouns}`;
}

/** Formats a number: `100,000`. Does not use `Intl`, which takes 20 milliseconds to load. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Work that takes less time shows no progress. */
const FIRST_SHOWN_AFTER_MS = 500;
const REDRAW_INTERVAL_MS = 100;

/** Does work, and shows its progress in one line meanwhile, if stderr is a terminal. */
export async function withProgress<T>(
  { stderr }: Io,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  let next = stderr.isTTY ? performance.now() + FIRST_SHOWN_AFTER_MS : Number.POSITIVE_INFINITY;
  let shown = false;
  try {
    return await work((stage, done, total) => {
      if (performance.now() < next) return;
      next = performance.now() + REDRAW_INTERVAL_MS;
      stderr.write(`\r\u001b[K${stage} ${grouped(done)} of ${grouped(total)}`);
      shown = true;
    });
  } finally {
    if (shown) stderr.write('\r\u001b[K');
  }
}

/** Writes a line of the log: what happened, and its details. */
export type Log = (level: 'info' | 'warning' | 'error', event: string, details?: object) => void;

/** Creates a log of JSON lines on stdout. */
export function jsonLog({ stdout }: Io): Log {
  return (level, event, details = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), level, event, ...details });
    stdout.write(`${escapeUnprintable(line)}\n`);
  };
}
