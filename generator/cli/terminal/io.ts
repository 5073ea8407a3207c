import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';

type Output = Writable & Partial<Pick<WriteStream, 'isTTY' | 'hasColors' | 'columns'>>;
type Input = Readable & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;

/** What the command line reads and writes beside files. `process` has this form. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: NodeJS.ProcessEnv;
}

/** One run of the command line. */
export interface Invocation extends Io {
  exitCode: number;
  /** In the time of `performance.now()`: of a process of its own, its start. */
  readonly startedAt: number;
}
