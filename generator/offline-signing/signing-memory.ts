import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import type { SigningRequest } from './signing-request.js';

/** The time and hash of a list. */
interface ListVersion {
  /** RFC 3339, UTC to the second, so that strings sort by time. */
  readonly updated_at: string;
  /** SHA-256 of issuers.json, in hexadecimal. */
  readonly sha256: string;
}

/** What the machine with the root key remembers about a registry. */
interface SigningMemory {
  /** The newest published list that this machine has verified. */
  readonly verified?: ListVersion | undefined;
  /** The list that this machine signed last. */
  readonly signed?: ListVersion | undefined;
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

/** Selects the memories with which a request is compared. */
interface SigningHistory {
  /** The thumbprints of the root key and, after a rotation, of the previous root key. */
  readonly thumbprints: readonly string[];
  /** SHA-256 of the list that was signed last, if the user says that the list was never published. */
  readonly insteadOf: string | undefined;
}

/**
 * Refuses a request that does not follow the newest list that this machine knows (SPEC C8): a request from before an
 * emergency must not be signed after it.
 *
 * @throws {@link UsageError} | {@link IoFailed}
 */
export function assertNewest(
  folder: string,
  request: SigningRequest,
  { thumbprints, insteadOf }: SigningHistory,
): void {
  for (const thumbprint of thumbprints) {
    const { verified, signed } = readMemory(fileOf(folder, thumbprint));
    const previous = previousOf(request);
    const advice = 'make a new request on the machine that has the registry';
    if (verified !== undefined && !isAtLeast(previous, verified)) {
      throw new UsageError(
        `the request follows ${formatVersion(previous)}, but this machine has verified the published list ${formatVersion(verified)}: ${advice}`,
      );
    }
    if (signed === undefined || signed.sha256 === request.sha256 || signed.sha256 === insteadOf) continue;
    if (!isAtLeast(previous, signed)) {
      throw new UsageError(
        `the request follows ${formatVersion(previous)}, but this machine has signed ${formatVersion(signed)} since: ${advice}. If the ` +
          `signed list was never published and never will be, repeat with --instead-of ${signed.sha256}`,
      );
    }
  }
}

/** Remembers the list that a request follows, and the list that is about to be signed. @throws {@link IoFailed} */
export function saveSigningMemory(folder: string, thumbprint: string, request: SigningRequest): void {
  const { registry, sha256 } = request;
  const memory: SigningMemory = {
    verified: previousOf(request),
    signed: { updated_at: registry.updated_at, sha256 },
  };
  const file = fileOf(folder, thumbprint);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(memory), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  } catch (cause) {
    throw new IoFailed(
      `${file}, the record of signed lists, cannot be written: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

function previousOf({ previous }: SigningRequest): ListVersion | undefined {
  return previous && { updated_at: previous.registry.updated_at, sha256: previous.sha256 };
}

function isAtLeast(list: ListVersion | undefined, known: ListVersion): boolean {
  if (list === undefined) return false;
  return list.sha256 === known.sha256 || list.updated_at > known.updated_at;
}

function formatVersion(list: ListVersion | undefined): string {
  return list === undefined ? 'no list' : `${list.sha256.slice(0, 16)} of ${list.updated_at}`;
}

function fileOf(folder: string, thumbprint: string): string {
  return join(folder, `${thumbprint}.json`);
}

function readMemory(file: string): SigningMemory {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new IoFailed(`${file}, the record of signed lists, cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}
