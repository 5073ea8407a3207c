import { type ChildProcess, spawn } from 'node:child_process';
import { sign } from 'node:crypto';
import { importRootKey } from '@passport-registry/verifier';
import { encodeBase64 } from '@passport-registry/verifier/core';
import { afterEachFile } from './endings.js';
import { generatePair } from './note-keys.js';
import { CLI } from './paths.js';
import { freePort } from './serving.js';
import { cleanEnvironment, cli, temporaryFolder } from './workspace.js';

const children: ChildProcess[] = [];
afterEachFile(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The files of a witness. */
export interface WitnessFiles {
  readonly folder: string;
  /** The verifier key. */
  readonly vkey: string;
  /** The options for the key. Default: the file witness.pem. */
  readonly keyOptions?: readonly string[];
  /** More of the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Creates the key and the state of a witness with the command line. */
export async function newWitness(name = 'witness.example/w1'): Promise<WitnessFiles> {
  const folder = temporaryFolder();
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'witness.pem'], folder);
  const { stdout } = await cli(
    ['keys', 'public', 'witness.pem', '--witness-name', name, '--witness-state', 'state'],
    folder,
  );
  return { folder, vkey: stdout.trim() };
}

/** Creates the signer of a new Ed25519 key. */
export async function newSigner() {
  const { privateKey, publicKey } = generatePair();
  return {
    rootKey: await importRootKey(publicKey.export({ format: 'jwk' })),
    development: false,
    sign: async (bytes: Uint8Array) => sign(null, bytes, privateKey),
  };
}

/** A process that runs `passport-registry witness`. */
export interface WitnessProcess {
  readonly url: string;
  /** Everything on stderr so far. */
  said(): string;
  /** Ends the process with a signal. Returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `passport-registry witness`, and waits until it is ready. */
export async function startWitness(
  { folder, keyOptions = ['--witness-key', 'witness.pem'], environment = {} }: WitnessFiles,
  ...args: string[]
): Promise<WitnessProcess> {
  const port = await freePort();
  const all = [
    CLI,
    'witness',
    ...keyOptions,
    '--witness-state',
    'state',
    '--port',
    String(port),
    '--json',
    ...args,
  ];
  const child = spawn(process.execPath, all, {
    cwd: folder,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
  const outcome = await Promise.race([ready, ended]);
  const url: unknown = typeof outcome === 'string' ? JSON.parse(outcome).address : undefined;
  if (typeof url !== 'string') {
    await ended;
    throw new Error(`the witness does not start:\n${said}`);
  }
  return {
    url,
    said: () => said,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Formats the body of a request to cosign a head. */
export function requestBody(oldSize: number | string, proof: readonly Uint8Array[], note: string): string {
  return `old ${oldSize}\n${proof.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${note}`;
}

/** Asks a witness to cosign. */
export function post(url: string, body: NonNullable<RequestInit['body']>): Promise<Response> {
  return fetch(`${url}/add-checkpoint`, { method: 'POST', body });
}
