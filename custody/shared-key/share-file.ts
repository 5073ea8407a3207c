import { isObject } from '@passport-registry/verifier/core';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { ignoreFile } from '../../generator/files/private-folder.js';
import { readIfExists } from '../../generator/files/read-file.js';
import { writePrivateFile } from '../../generator/files/replace-file.js';
import { type Passphrase, parseJson } from '../../generator/signing/key-file.js';
import type { GroupSize, KeyShare } from './frost.js';
import { isPartOf } from './key-generation.js';
import { type GroupHolder, type KeyGroup, keyGroup } from './key-group.js';
import { fromBase64url, type MessageKey } from './message.js';
import { SharedKeyRejected } from './shared-key-rejected.js';

/** Iterations of PBKDF2 with HMAC-SHA-512 (RFC 7518, PBES2-HS512+A256KW): about half a second. */
const ITERATIONS = 600_000;

/** What the file of a holder says in clear, so that a person can tell one file from another. */
interface ShareLabel extends GroupSize {
  /** The payload hash of the ceremony. */
  readonly ceremony: string;
  readonly number: number;
  readonly name: string;
  /** The thumbprint of the shared key. Undefined until the ceremony ends. */
  readonly root?: string | undefined;
}

/** The secret content of a holder's file, while the key is being made. */
export interface JoiningSecrets {
  readonly stage: 'joining';
  /** Signs the holder's messages. */
  readonly messageKey: MessageKey;
  /** The private ECDH key (P-256) to which the others encrypt. */
  readonly decryptionKey: object;
  /** The coefficients of the holder's polynomial, in hexadecimal. Undefined if a dealer splits a key. */
  readonly coefficients?: readonly string[] | undefined;
  /** The message of the first round, exactly as published. */
  readonly join: string;
  /** The message of the second round, and the SHA-256 of the messages of the first round, once it is published. */
  readonly parts?: { readonly text: string; readonly joined: readonly string[] } | undefined;
}

/** The secret content of a holder's file, once the key is made. */
export interface ShareSecrets {
  readonly stage: 'share';
  readonly messageKey: MessageKey;
  /** The secret scalar of the share, in base64url. */
  readonly scalar: string;
  /** The fingerprint of the ceremony: SHA-256, in hexadecimal. */
  readonly digest: string;
  /** The group: who the other holders are, and the commitments to the key, in base64url. */
  readonly holders: readonly GroupHolder[];
  readonly commitments: readonly string[];
}

/** A holder's file, decrypted. */
export interface HolderFile<Secrets = JoiningSecrets | ShareSecrets> {
  readonly file: string;
  readonly label: ShareLabel;
  readonly secrets: Secrets;
  /** With which it is written again. */
  readonly passphrase: string;
}

/** Where the file of a holder is, and how it is opened. */
export interface ShareAccess {
  readonly file: string;
  readonly passphrase: Passphrase;
  /** The environment for git. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Writes the file of a holder, encrypted under a passphrase, by one rename. Only the owner can read it, and git ignores
 * it.
 *
 * @param env - the environment for git
 * @throws {@link IoFailed} | {@link UsageError}
 */
export async function writeHolderFile(
  { file, label, secrets, passphrase }: HolderFile,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  // The label is inside, too, so that nobody can change it.
  const plaintext = Buffer.from(JSON.stringify({ label, secrets }));
  const encrypted = await new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM' })
    .setKeyManagementParameters({ p2c: ITERATIONS })
    .encrypt(Buffer.from(passphrase));
  try {
    ignoreFile(file, env);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
  writePrivateFile(file, `${JSON.stringify({ ...label, encrypted }, null, 2)}\n`);
}

/**
 * Reads and decrypts the file of a holder. Undefined if it does not exist.
 *
 * @throws {@link SharedKeyRejected} | {@link IoFailed}
 */
export async function readHolderFile({
  file,
  passphrase: ask,
}: ShareAccess): Promise<HolderFile | undefined> {
  const bytes = readIfExists(file);
  if (bytes === undefined) return undefined;
  const unreadable = (what: string) => new SharedKeyRejected('ERR_SHARE_UNREADABLE', `${file} ${what}`);
  const outside = parseJson(bytes.toString('utf8'));
  const { encrypted, ...label } = isObject(outside) ? outside : {};
  if (typeof encrypted !== 'string') throw unreadable('is not the file of a holder');
  const passphrase = await ask(file);
  let text: string;
  try {
    const { plaintext } = await compactDecrypt(encrypted, Buffer.from(passphrase), {
      keyManagementAlgorithms: ['PBES2-HS512+A256KW'],
      contentEncryptionAlgorithms: ['A256GCM'],
      maxPBES2Count: ITERATIONS,
    });
    text = Buffer.from(plaintext).toString('utf8');
  } catch {
    // Without the cause, which could quote the content.
    throw unreadable('cannot be decrypted: the passphrase is wrong, or the file is damaged');
  }
  const inside = parseJson(text) as Pick<HolderFile, 'label' | 'secrets'>;
  if (!isObject(inside) || JSON.stringify(inside.label) !== JSON.stringify(label)) {
    throw unreadable('names another holder or another key outside than inside: restore it from its backup');
  }
  return { file, ...inside, passphrase };
}

/** A holder's share, and what the holder knows of the group. */
export interface OpenedShare {
  readonly label: ShareLabel;
  readonly share: KeyShare;
  readonly messageKey: MessageKey;
  readonly group: KeyGroup;
}

/** Opens the share of a holder. @throws {@link SharedKeyRejected} | {@link UsageError} | {@link IoFailed} */
export async function openShare(access: ShareAccess): Promise<OpenedShare> {
  const found = await readHolderFile(access);
  if (found === undefined) throw new IoFailed(`${access.file} does not exist`);
  const { secrets } = found;
  if (secrets.stage !== 'share') {
    throw new UsageError(
      `${access.file} has no share yet: finish the ceremony first, with \`keys ceremony finish\``,
    );
  }
  return shareIn({ ...found, secrets });
}

/** Takes the share out of a holder's file, and verifies that it is a share of the key. @throws {@link SharedKeyRejected} */
export async function shareIn({ label, secrets }: HolderFile<ShareSecrets>): Promise<OpenedShare> {
  const share = { number: label.number, scalar: fromBase64url(secrets.scalar) };
  const commitments = secrets.commitments.map(fromBase64url);
  const group = await keyGroup(commitments, secrets.holders);
  if (isPartOf(share.scalar, share.number, group.key))
    return { label, share, messageKey: secrets.messageKey, group };
  throw new SharedKeyRejected('ERR_OTHER_KEY', `the share of ${label.name} is not a share of ${label.root}`);
}
