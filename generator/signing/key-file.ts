import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { IoFailed, KeyRejected, UsageError } from '../errors.js';
import { ignoreFile } from '../files/private-folder.js';
import { readText } from '../files/read-file.js';
import type { Signer } from './sign.js';

/** The algorithms of a root key, as the command line names them. */
export const KEY_ALGORITHMS = ['Ed25519', 'P-256'] as const;

/** An algorithm of a root key. */
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];

/**
 * A signer with the private key of a file or an environment variable: PKCS#8 PEM, encrypted or not, or a private JWK.
 *
 * No error here carries the library's own words or a cause: they could quote the key.
 *
 * @param source - a file's path, or `env:NAME`
 * @param env - where `env:NAME` is looked up
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function loadSigner(
  source: string,
  passphrase: Passphrase | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Signer> {
  const text = readSource(source, env);
  const key = isEncrypted(text) ? await decryptedKey(text, source, passphrase) : readPrivateKey(text, source);
  return signerFor(assertUsable(key, source), false);
}

/** Asked for a passphrase when a key turns out to be encrypted. */
export type Passphrase = (source: string) => string | Promise<string>;

const isEncrypted = (text: string) => text.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----');

async function decryptedKey(text: string, source: string, ask: Passphrase | undefined): Promise<KeyObject> {
  if (ask === undefined) throw new KeyRejected(`${source} is encrypted; give its passphrase`);
  const passphrase = await ask(source);
  try {
    return createPrivateKey({ key: text, passphrase });
  } catch {
    throw new KeyRejected(`${source} cannot be decrypted: the passphrase is wrong, or the file is damaged`);
  }
}

/** A signer with a private key at hand. */
export async function signerFor(key: KeyObject, development: boolean): Promise<Signer> {
  const ecdsa = key.asymmetricKeyType === 'ec';
  return {
    rootKey: await importRootKey(createPublicKey(key).export({ format: 'jwk' })),
    development,
    sign: async (bytes) =>
      ecdsa ? sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }) : sign(null, bytes, key),
  };
}

/**
 * Makes a private key and writes it as PKCS#8 PEM into a new file that only its owner may read, and that git ignores.
 *
 * @param env - the environment in which git is asked what it ignores
 * @returns the public key
 * @throws {@link IoFailed} when the file exists or cannot be written
 */
export async function generateKeyFile(
  algorithm: KeyAlgorithm,
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<RootKey> {
  const key = generatePrivateKey(algorithm);
  try {
    ignoreFile(file, env);
    writeFileSync(file, privatePem(key), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new IoFailed(exists ? `${file} exists: a key is never overwritten` : `${file} cannot be written`, {
      cause,
    });
  }
  return (await signerFor(key, false)).rootKey;
}

/** A new private key. */
export function generatePrivateKey(algorithm: KeyAlgorithm): KeyObject {
  return algorithm === 'Ed25519'
    ? generateKeyPairSync('ed25519').privateKey
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** A private key as PKCS#8 PEM. */
export function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * The root key of a file: a public JWK, or the public half of a private key.
 *
 * @param onlyPublic - refuse a private key rather than use its public half
 * @param env - where `env:NAME` is looked up
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function loadRootKey(
  file: string,
  onlyPublic: boolean,
  env: NodeJS.ProcessEnv,
): Promise<RootKey> {
  const text = readSource(file, env);
  const jwk = text.includes('-----BEGIN PUBLIC KEY-----') ? publicPem(text, file) : parsedJson(text);
  if (isPublicJwk(jwk)) {
    try {
      return await importRootKey(jwk);
    } catch (cause) {
      throw new KeyRejected(`${file} is not a root key: ${(cause as Error).message}`, { cause });
    }
  }
  if (onlyPublic) throw new KeyRejected(`${file} has no public JWK; print one with \`keys public\``);
  return (await signerFor(assertUsable(readPrivateKey(text, file), file), false)).rootKey;
}

function isPublicJwk(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kty' in value && !('d' in value);
}

function publicPem(text: string, source: string): unknown {
  try {
    return createPublicKey(text).export({ format: 'jwk' });
  } catch {
    throw new KeyRejected(`${source} holds no public key that can be read`);
  }
}

function readSource(source: string, env: NodeJS.ProcessEnv): string {
  if (/PRIVATE KEY|"d"\s*:|[\r\n]/.test(source)) {
    throw new UsageError(
      'name a key by its file or by env:NAME: a key on the command line can be read by others',
    );
  }
  if (source.startsWith('env:')) {
    const text = env[source.slice('env:'.length)];
    if (text === undefined || text === '') {
      throw new UsageError(`the environment variable ${source.slice('env:'.length)} is not set`);
    }
    return text;
  }
  return readText(source);
}

function readPrivateKey(text: string, source: string): KeyObject {
  if (isEncrypted(text)) {
    throw new KeyRejected(`${source} is encrypted; for its public half use the public key`);
  }
  if (text.includes('-----BEGIN PUBLIC KEY-----') || isPublicJwk(parsedJson(text))) {
    throw new KeyRejected(`${source} is a public key; signing takes the private one`);
  }
  const key = parsePrivateKey(text);
  if (key === undefined) {
    throw new KeyRejected(`${source} holds neither a PKCS#8 PEM nor a private JWK that can be read`);
  }
  return key;
}

function assertUsable(key: KeyObject, source: string): KeyObject {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType !== 'ed25519' && curve !== 'prime256v1') {
    throw new KeyRejected(
      `${source} holds ${curve ?? key.asymmetricKeyType}; a root key is Ed25519 or P-256`,
    );
  }
  return key;
}

function parsePrivateKey(text: string): KeyObject | undefined {
  try {
    const jwk = parsedJson(text);
    if (jwk === undefined) return createPrivateKey(text);
    const key = createPrivateKey({ key: jwk as Record<string, string>, format: 'jwk' });
    // A JWK says its public half itself; one that says another key's would publish the wrong root.
    const { x, y } = createPublicKey(key).export({ format: 'jwk' });
    const said = jwk as { x?: unknown; y?: unknown };
    return said.x === x && (said.y ?? undefined) === y ? key : undefined;
  } catch {
    return undefined;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
