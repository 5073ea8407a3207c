import { parseHead, parseLogProof, type SignedHead } from '@passport-registry/verifier/core';
import { GeneratorError, IoFailed, TreeRejected } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type Finding, finding } from './finding.js';
import type { MonitoredHost } from './monitored-host.js';

/** The small files that a host publishes. All of them must be in the log, or lead to something in the log. */
const PUBLISHED = [PATHS.publication, PATHS.rotation, PATHS.rootKey, PATHS.checkpoint] as const;

/** What a host shows in one round, apart from its list. */
export interface HostView {
  readonly host: MonitoredHost;
  /** The files that could be read, by path. Undefined for a file that the host does not have. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
  /** Why some files could not be read: the first reason. */
  readonly problem: string | undefined;
}

/** A head of the log that a host shows, and where. Its signatures have not been verified. */
export interface ShownHead {
  readonly path: string;
  readonly head: SignedHead;
}

/**
 * Reads what a host shows. The heads of the log are read last: a publisher shows a head before it publishes what the head
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
  await readAll(PUBLISHED);
  await readAll([PATHS.logHead, PATHS.logProof]);
  return { host, files, problem: problems[0] };
}

/** Makes the finding that a host, or one of its files, could not be read. */
export function unreadable({ url }: MonitoredHost, message: string): Finding {
  return finding('host-unreadable', `could not be checked: ${message}`, { host: url });
}

/** Returns the heads that a host shows: the newest one, and that of the proof. */
export function headsOf({ host, files }: HostView): {
  readonly heads: readonly ShownHead[];
  /** Which of them are none. */
  readonly findings: readonly Finding[];
} {
  const heads: ShownHead[] = [];
  const findings: Finding[] = [];
  for (const [path, bytes] of files) {
    const isHead = path === PATHS.logHead || path === PATHS.logProof;
    if (!isHead || bytes === undefined) continue;
    try {
      const head = path === PATHS.logProof ? parseLogProof(bytes, invalid).head : parseHead(bytes, invalid);
      heads.push({ path, head });
    } catch (error) {
      if (!(error instanceof GeneratorError)) throw error;
      const code = path === PATHS.logProof ? 'proof-invalid' : 'head-not-signed';
      findings.push(finding(code, `${path} ${error.message}`, { host: host.url }));
    }
  }
  return { heads, findings };
}

const invalid = (message: string) => new TreeRejected(message);
