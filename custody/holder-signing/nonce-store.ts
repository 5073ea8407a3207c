import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { IoFailed } from '../../generator/errors.js';
import { bootIdentity } from '../../generator/files/boot-identity.js';
import { flushFolder } from '../../generator/files/flush.js';
import { readIfExists } from '../../generator/files/read-file.js';
import type { KeyShare } from '../shared-key/frost.js';
import { base64url, fromBase64url } from '../shared-key/message.js';
import type { NoncePair } from '../shared-key/share-signing.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';

/** The nonce pairs of one session, by payload. */
export type SessionNonces = Readonly<Record<string, NoncePair>>;

/**
 * Where the nonces of one holder for one task are: on this machine, outside the folder that travels. Whoever learns a
 * nonce learns the share, and so does whoever sees two signature shares with one nonce. Therefore:
 *
 * - each session has a file of its own, encrypted with a key that is derived from the share;
 * - a file is renamed, read and deleted before its nonces are used, so that of two processes only one gets them, and a
 *   process that is killed loses them;
 * - a file serves only until the machine restarts, so that a disk image or a backup that is put back brings none back.
 */
export interface NonceStore {
  /** The folder of the nonces of this task. */
  readonly folder: string;
  readonly share: KeyShare;
}

/** The name of the holder's message that belongs to the nonces. It is written last, so that it stands for all of them. */
const MESSAGE = 'commitments.jwt';

/** Returns the message whose nonces are in the store. Undefined if there is none. */
export function committedMessage({ folder }: NonceStore): string | undefined {
  return readIfExists(join(folder, MESSAGE))?.toString('utf8');
}

/** Replaces the nonces in the store. @param message - the message with the commitments to the nonces @throws {@link IoFailed} */
export async function saveNonces(
  store: NonceStore,
  message: string,
  sessions: ReadonlyMap<string, SessionNonces>,
): Promise<void> {
  const { folder } = store;
  const files = await Promise.all(
    [...sessions].map(async ([name, nonces]) => [name, await encrypt(name, nonces, store.share)] as const),
  );
  try {
    // An earlier commitment ends first: none of its nonces must be used once another message is published.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [name, text] of files) {
      writeFileSync(join(folder, name), text, { mode: 0o600, flag: 'wx', flush: true });
    }
    writeFileSync(join(folder, MESSAGE), message, { mode: 0o600, flag: 'wx', flush: true });
    flushFolder(folder);
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Returns whether the store has unused nonces for a session. */
export function hasNonces({ folder }: NonceStore, session: string): boolean {
  return existsSync(join(folder, session));
}

/**
 * Removes the nonces of sessions from the store and returns them. Sessions without nonces are left out: they have been
 * used (rule holders-nonces).
 *
 * @throws {@link SharedKeyRejected} if the nonces are from before a restart of the machine; {@link IoFailed}
 */
export async function takeNonces(
  { folder, share }: NonceStore,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, SessionNonces>> {
  const taken = sessions.flatMap((name) => {
    const text = take(folder, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  if (taken.length > 0) flushFolder(folder);
  const opened = taken.map(async ([name, text]) => [name, await decrypt(name, text, share)] as const);
  return new Map(await Promise.all(opened));
}

function take(folder: string, name: string): string | undefined {
  const own = join(folder, `.${name}.${randomBytes(8).toString('hex')}`);
  try {
    renameSync(join(folder, name), own);
    const text = readFileSync(own, 'utf8');
    unlinkSync(own);
    return text;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new IoFailed(`${join(folder, name)} cannot be removed: ${(cause as Error).message}`, { cause });
  }
}

const ENCODING = { alg: 'dir', enc: 'A256GCM' } as const;

const keyFrom = ({ scalar }: KeyShare) =>
  new Uint8Array(hkdfSync('sha256', scalar, '', 'passport-registry nonces', 32));

function encrypt(session: string, nonces: SessionNonces, share: KeyShare): Promise<string> {
  const pairs = Object.fromEntries(
    Object.entries(nonces).map(([payload, { hiding, binding }]) => [
      payload,
      [base64url(hiding), base64url(binding)],
    ]),
  );
  const plaintext = Buffer.from(JSON.stringify({ boot: bootIdentity(), pairs, session }));
  return new CompactEncrypt(plaintext).setProtectedHeader(ENCODING).encrypt(keyFrom(share));
}

async function decrypt(session: string, text: string, share: KeyShare): Promise<SessionNonces> {
  const refused = (why: string) => new SharedKeyRejected('ERR_NONCES_USED', `${why}: run \`sign --again\``);
  let content: { boot: string; session: string; pairs: Record<string, [string, string]> };
  try {
    const { plaintext } = await compactDecrypt(text, keyFrom(share));
    content = JSON.parse(Buffer.from(plaintext).toString('utf8'));
  } catch {
    throw refused('the nonces on this machine cannot be decrypted with this share');
  }
  if (content.session !== session) throw refused('the nonces on this machine were moved');
  if (content.boot !== bootIdentity()) {
    // A copy of the disk could bring back nonces that were used.
    throw refused(
      'this machine was restarted since you committed, and never uses nonces from before a restart',
    );
  }
  return Object.fromEntries(
    Object.entries(content.pairs).map(([payload, [hiding, binding]]) => [
      payload,
      { hiding: fromBase64url(hiding), binding: fromBase64url(binding) },
    ]),
  );
}
