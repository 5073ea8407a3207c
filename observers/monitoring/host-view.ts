import { RegistryError } from '@passport-registry/verifier';
import {
  parseHead,
  parseLogProof,
  parseStatementsFile,
  type SignedHead,
  type StatementsFile,
} from '@passport-registry/verifier/core';
import { GeneratorError, IoFailed, TreeRejected } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type Finding, finding } from './finding.js';
import type { MonitoredHost } from './monitored-host.js';

/** The place of the proof that the publication is logged. */
export const PROOF = `log_proof in ${PATHS.statements}`;

/** What a host shows in one round, apart from its list. */
export interface HostView {
  readonly host: MonitoredHost;
  /** The files that could be read, by path. Undefined for a file that the host does not have. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
  /** The content of `statements.json`, of which nothing has been verified. Undefined if it is missing, unread or malformed. */
  readonly statements: StatementsFile | undefined;
  /** Why `statements.json` has not its form. Undefined if it has, or could not be read. */
  readonly malformed: string | undefined;
  /** Why some files could not be read: the first reason. */
  readonly problem: string | undefined;
}

/** A head of the log that a host shows, and where. Its signatures have not been verified. */
export interface ShownHead {
  /** The file, or the member of a file. */
  readonly place: string;
  readonly head: SignedHead;
}

/**
 * Reads what a host shows. The head of the log is read last: a publisher shows a head before it publishes what the head
 * contains, so whatever is published must be in a head that is read afterwards.
 *
 * @param query - makes caches ask the host again
 */
export async function readView(host: MonitoredHost, query?: string): Promise<HostView> {
  const files = new Map<string, Uint8Array | undefined>();
  const problems: string[] = [];
  const readAll = (paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path) => {
        try {
          files.set(path, await host.read(path, { query }));
        } catch (error) {
          if (!(error instanceof IoFailed)) throw error;
          problems.push(error.message);
        }
      }),
    );
  await readAll([PATHS.statements, PATHS.rootKey]);
  await readAll([PATHS.logHead]);
  return { host, files, ...parsed(files.get(PATHS.statements)), problem: problems[0] };
}

function parsed(bytes: Uint8Array | undefined): Pick<HostView, 'statements' | 'malformed'> {
  try {
    return { statements: bytes && parseStatementsFile(bytes), malformed: undefined };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { statements: undefined, malformed: error.message };
  }
}

/** Makes the finding that a host, or one of its files, could not be read. */
export function unreadable({ url }: MonitoredHost, message: string): Finding {
  return finding('host-unreadable', `could not be checked: ${message}`, { host: url });
}

/** Returns the heads that a host shows: the newest one, and the head of the proof. */
export function headsOf({ host, files, statements }: HostView): {
  readonly heads: readonly ShownHead[];
  /** Says which of them are malformed. */
  readonly findings: readonly Finding[];
} {
  const heads: ShownHead[] = [];
  const findings: Finding[] = [];
  const read = (place: string, code: 'head-not-signed' | 'proof-invalid', parse: () => SignedHead) => {
    try {
      heads.push({ place, head: parse() });
    } catch (error) {
      if (!(error instanceof GeneratorError)) throw error;
      findings.push(finding(code, `${place} ${error.message}`, { host: host.url }));
    }
  };
  const newest = files.get(PATHS.logHead);
  if (newest !== undefined) read(PATHS.logHead, 'head-not-signed', () => parseHead(newest, invalid));
  const proof = statements?.logProof;
  if (proof !== undefined) read(PROOF, 'proof-invalid', () => parseLogProof(proof, invalid).head);
  return { heads, findings };
}

const invalid = (message: string) => new TreeRejected(message);
