import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { GRAMMAR, isObject, isUpdatedAt, parseStrictJson } from '@passport-registry/verifier/core';
import { IoFailed, RequestRejected } from '../../generator/errors.js';
import { readIfExists } from '../../generator/files/read-file.js';
import { writePrivateFile } from '../../generator/files/replace-file.js';
import type { RequestedCheckpoint } from './checkpoint-request.js';
import type { RequestedPublication } from './publication-request.js';
import type { RequestedRotation } from './rotation-request.js';
import type { SigningRequest } from './signing-request.js';

/** The time and hash of a list, and the place of its publication in the order of publications. */
interface Version {
  /** RFC 3339, UTC to the second, so that strings sort by time. */
  readonly updated_at: string;
  /** SHA-256 of issuers.json, in hexadecimal. */
  readonly sha256: string;
  /**
   * The sequence of the publication statement; undefined if there was none, or if another root key signed it, because
   * verifiers compare only sequences under one root key.
   */
  readonly sequence?: number | undefined;
}

/** What the machine with the root key remembers about a registry. */
interface SigningMemory {
  /** The newest publication that this machine has verified. */
  readonly verified?: Version | undefined;
  /** The publication that this machine signed last. */
  readonly signed?: SignedVersion | undefined;
  /** The rotation step that this machine signed last, with the thumbprint of the next root key. */
  readonly rotated?: { readonly next: string; readonly nextRoots: readonly string[] } | undefined;
}

interface SignedVersion extends Version {
  readonly sequence: number;
  /** The hash of the publication statement (rule statement-hash). */
  readonly statement: string;
}

/**
 * Returns the folder of the signing memories of this user, which does not depend on the working directory. The XDG Base
 * Directory Specification says that a relative XDG_STATE_HOME is ignored.
 */
export function memoryFolder(environment: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME: state = '', HOME: home } = environment;
  const parent = isAbsolute(state) ? state : join(home || homedir(), '.local', 'state');
  return join(parent, 'passport-registry');
}

/**
 * Refuses a request that does not follow the newest publication that this machine knows, and a
 * rotation to another key than the one signed before (rule signer-memory): a request from before an emergency must not
 * be signed after it.
 *
 * @param insteadOf - what was signed last, if the user says that it was never published: the SHA-256 of the list, or the
 *   thumbprint of the next root key
 * @throws {@link RequestRejected} | {@link IoFailed}
 */
export function assertFollowsMemory(
  folder: string,
  request: SigningRequest,
  insteadOf: string | undefined,
): void {
  const { publication, checkpoint, rotation, rootKey, previousRootKey = rootKey } = request;
  if (publication === undefined && checkpoint !== undefined)
    assertNewest(checkpoint, readMemory(folder, rootKey.thumbprint), insteadOf);
  for (const { thumbprint } of new Set([previousRootKey, rootKey])) {
    const memory = readMemory(folder, thumbprint);
    if (publication === undefined) continue;
    const previous = previousVersion(publication, thumbprint === previousRootKey.thumbprint);
    assertFollows(publication, memory, { previous, insteadOf });
  }
  if (rotation !== undefined)
    assertSameRotation(rotation, readMemory(folder, previousRootKey.thumbprint), insteadOf);
}

/** A checkpoint alone is for the newest publication that this machine knows: another one could show an old list as fresh. */
function assertNewest(
  { statement }: RequestedCheckpoint,
  { signed }: SigningMemory,
  insteadOf: string | undefined,
): void {
  const isKnown = signed === undefined || signed.statement === statement.hash || signed.sha256 === insteadOf;
  if (isKnown || statement.sequence > signed.sequence) return;
  throw outdated(
    `the checkpoint is for publication ${statement.sequence}, but this machine has signed ${formatVersion(signed)} since: make a new request on the machine that has the registry`,
  );
}

const outdated = (message: string) =>
  new RequestRejected('ERR_REQUEST_OUTDATED', message, {
    see: 'docs/operators/offline.md#the-memory-of-sign',
  });

function assertFollows(
  publication: RequestedPublication,
  { verified, signed }: SigningMemory,
  { previous, insteadOf }: { readonly previous: Version | undefined; readonly insteadOf: string | undefined },
): void {
  const advice = 'make a new request on the machine that has the registry';
  if (verified !== undefined && !isAtLeast(previous, verified)) {
    throw outdated(
      `the request follows ${formatVersion(previous)}, but this machine has verified the published list ${formatVersion(verified)}: ${advice}`,
    );
  }
  if (signed === undefined || isSame(publication, signed) || signed.sha256 === insteadOf) return;
  if (!isAtLeast(previous, signed)) {
    throw outdated(
      `the request follows ${formatVersion(previous)}, but this machine has signed ${formatVersion(signed)} since: ${advice} or, if the ` +
        `signed list will never be published, repeat with --instead-of ${signed.sha256}`,
    );
  }
}

/** Two steps from one key to different keys make verifiers refuse the registry (rule rotation-fork). */
function assertSameRotation(
  { next, nextRoots }: RequestedRotation,
  { rotated }: SigningMemory,
  insteadOf: string | undefined,
): void {
  if (rotated === undefined || rotated.next === insteadOf) return;
  if (rotated.next === next.thumbprint && String(rotated.nextRoots) === String(nextRoots)) return;
  const after = (keys: readonly string[]) => (keys.length === 0 ? '' : `, and then to ${keys.join(' or ')}`);
  throw outdated(
    `the rotation leads to ${next.thumbprint}${after(nextRoots)}, but this machine has signed one to ` +
      `${rotated.next}${after(rotated.nextRoots)}: if that will never be published, repeat with --instead-of ${rotated.next}`,
  );
}

/**
 * Remembers what a request follows, and what a root key is about to sign: in a rotation, the step or the rest.
 *
 * @throws {@link IoFailed}
 */
export function saveSigningMemory(folder: string, request: SigningRequest, signer: RootKey): void {
  const { thumbprint } = signer;
  const memory = { ...readMemory(folder, thumbprint), ...newsOf(request, thumbprint) };
  // A checkpoint alone says nothing that is remembered.
  if (Object.keys(memory).length === 0) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
  writePrivateFile(fileOf(folder, thumbprint), JSON.stringify(memory));
}

/** Returns what a request adds to the memory of a root key that signs it. */
function newsOf(request: SigningRequest, thumbprint: string): SigningMemory {
  const { publication, rotation, rootKey, previousRootKey = rootKey } = request;
  if (publication === undefined) return {};
  const verified = previousVersion(publication, thumbprint === previousRootKey.thumbprint);
  if (rotation !== undefined && thumbprint !== rootKey.thumbprint)
    return { verified, rotated: { next: rotation.next.thumbprint, nextRoots: rotation.nextRoots } };
  const { sha256, sequence, hash } = publication.statement;
  return {
    verified,
    signed: { updated_at: publication.registry.updated_at, sha256, sequence, statement: hash },
  };
}

/** @param isSameKey - whether the key of the memory has signed the previous publication */
function previousVersion({ previous }: RequestedPublication, isSameKey: boolean): Version | undefined {
  const sequence = isSameKey ? previous?.statement.sequence : undefined;
  return previous && { updated_at: previous.registry.updated_at, sha256: previous.sha256, sequence };
}

/** Whether a request is for the publication that was signed last, which may be signed again. */
function isSame({ statement }: RequestedPublication, signed: SignedVersion): boolean {
  return signed.sha256 === statement.sha256 && signed.statement === statement.hash;
}

/** Whether a publication is the known one, or newer, in the order of lists and in that of statements. */
function isAtLeast(version: Version | undefined, known: Version): boolean {
  if (version === undefined) return false;
  const isList = version.sha256 === known.sha256 || version.updated_at > known.updated_at;
  return isList && (known.sequence === undefined || (version.sequence ?? -1) >= known.sequence);
}

function formatVersion(version: Version | undefined): string {
  if (version === undefined) return 'no list';
  const publication = version.sequence === undefined ? '' : `, publication ${version.sequence}`;
  return `${version.sha256.slice(0, 16)} of ${version.updated_at}${publication}`;
}

const fileOf = (folder: string, thumbprint: string) => join(folder, `${thumbprint}.json`);

/**
 * Reads the memory of a root key; an empty one if there is no file. Nothing is signed with a memory in which anything is
 * not as this program writes it: what is damaged could be a later publication.
 *
 * @throws {@link IoFailed}
 */
function readMemory(folder: string, thumbprint: string): SigningMemory {
  const file = fileOf(folder, thumbprint);
  const refused = (why: string, cause?: unknown) =>
    new IoFailed(`${file}, the record of what was signed, ${why}: restore a copy of the file`, {
      cause,
      see: 'docs/operators/offline.md#the-memory-of-sign',
    });
  let memory: unknown;
  try {
    const bytes = readIfExists(file);
    if (bytes === undefined) return {};
    memory = parseStrictJson(bytes);
  } catch (cause) {
    throw refused(`cannot be read (${(cause as Error).message})`, cause);
  }
  if (!isObject(memory) || Object.keys(memory).length === 0) throw refused('is empty, or not a JSON object');
  const damaged = Object.entries(memory).find(([name, value]) => !isMember(MEMBERS, name, value));
  if (damaged !== undefined) throw refused(`has a damaged or unknown member (${damaged[0]})`);
  return memory;
}

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const isMember = (checks: Checks, name: string, value: unknown) =>
  Object.hasOwn(checks, name) && checks[name]?.(value) === true;

/** Returns a check that an object has the required members, and no others than these and the optional ones. */
const isObjectWith =
  (required: Checks, optional: Checks = {}): Check =>
  (value) =>
    isObject(value) &&
    Object.keys(required).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => isMember({ ...required, ...optional }, name, member));

const isSha256: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isThumbprint: Check = (value) => typeof value === 'string' && GRAMMAR.bytes32.pattern.test(value);
const isTime: Check = (value) => typeof value === 'string' && isUpdatedAt(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

const VERSION = { updated_at: isTime, sha256: isSha256 };

/** The members of a {@link SigningMemory}. */
const MEMBERS: Checks = {
  verified: isObjectWith(VERSION, { sequence: isCount }),
  signed: isObjectWith({ ...VERSION, sequence: isCount, statement: isSha256 }),
  rotated: isObjectWith({
    next: isThumbprint,
    nextRoots: (keys) => Array.isArray(keys) && keys.every(isThumbprint),
  }),
};
