import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { printable, printableJson } from '../../generator/diagnostics/printable.js';

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
