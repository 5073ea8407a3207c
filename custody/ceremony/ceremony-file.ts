import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { canonicalBytes, isObject, parseStrictJson } from '@passport-registry/verifier/core';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { readIfExists } from '../../generator/files/read-file.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import type { GroupSize } from '../shared-key/frost.js';
import { sessionsOf } from '../shared-key/key-group.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';

/** What the holders agree on before they make a key together: the content of ceremony.json (rule ceremony). */
export interface Agreement extends GroupSize {
  /** The names of the holders. A holder's number is the position of his name, from 1. */
  readonly names: readonly string[];
  /** The existing root key that a dealer splits. Undefined if the holders make a new key. */
  readonly splits: RootKey | undefined;
  /** SHA-256 of the canonical content, in hexadecimal. Each message names it. */
  readonly sha256: string;
}

/** The folder in which the holders exchange messages, and their agreement. */
export interface Ceremony extends Agreement {
  readonly folder: string;
}

/** Returns the name of a holder. */
export const nameOf = ({ names }: Agreement, number: number): string => names[number - 1] ?? '';

/** The files in the folder of a ceremony, beside those of the test signature. All of them are public. */
export const CEREMONY_FILES = {
  ceremony: 'ceremony.json',
  join: (number: number) => `join-${number}.jwt`,
  parts: (number: number) => `parts-${number}.jwt`,
  /** The parts of a key that a dealer has split, signed with that key. */
  split: 'split.jwt',
  receipt: (number: number) => `receipt-${number}.jwt`,
  /** The public record of the ceremony, which the registry may publish. */
  holders: 'holders.json',
  /** The public key, as a JWK. */
  root: 'root.json',
} as const;

/** The name of a dealer in messages. No holder may have it. */
export const DEALER = 'the dealer';

/** The maximum number of holders. */
const MAX_HOLDERS = 16;
/** The maximum number of sessions of one request (rule holders-signing). */
const MAX_SESSIONS = 35;

/** Starts a ceremony in a new folder. @throws {@link UsageError} | {@link IoFailed} */
export function startCeremony(
  folder: string,
  { names, threshold, splits }: Pick<Agreement, 'names' | 'threshold' | 'splits'>,
): void {
  const fault = faultOf(names, threshold);
  if (fault !== undefined) throw new UsageError(fault);
  if (existsSync(join(folder, CEREMONY_FILES.ceremony))) {
    throw new UsageError(`${folder} has a ceremony already: name a new folder`);
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be created: ${(cause as Error).message}`, { cause });
  }
  const id = randomBytes(16).toString('base64url');
  const content = { holders: names, id, threshold, ...(splits && { splits: splits.jwk }) };
  writeWholeFile(join(folder, CEREMONY_FILES.ceremony), `${JSON.stringify(content, null, 2)}\n`);
}

/** Reads the agreement of a ceremony. @throws {@link UsageError} | {@link SharedKeyRejected} */
export async function readCeremony(folder: string): Promise<Ceremony> {
  const file = join(folder, CEREMONY_FILES.ceremony);
  const bytes = readIfExists(file);
  if (bytes === undefined)
    throw new UsageError(`${folder} has no ceremony: start one with \`keys ceremony start\``);
  return { folder, ...(await parseCeremony(parseRecord(bytes, file), file)) };
}

/** Parses a record of a ceremony as strict JSON. @throws {@link SharedKeyRejected} */
export function parseRecord(bytes: Uint8Array | string, source: string): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (cause) {
    const { message } = cause as Error;
    throw new SharedKeyRejected('ERR_HOLDER_MESSAGE', `${source} is not strict JSON: ${message}`, { cause });
  }
}

/** Checks the content of ceremony.json. @param source - the name of the file, for errors @throws {@link SharedKeyRejected} */
export async function parseCeremony(content: unknown, source: string): Promise<Agreement> {
  const invalid = (what: string, cause?: unknown) =>
    new SharedKeyRejected('ERR_HOLDER_MESSAGE', `${source} ${what}`, { cause });
  if (!isObject(content)) throw invalid('is not a JSON object');
  const { holders: names, id, threshold, splits, ...others } = content;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`has the unknown member ${other}`);
  const isNames = Array.isArray(names) && names.every((name) => typeof name === 'string');
  if (!isNames || typeof id !== 'string' || !/^[A-Za-z0-9_-]{22}$/.test(id) || !Number.isInteger(threshold)) {
    throw invalid('is malformed');
  }
  const fault = faultOf(names, Number(threshold));
  if (fault !== undefined) throw invalid(`is not valid: ${fault}`);
  const hash = sha256(canonicalOf(content, invalid));
  const size = { threshold: Number(threshold), holders: names.length };
  if (splits === undefined) return { ...size, names, splits: undefined, sha256: hash };
  const root = await importRootKey(splits).catch((cause) => {
    throw invalid(`names a key to split that is not valid: ${cause.message}`, cause);
  });
  if (root.algorithm !== 'Ed25519') throw invalid('names a key to split that is not an Ed25519 key');
  return { ...size, names, splits: root, sha256: hash };
}

function canonicalOf(content: object, invalid: (what: string, cause: unknown) => Error): Uint8Array {
  try {
    return canonicalBytes(content);
  } catch (cause) {
    throw invalid('has a value that has no canonical form', cause);
  }
}

/** Scripts whose letters look like each other. */
const LOOKALIKES = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Whether people can tell a name from any other: no invisible characters, no other spelling, no mixture of scripts. */
function isPlainName(name: string): boolean {
  return (
    /^[\p{L}\p{N}](?:[\p{L}\p{N} .'’@_-]|\p{M}(?!\p{M}\p{M})){0,63}$/u.test(name) &&
    !/\p{Default_Ignorable_Code_Point}/u.test(name) &&
    LOOKALIKES.filter((script) => script.test(name)).length <= 1 &&
    name === name.normalize('NFC').trim() &&
    name.toLowerCase() !== DEALER
  );
}

/** Says what is wrong with the holders and the threshold. */
function faultOf(names: readonly string[], threshold: number): string | undefined {
  const odd = names.find((name) => !isPlainName(name));
  if (odd !== undefined) {
    return `the name ${JSON.stringify(odd)} is not 1 to 64 letters of one script, digits, spaces or . ' @ _ -; quote a name that has a space`;
  }
  const folded = names.map((name) => name.normalize('NFKC').toLowerCase());
  if (new Set(folded).size !== names.length) return 'two holders have one name';
  if (names.length < 2 || names.length > MAX_HOLDERS)
    return `a key is shared among 2 to ${MAX_HOLDERS} holders`;
  if (!Number.isInteger(threshold) || threshold < 2 || threshold > names.length) {
    return `the threshold is a whole number from 2 to the number of holders, ${names.length}`;
  }
  const sessions = sessionsOf({ threshold, holders: names.length }).length;
  if (sessions <= MAX_SESSIONS) return undefined;
  return (
    `${threshold} of ${names.length} holders make ${sessions} groups of signers, but a request has at most ${MAX_SESSIONS}: ` +
    'choose fewer holders, or another threshold'
  );
}
