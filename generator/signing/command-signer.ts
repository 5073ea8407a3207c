import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeSignature, type RootKey, verifySignature } from '@passport-registry/verifier';
import { KeyRejected, UsageError } from '../errors.js';
import type { Signer } from './sign.js';
import { readSignature } from './signature-form.js';

/** What a signing command is given. */
export type SignerInput = 'payload' | 'digest';

/** A key that another program signs with: the tool of an HSM, a token, a cloud. */
export interface CommandSignerOptions {
  /**
   * What the shell runs. It gets the bytes on stdin, and where it has `{}`, the path of a file with them. It prints the
   * signature on stdout, and nothing else: raw, DER, or either in base64, base64url or hexadecimal.
   */
  readonly command: string;
  /** The payload, or its SHA-256, which is all that some tokens sign. Default: `payload`. */
  readonly input?: SignerInput;
  /** Longest time for one signature, in seconds: somebody may have to touch a token. Default: 60. */
  readonly timeout?: number;
  /** The environment of the command. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Bytes. A signature in any form is far smaller, and a command that prints more is not printing one. */
const MAX_OUTPUT_BYTES = 16 * 1024;

/**
 * A signer that has a command sign. The private key never comes near this process.
 *
 * @param rootKey - the public key that its signatures must verify under
 * @throws {@link UsageError} when an Ed25519 key is to sign a digest
 */
export function commandSigner(rootKey: RootKey, options: CommandSignerOptions): Signer {
  const { command, input = 'payload', timeout = 60, env = process.env } = options;
  if (input === 'digest' && rootKey.algorithm === 'Ed25519') {
    throw new UsageError('Ed25519 signs whole payloads: --signer-input digest is for P-256');
  }
  return {
    rootKey,
    development: false,
    sign: async (payload) => {
      const bytes = input === 'digest' ? createHash('sha256').update(payload).digest() : payload;
      const output = await runWithFile(command, bytes, { timeout, env });
      return signatureIn(output, payload, rootKey);
    },
  };
}

type Surroundings = Required<Pick<CommandSignerOptions, 'timeout' | 'env'>>;

/** The path is known only where the command asks for it; the file lasts as long as the command. */
async function runWithFile(
  command: string,
  bytes: Uint8Array,
  surroundings: Surroundings,
): Promise<Uint8Array> {
  if (!command.includes('{}')) return run(command, bytes, surroundings);
  const folder = mkdtempSync(join(tmpdir(), 'passport-signing-'));
  try {
    const file = join(folder, 'payload');
    writeFileSync(file, bytes, { mode: 0o600 });
    return await run(command.replaceAll('{}', quoted(file)), bytes, surroundings);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;

/** Its words for people, on stderr, go straight to the terminal: a token may ask to be touched. */
function run(command: string, bytes: Uint8Array, { timeout, env }: Surroundings): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new KeyRejected(`the signing command ${what}`));
    // On a terminal a tool may ask for its PIN there, which only the terminal's own session can. Elsewhere it gets a group
    // of its own, so that what the shell has started ends with it.
    const detached = process.stdin.isTTY !== true;
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
    // A command that reads the file instead closes its stdin; that is its right.
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
    // It has ended by itself.
  }
}

/** The one reading of an output that verifies. */
async function signatureIn(output: Uint8Array, payload: Uint8Array, rootKey: RootKey): Promise<Uint8Array> {
  if (output.length === 0) throw new KeyRejected('the signing command printed nothing on stdout');
  const candidates = readSignature(output);
  if (candidates.length === 0) {
    throw new KeyRejected(
      `the signing command printed ${output.length} bytes that are not a signature: it must print the signature and nothing ` +
        'else, as 64 raw bytes, DER, base64, base64url or hexadecimal',
    );
  }
  for (const candidate of candidates) {
    const good = verifySignature(payload, encodeSignature(candidate), rootKey);
    if (
      await good.then(
        () => true,
        () => false,
      )
    )
      return candidate;
  }
  throw new KeyRejected(
    `the signing command printed a signature that is not valid for the payload under the root key ${rootKey.thumbprint}: ` +
      'another key, or another input (--signer-input)',
  );
}
