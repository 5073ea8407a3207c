import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  containsHead,
  decodeBase64,
  encodeBase64,
  hasCode,
  headSigner,
  namesLog,
  parseHead,
} from '@passport-registry/verifier/core';
import { PATHS } from '../../generator/tree/paths.js';
import type { SeenFiles } from '../../generator/verification/seen-files.js';
import { sourceOf } from '../../generator/verification/tree-source.js';

/** The head of the log that a host serves, signed by the key of the log. */
export interface ServedLog {
  readonly origin: string;
  /** The number of entries. */
  readonly size: number;
  /** The root of the Merkle tree, in base64 as in the head. */
  readonly root: string;
}

/**
 * Reads the head of the log of a host.
 *
 * @param rootKey - the current root key, which has signed the publication statement
 * @returns undefined if the registry has no log
 * @throws `ERR_LOG_INCONSISTENT` if there is no head, or the key of the log has not signed it
 */
export async function servedLog(files: SeenFiles, rootKey: RootKey): Promise<ServedLog | undefined> {
  const statement = await files.get(PATHS.publication);
  if (statement === undefined || !(await namesLog(statement))) return undefined;
  const bytes = await files.get(PATHS.logHead);
  if (bytes === undefined) throw invalid('is missing, but the publication statement names a log');
  const head = parseHead(bytes, invalid);
  const read = (index: number) => files.get(PATHS.loggedStatement(index));
  if ((await headSigner(head, statement, { roots: [rootKey], read })) === undefined)
    throw invalid('is not signed by the key of the log');
  return { origin: head.origin, size: head.size, root: encodeBase64(head.root) };
}

const invalid = (message: string) => new RegistryError('ERR_LOG_INCONSISTENT', `${PATHS.logHead} ${message}`);

/** Says that two logs contradict each other. @param one - a log with its size, in words */
export function contradiction(one: string, other: string): string {
  return `${one} and ${other} contradict each other: keep both, one of them is a second history`;
}

/** A host or a folder, and the head of its log. */
interface LoggedHost {
  readonly url: string;
  readonly log: ServedLog | undefined;
}

/**
 * Compares the logs of a registry and a mirror. The larger one must contain the smaller one, which its tiles prove.
 *
 * @param signal - ends all requests
 * @returns what is wrong, in words; undefined if nothing is
 * @throws {@link IoFailed} if a tile cannot be read
 */
export async function findForkedLog(
  mirror: LoggedHost,
  primary: LoggedHost,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (primary.log === undefined) return undefined;
  if (mirror.log === undefined) return `there is no ${PATHS.logHead}, but the primary has one`;
  if (mirror.log.origin !== primary.log.origin) {
    return `its log is ${mirror.log.origin}, but that of the primary is ${primary.log.origin}`;
  }
  const [older, newer] = [mirror, primary].sort((a, b) => sizeOf(a) - sizeOf(b)) as [LoggedHost, LoggedHost];
  const forked = contradiction(
    `its log with ${mirror.log.size} entries`,
    `that of the primary with ${primary.log.size} entries`,
  );
  try {
    const { get } = sourceOf(newer.url, signal);
    const read = async (path: string) => (await get(path))?.bytes;
    return (await containsHead(treeHead(newer), treeHead(older), read)) ? undefined : forked;
  } catch (error) {
    if (hasCode(error, 'ERR_LOG_INCONSISTENT')) return forked;
    throw error;
  }
}

const sizeOf = ({ log }: LoggedHost) => log?.size ?? 0;

function treeHead({ log }: LoggedHost) {
  return { size: log?.size ?? 0, root: decodeBase64(log?.root ?? '') ?? new Uint8Array() };
}
