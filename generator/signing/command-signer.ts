import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { KeyRejected, UsageError } from '../errors.js';
import type { Signer } from './sign.js';
import { findValidSignature, signaturesIn } from './signature-form.js';

/** The input of a signing command. */
export type SignerInput = 'payload' | 'digest';

/** An external program that signs, such as the tool of an HSM, a token or a cloud service. */
export interface CommandSignerOptions {
  /**
   * The shell command. The command receives the bytes on stdin; `{}` is replaced with the path of a file that contains
   * them. The command must print only the signature on stdout: raw or DER, also in base64, base64url or hexadecimal.
   */
  readonly command: string;
  /** The payload, or its SHA-256, because some tokens sign only digests. Default: `payload`. */
  readonly input?: SignerInput;
  /** Time limit for one signature, in seconds. Somebody may have to touch a token. Default: 60. */
  readonly timeout?: number;
  /** The environment of the command. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the command may use the terminal of this process, for example to ask for a PIN. Default: false. */
  readonly terminal?: boolean;
}

/** A signature in any form is far smaller. */
const MAX_OUTPUT_BYTES = 16 * 1024;

/**
 * Creates a signer that runs a command. The private key is never in this process.
 *
 * @param rootKey - the public key under which the signatures must be valid
 * @throws {@link UsageError} if the key is an Ed25519 key and the input is a digest
 */
export function commandSigner(rootKey: RootKey, options: CommandSignerOptions): Signer {
  const { command, input = 'payload', timeout = 60, env = process.env, terminal = false } = options;
  if (input === 'digest' && rootKey.algorithm === 'Ed25519') {
    throw new UsageError('Ed25519 signs whole payloads: the signer input digest is for P-256');
  }
  return {
    rootKey,
    development: false,
    sign: async (payload) => {
      const bytes = input === 'digest' ? createHash('sha256').update(payload).digest() : payload;
      const output = await runWithFile(command, bytes, { timeout, env, terminal });
      return signatureFrom(output, payload, rootKey);
    },
  };
}

type RunOptions = Required<Pick<CommandSignerOptions, 'timeout' | 'env' | 'terminal'>>;

/** Writes the file only if the command contains `{}`, and removes the file when the command ends. */
async function runWithFile(command: string, bytes: Uint8Array, options: RunOptions): Promise<Uint8Array> {
  if (!command.includes('{}')) return run(command, bytes, options);
  const folder = mkdtempSync(join(tmpdir(), 'passport-signing-'));
  try {
    const file = join(folder, 'payload');
    writeFileSync(file, bytes, { mode: 0o600 });
    return await run(command.replaceAll('{}', shellQuote(file)), bytes, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const shellQuote = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;

/** Runs the command. Its stderr goes directly to the terminal, because a token may ask the user to touch it. */
function run(
  command: string,
  bytes: Uint8Array,
  { timeout, env, terminal }: RunOptions,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new KeyRejected(`the signing command ${what}`));
    // A tool may ask for its PIN on the terminal, which works only in the session of the terminal. Without a terminal,
    // the command gets its own process group, so that `kill` also ends the processes that the shell has started.
    const detached = !terminal;
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'], detached, env });
    const kill = () => {
      if (detached && child.pid !== undefined) killGroup(child.pid);
      else child.kill('SIGKILL');
      child.stdout.destroy();
    };
    const timer = setTimeout(() => {
      kill();
      fail(`did not end within ${timeout} s`);
    }, timeout * 1000);
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= MAX_OUTPUT_BYTES) return;
      kill();
      fail('prints more than a signature');
    });
    // A command that reads the file may close its stdin.
    child.stdin.on('error', () => undefined);
    child.stdin.end(bytes);
    child.once('error', (error) => fail(`cannot be started: ${error.message}`));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
      else resolve(Buffer.concat(chunks));
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}

/** Returns the interpretation of an output that is a valid signature. */
async function signatureFrom(output: Uint8Array, payload: Uint8Array, rootKey: RootKey): Promise<Uint8Array> {
  if (output.length === 0) throw new KeyRejected('the signing command printed nothing on stdout');
  const candidates = signaturesIn(output);
  if (candidates.length === 0) {
    throw new KeyRejected(
      `the signing command printed ${output.length} bytes that are not a signature: it must print the signature and nothing ` +
        'else, as 64 raw bytes, DER, base64, base64url or hexadecimal',
    );
  }
  const signature = await findValidSignature(candidates, payload, rootKey);
  if (signature !== undefined) return signature;
  throw new KeyRejected(
    `the signing command printed a signature that is not valid for the payload under the root key ${rootKey.thumbprint}: ` +
      'check that the command uses the right key and the right input',
  );
}
