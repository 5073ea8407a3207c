import { generateKeyPairSync } from 'node:crypto';
import { join as joinPath } from 'node:path';
import { UsageError } from '../../generator/errors.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { generatePrivateKey } from '../../generator/signing/key-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { contribute, type KeyGeneration, partsFor } from '../shared-key/key-generation.js';
import { base64url, type MessageKey, signMessage } from '../shared-key/message.js';
import {
  type HolderFile,
  type JoiningSecrets,
  readHolderFile,
  type ShareAccess,
  writeHolderFile,
} from '../shared-key/share-file.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { CEREMONY_FILES, type Ceremony } from './ceremony-file.js';
import { hashesOf, type Joined, readAllJoined, readJoined, readText } from './messages.js';
import { partsMessage } from './parts.js';
import { digestOf } from './transcript.js';

/** How a holder joins. */
interface JoinChoice {
  /** The holder's name. Needed the first time. */
  readonly name: string | undefined;
  /** Asks for the passphrase of the new file of this holder. */
  readonly newPassphrase: (file: string) => Promise<string>;
}

/** What `joinCeremony` has done. */
interface JoinReport {
  readonly name: string;
  /** Whether the holder has done everything before `finish`. */
  readonly done: boolean;
  /** The names of the holders who have not joined. */
  readonly waitingFor: readonly string[];
  /** The fingerprint of those who have joined, once all have, if a key is split: its owner compares it before. */
  readonly digest?: string;
}

/**
 * Takes part in the first round, and in the second as soon as all holders have joined. Repeating it is safe: it writes
 * the same messages again.
 *
 * @throws {@link SharedKeyRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function joinCeremony(
  ceremony: Ceremony,
  access: ShareAccess,
  choice: JoinChoice,
): Promise<JoinReport> {
  const own = (await readHolderFile(access)) ?? (await firstRound(ceremony, access, choice));
  assertOwnCeremony(own, ceremony, choice.name);
  const { label } = own;
  if (own.secrets.stage === 'share') return { name: label.name, done: true, waitingFor: [] };
  writeMessage(ceremony, CEREMONY_FILES.join(label.number), own.secrets.join);
  const { missing: waitingFor } = await readJoined(ceremony);
  if (waitingFor.length > 0) return { name: label.name, done: false, waitingFor };
  const all = await readAllJoined(ceremony);
  assertUnchanged(all, own.secrets);
  const report = { name: label.name, done: true, waitingFor };
  if (ceremony.splits !== undefined) return { ...report, digest: digestOf(ceremony, all) };
  const text = await partsText(ceremony, { ...own, secrets: own.secrets }, { all, env: access.env });
  writeMessage(ceremony, CEREMONY_FILES.parts(label.number), text);
  return report;
}

async function firstRound(
  ceremony: Ceremony,
  access: ShareAccess,
  { name, newPassphrase }: JoinChoice,
): Promise<HolderFile> {
  const number = ceremony.names.indexOf(name ?? '') + 1;
  if (name === undefined || number === 0) {
    const which =
      name === undefined ? `${access.file} does not exist, so name yourself` : `there is no holder ${name}`;
    throw new UsageError(`${which}: --as with one of ${ceremony.names.join(', ')}`);
  }
  if (readText(ceremony, CEREMONY_FILES.join(number)) !== undefined) {
    throw new UsageError(
      `${name} has joined already: name the file from then with --share or, if somebody else has used your name, start a new ceremony`,
    );
  }
  const passphrase = await newPassphrase(access.file);
  const label = {
    ceremony: ceremony.sha256,
    number,
    name,
    threshold: ceremony.threshold,
    holders: ceremony.holders,
  };
  const messageKey = generatePrivateKey('Ed25519').export({ format: 'jwk' }) as unknown as MessageKey;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { d: _d, ...encryption } = privateKey.export({ format: 'jwk' });
  const { kty, crv, x } = messageKey;
  const contribution = ceremony.splits === undefined ? contribute(number, ceremony) : undefined;
  const claims = {
    ceremony: ceremony.sha256,
    holder: number,
    encryption,
    key: { kty, crv, x },
    ...(contribution && {
      commitments: contribution.commitments.map(base64url),
      proof: base64url(contribution.proof),
    }),
  };
  const secrets: JoiningSecrets = {
    stage: 'joining',
    messageKey,
    decryptionKey: privateKey.export({ format: 'jwk' }),
    coefficients: contribution?.coefficients.map((coefficient) => coefficient.toString(16)),
    join: signMessage('registry-ceremony-join+jwt', claims, messageKey),
  };
  // Written before the message, because nobody else has these secrets.
  const own = { file: access.file, label, secrets, passphrase };
  await writeHolderFile(own, access.env);
  return own;
}

/** Asserts that a holder's file belongs to the ceremony. @throws {@link SharedKeyRejected} | {@link UsageError} */
export function assertOwnCeremony({ file, label }: HolderFile, ceremony: Ceremony, name?: string): void {
  if (label.ceremony !== ceremony.sha256) {
    throw new SharedKeyRejected(
      'ERR_OTHER_KEY',
      `${file} belongs to another ceremony, or ${CEREMONY_FILES.ceremony} was changed since: name the file of this ceremony with --share`,
    );
  }
  if (name !== undefined && name !== label.name)
    throw new UsageError(`${file} is the file of ${label.name}, not of ${name}`);
}

/** The message of the second round. It is made once: a second one with other encryption would look like a replaced one. */
async function partsText(
  ceremony: Ceremony,
  own: HolderFile<JoiningSecrets>,
  { all, env }: { readonly all: readonly Joined[]; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const { label, secrets } = own;
  if (secrets.parts !== undefined) return secrets.parts.text;
  const parts = partsFor(generationOf(ceremony, own, all));
  const text = await partsMessage({ ceremony, from: label.number, all, parts }, secrets.messageKey);
  // Before the message, because nobody else has this text.
  await writeHolderFile({ ...own, secrets: { ...secrets, parts: { text, joined: hashesOf(all) } } }, env);
  return text;
}

/** What a holder knows after the first round. */
export function generationOf(
  size: Ceremony,
  { label, secrets }: HolderFile<JoiningSecrets>,
  all: readonly Joined[],
): KeyGeneration {
  const { number } = label;
  const contributions = all.flatMap(({ contribution }) => contribution ?? []);
  const shown = contributions.find((one) => one.number === number);
  const own = {
    number,
    commitments: shown?.commitments ?? [],
    proof: shown?.proof ?? new Uint8Array(),
    coefficients: (secrets.coefficients ?? []).map((coefficient) => BigInt(`0x${coefficient}`)),
  };
  return { own, others: contributions.filter((one) => one.number !== number), size };
}

/** Asserts that the first round is the one that this holder has seen before. @throws {@link SharedKeyRejected} */
export function assertUnchanged(all: readonly Joined[], { join, parts }: JoiningSecrets): void {
  const seen = parts?.joined;
  const changed =
    seen === undefined ? undefined : all.find(({ message }, index) => message.sha256 !== seen[index]);
  const own = sha256(join);
  if (changed === undefined && all.some(({ message }) => message.sha256 === own)) return;
  const name = changed?.name ?? 'you';
  throw new SharedKeyRejected(
    'ERR_CEREMONY_CHANGED',
    `the join message of ${name} was replaced after the second round began: start a new ceremony`,
    changed === undefined ? {} : { holder: changed.name },
  );
}

/** Writes a message of this holder, unless it is there. @throws {@link SharedKeyRejected} if another is in its place */
export function writeMessage(ceremony: Ceremony, file: string, text: string): void {
  const found = readText(ceremony, file);
  if (found === undefined) writeWholeFile(joinPath(ceremony.folder, file), text);
  else if (found !== text) {
    throw new SharedKeyRejected(
      'ERR_CEREMONY_CHANGED',
      `${file} is not the message that you have written: start a new ceremony`,
    );
  }
}
