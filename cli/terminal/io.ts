import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';

type Output = Writable & Partial<Pick<WriteStream, 'isTTY' | 'hasColors' | 'columns'>>;
type Input = Readable & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;

/** The streams and the environment of the command line. `process` has this type. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: NodeJS.ProcessEnv;
}

/** One run of the command line. */
export interface Invocation extends Io {
  /** The arguments, without the executable and the script. */
  readonly argv: readonly string[];
  exitCode: number;
}
