import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import { sha256 } from '../tree/checksums.js';
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
}

interface SignedVersion extends Version {
  /** SHA-256 of the signed bytes of the publication statement, in hexadecimal. */
  readonly statement?: string | undefined;
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
  /** The thumbprint of the root key that signs. */
  readonly thumbprint: string;
  /** The thumbprint of the root key that signed the previous list. After a rotation, it is another one. */
  readonly previous: string;
  /** SHA-256 of the list that was signed last, if the user says that the list was never published. */
  readonly insteadOf: string | undefined;
}

/**
 * Refuses a request that does not follow the newest publication that this machine knows (SPEC C8): a request from before
 * an emergency must not be signed after it.
 *
 * @throws {@link UsageError} | {@link IoFailed}
 */
export function assertNewest(folder: string, request: SigningRequest, history: SigningHistory): void {
  const { insteadOf } = history;
  for (const thumbprint of new Set([history.previous, history.thumbprint])) {
    const { verified, signed } = readMemory(fileOf(folder, thumbprint));
    const previous = previousVersion(request, thumbprint === history.previous);
    const advice = 'make a new request on the machine that has the registry';
    if (verified !== undefined && !isAtLeast(previous, verified)) {
      throw new UsageError(
        `the request follows ${formatVersion(previous)}, but this machine has verified the published list ${formatVersion(verified)}: ${advice}`,
      );
    }
    if (signed === undefined || isSame(request, signed) || signed.sha256 === insteadOf) continue;
    if (!isAtLeast(previous, signed)) {
      throw new UsageError(
        `the request follows ${formatVersion(previous)}, but this machine has signed ${formatVersion(signed)} since: ${advice}. If the ` +
          `signed list was never published and never will be, repeat with --instead-of ${signed.sha256}`,
      );
    }
  }
}

/**
 * Remembers the publication that a request follows, and the publication that is about to be signed.
 *
 * @throws {@link IoFailed}
 */
export function saveSigningMemory(
  folder: string,
  request: SigningRequest,
  { thumbprint, previous }: Omit<SigningHistory, 'insteadOf'>,
): void {
  const { registry, sha256: list, statement, input } = request;
  const memory: SigningMemory = {
    verified: previousVersion(request, thumbprint === previous),
    signed: {
      updated_at: registry.updated_at,
      sha256: list,
      sequence: statement.sequence,
      statement: sha256(Buffer.from(input)),
    },
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

/** @param isSameKey - whether the key of the memory has signed the previous publication */
function previousVersion({ previous }: SigningRequest, isSameKey: boolean): Version | undefined {
  const sequence = isSameKey ? previous?.statement?.sequence : undefined;
  return previous && { updated_at: previous.registry.updated_at, sha256: previous.sha256, sequence };
}

/** Whether a request is for the publication that was signed last, which may be signed again. */
function isSame({ sha256: list, input }: SigningRequest, signed: SignedVersion): boolean {
  return signed.sha256 === list && signed.statement === sha256(Buffer.from(input));
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
