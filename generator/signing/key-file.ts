import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { IoFailed, KeyRejected, UsageError } from '../errors.js';
import { flushFolder } from '../files/flush.js';
import { ignoreFile } from '../files/private-folder.js';
import { readText } from '../files/read-file.js';
import { encryptedPem } from './encrypted-pem.js';
import { assertNoKeyText } from './key-text.js';
import type { Signer } from './sign.js';

/** The curves of root keys, as the command line names them. */
export const KEY_CURVES = ['Ed25519', 'P-256'] as const;

/** The curve of a root key. */
export type KeyCurve = (typeof KEY_CURVES)[number];

/**
 * Loads a signer from a file or an environment variable. The private key is PKCS#8 PEM, encrypted or not, or a private
 * JWK.
 *
 * Errors contain neither the message nor the error of the crypto library, because both could quote the key.
 *
 * @param source - the path of a file, or `env:NAME`
 * @param env - the environment for `env:NAME`
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function loadSigner(
  source: string,
  passphrase: Passphrase | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Signer> {
  return signerFor(await loadPrivateKey(source, passphrase, env), false);
}

/** Loads a private key itself, as {@link loadSigner} does. @throws {@link KeyRejected} | {@link IoFailed} */
export async function loadPrivateKey(
  source: string,
  passphrase: Passphrase | undefined,
  env: NodeJS.ProcessEnv,
): Promise<KeyObject> {
  const text = readKeySource(source, env);
  const key = isEncrypted(text) ? await decryptKey(text, source, passphrase) : readPrivateKey(text, source);
  return assertUsable(key, source);
}

/** Provides the passphrase of an encrypted key. A wrong passphrase is asked for again, until the answer is the same. */
export type Passphrase = (source: string) => string | Promise<string>;

const isEncrypted = (text: string) => text.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----');

async function decryptKey(text: string, source: string, ask: Passphrase | undefined): Promise<KeyObject> {
  if (ask === undefined) throw new KeyRejected(`${source} is encrypted: a passphrase is required`);
  let last: string | undefined;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const passphrase = await ask(source);
    // Only people on a terminal give another answer.
    if (passphrase === last) break;
    last = passphrase;
    const key = decrypted(text, passphrase);
    if (key !== undefined) return key;
  }
  throw new KeyRejected(`${source} cannot be decrypted: the passphrase is wrong, or the file is damaged`);
}

/** How often to ask for the passphrase of a key. */
const MAX_ATTEMPTS = 3;

function decrypted(key: string, passphrase: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key, passphrase });
  } catch {
    return undefined;
  }
}

/** Creates a signer from a private key. */
export async function signerFor(key: KeyObject, development: boolean): Promise<Signer> {
  const ecdsa = key.asymmetricKeyType === 'ec';
  return {
    rootKey: await importRootKey(createPublicKey(key).export({ format: 'jwk' })),
    development,
    sign: async (bytes) =>
      ecdsa ? sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }) : sign(null, bytes, key),
  };
}

/** Provides the passphrase of a key that is made in a file. Undefined if the key is not encrypted. */
export type NewPassphrase = (file: string) => string | undefined | Promise<string | undefined>;

/** What a new key file needs. */
export interface NewKeyOptions {
  readonly newPassphrase: NewPassphrase;
  /** The environment for git. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Generates a private key and writes it as PKCS#8 PEM to a new file. Only the owner can read the file, and git ignores
 * it.
 *
 * @returns the public key
 * @throws {@link IoFailed} if the file exists or cannot be written; {@link UsageError} if git would commit the file
 */
export async function generateKeyFile(
  algorithm: KeyCurve,
  file: string,
  { newPassphrase, env }: NewKeyOptions,
): Promise<RootKey> {
  if (existsSync(file)) throw keyExists(file);
  const passphrase = await newPassphrase(file);
  const key = generatePrivateKey(algorithm);
  const pem = passphrase === undefined ? privatePem(key) : encryptedPem(key, passphrase);
  try {
    ignoreFile(file, env);
    // Flushed, because a key that signed something must survive a power failure.
    writeFileSync(file, pem, { mode: 0o600, flag: 'wx', flush: true });
    flushFolder(dirname(file));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw keyExists(file);
    throw new IoFailed(`${file} cannot be written`, { cause });
  }
  return (await signerFor(key, false)).rootKey;
}

function keyExists(file: string): IoFailed {
  return new IoFailed(`${file} already exists, and a key is never overwritten`);
}

/** Generates a private key. */
export function generatePrivateKey(algorithm: KeyCurve): KeyObject {
  return algorithm === 'Ed25519'
    ? generateKeyPairSync('ed25519').privateKey
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** A private key as PKCS#8 PEM. */
export function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * Loads a root key: a public JWK or a public PEM. Private keys are refused.
 *
 * @param env - the environment for `env:NAME`
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function loadRootKey(file: string, env: NodeJS.ProcessEnv): Promise<RootKey> {
  return parseRootKey(readKeySource(file, env), file);
}

/**
 * Parses the text of a file that {@link loadRootKey} accepts.
 *
 * @param source - the name of the file, for messages
 */
export async function parseRootKey(text: string, source: string): Promise<RootKey> {
  const key = await publicKeyIn(text, source);
  if (key !== undefined) return key;
  throw new KeyRejected(`${source} contains no public JWK; print one with \`keys public\``);
}

/** Loads a root key as {@link loadRootKey} does, or else the public half of a private key. */
export async function publicKeyOf(file: string, env: NodeJS.ProcessEnv): Promise<RootKey> {
  const text = readKeySource(file, env);
  const key = await publicKeyIn(text, file);
  return key ?? (await signerFor(assertUsable(readPrivateKey(text, file), file), false)).rootKey;
}

/** Returns the public key in a text. Undefined if there is none. */
async function publicKeyIn(text: string, source: string): Promise<RootKey | undefined> {
  const jwk = text.includes('-----BEGIN PUBLIC KEY-----') ? parsePublicPem(text, source) : parseJson(text);
  if (isPublicJwk(jwk)) {
    try {
      return await importRootKey(jwk);
    } catch (cause) {
      throw new KeyRejected(`${source} is not a root key: ${(cause as Error).message}`, { cause });
    }
  }
  if (!isTrustAnchor(jwk)) return undefined;
  throw new KeyRejected(
    `${source} is a trust anchor, which only commands that verify a registry take; this command needs the root key alone`,
  );
}

/** Returns whether a parsed file is meant as a trust anchor, valid or not. */
export function isTrustAnchor(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'root');
}

/**
 * Loads the public half of a key that will sign.
 *
 * @returns undefined if the key is encrypted
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function publicHalf(source: string, env: NodeJS.ProcessEnv): Promise<RootKey | undefined> {
  return isEncrypted(readKeySource(source, env)) ? undefined : publicKeyOf(source, env);
}

function isPublicJwk(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'kty' in value && !('d' in value) && !isTrustAnchor(value)
  );
}

/** A public key and nothing else: a trust anchor next to the key would be ignored, with everything that it requires. */
const PUBLIC_PEM = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/;

function parsePublicPem(text: string, source: string): unknown {
  if (!PUBLIC_PEM.test(text)) {
    throw new KeyRejected(`${source} contains something else besides one public key: remove it`);
  }
  try {
    return createPublicKey(text).export({ format: 'jwk' });
  } catch {
    throw new KeyRejected(`${source} does not contain a readable public key`);
  }
}

/**
 * Reads a key from a file or an environment variable.
 *
 * @param source - the path of a file, or `env:NAME`
 * @throws {@link UsageError} | {@link IoFailed}
 */
export function readKeySource(source: string, env: NodeJS.ProcessEnv): string {
  assertNoKeyText(source);
  if (source.startsWith('env:')) {
    const text = env[source.slice('env:'.length)];
    if (text === undefined || text === '') {
      throw new UsageError(`${source} names an environment variable that is not set`);
    }
    return text;
  }
  return readText(source);
}

function readPrivateKey(text: string, source: string): KeyObject {
  if (text.trim() === '') {
    throw new KeyRejected(
      `${source} is empty: if a command was killed before it wrote the key, remove the file`,
    );
  }
  if (isEncrypted(text)) {
    throw new KeyRejected(`${source} is encrypted; pass the public key instead`);
  }
  if (text.includes('-----BEGIN PUBLIC KEY-----') || isPublicJwk(parseJson(text))) {
    throw new KeyRejected(`${source} is a public key; signing needs the private key`);
  }
  const key = parsePrivateKey(text);
  if (key === undefined) {
    throw new KeyRejected(`${source} contains neither a PKCS#8 PEM nor a private JWK that can be read`);
  }
  return key;
}

function assertUsable(key: KeyObject, source: string): KeyObject {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType !== 'ed25519' && curve !== 'prime256v1') {
    throw new KeyRejected(
      `the key in ${source} is ${curve ?? key.asymmetricKeyType}; a root key is Ed25519 or P-256`,
    );
  }
  return key;
}

function parsePrivateKey(text: string): KeyObject | undefined {
  try {
    const jwk = parseJson(text);
    if (jwk === undefined) return createPrivateKey(text);
    const key = createPrivateKey({ key: jwk as Record<string, string>, format: 'jwk' });
    // A private JWK repeats its public half. If the two differ, the wrong root key could be published.
    const { x, y } = createPublicKey(key).export({ format: 'jwk' });
    const stated = jwk as { x?: unknown; y?: unknown };
    return stated.x === x && (stated.y ?? undefined) === y ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Parses JSON. Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
