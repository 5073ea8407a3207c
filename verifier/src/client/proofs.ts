import { LruMap } from '../core/bytes/lru-map.js';
import { NoUsableSource, RegistryError } from '../core/errors.js';
import type { Issuer } from '../core/generated/schemas.js';
import { readHashedFile } from '../core/publication/registry-files.js';
import type { AcceptedStatements } from '../core/publication/statements.js';
import { type HashedFiles, readProvenRecord } from '../core/sums/proof.js';
import { askAgain } from '../http/ask-again.js';
import { type AskedQuestion, type Asking, askSources } from './ask-sources.js';
import type { HttpSource } from './http-files.js';
import type { RefreshingRegistry } from './refreshing-registry.js';
import { SharedRequests } from './shared-requests.js';

/** The maximum number of verified files that a client keeps: sums files and records. */
const MAX_VERIFIED_FILES = 512;

/** Codes of errors that old statements cause: a newer publication has replaced the files of the proof. */
const CAUSED_BY_OLD_STATEMENTS: readonly string[] = ['ERR_SUMS_MISMATCH', 'ERR_SOURCE_STATUS'];

/** Files that had the right hash, by path, from any source: the newest version of each, in parsed form. */
type VerifiedFiles = LruMap<string, { readonly sha256: string; readonly content: unknown }>;

/** What is proven about an issuer. */
export interface ProvenRecord {
  /** Undefined if the list has no such issuer. */
  readonly issuer: Issuer | undefined;
  /** The statements that the proof belongs to. A refresh may have replaced them since. */
  readonly statements: AcceptedStatements;
}

/** Proves records under the newest statements of a registry. Any source can deliver a proof: the hashes bind the files. */
export class Proofs {
  readonly #client: RefreshingRegistry<AcceptedStatements>;
  readonly #requests = new Map<HttpSource, SharedRequests>();
  readonly #questions = new Set<AskedQuestion<unknown>>();
  #verified: VerifiedFiles = new LruMap(MAX_VERIFIED_FILES);
  #levels: number | undefined;

  constructor(client: RefreshingRegistry<AcceptedStatements>) {
    this.#client = client;
  }

  /** Proves the record of an issuer, or its absence. */
  async prove(issuerId: string): Promise<ProvenRecord> {
    await this.#client.upToDate();
    const statements = this.#client.current();
    try {
      return await this.#proveUnder(statements, issuerId);
    } catch (error) {
      if (!isCausedByOldStatements(error)) throw error;
      // A publication may just have happened, and caches may hold some of its files.
      for (const source of this.#requests.keys()) source.forget();
      await this.#client.refresh().catch(() => undefined);
      const newest = this.#client.current();
      if (newest.publication.hash === statements.publication.hash) throw error;
      return await this.#proveUnder(newest, issuerId);
    }
  }

  /** Stops all requests. */
  close(): void {
    for (const question of this.#questions) question.stop();
  }

  async #proveUnder(statements: AcceptedStatements, issuerId: string): Promise<ProvenRecord> {
    this.#client.assertOpen();
    const { publication } = statements;
    const verified = this.#verifiedWith(publication.levels);
    const question = askSources(this.#client, (source, asking) =>
      readProvenRecord(issuerId, publication, proofFiles(this.#requestsTo(source), verified, asking)),
    );
    this.#questions.add(question);
    const issuer = await question.answer.finally(() => {
      this.#questions.delete(question);
      this.#client.assertOpen();
    });
    return { issuer, statements };
  }

  /** Returns the verified files. A file that was valid with another number of levels must be parsed again. */
  #verifiedWith(levels: number): VerifiedFiles {
    if (this.#levels !== levels) this.#verified = new LruMap(MAX_VERIFIED_FILES);
    this.#levels = levels;
    return this.#verified;
  }

  #requestsTo(source: HttpSource): SharedRequests {
    const requests = this.#requests.get(source) ?? new SharedRequests(source, this.#client.deadline);
    this.#requests.set(source, requests);
    return requests;
  }
}

function isCausedByOldStatements(error: unknown): boolean {
  if (!(error instanceof NoUsableSource)) return false;
  return Object.values(error.errors).some(({ code }) => CAUSED_BY_OLD_STATEMENTS.includes(code));
}

/** Returns the files of a proof, from one source. */
function proofFiles(
  requests: SharedRequests,
  verified: VerifiedFiles,
  { signal, onRetry }: Asking,
): HashedFiles {
  const requested = new Map<string, Promise<Uint8Array | undefined>>();
  return {
    // Of the files of which a version is known, only changed ones are requested, by `read`.
    request: (paths) => {
      for (const path of paths) {
        if (verified.get(path) !== undefined) continue;
        const bytes = requests.get(path, signal);
        // If the file is needed, `read` throws the error.
        bytes.catch(() => undefined);
        requested.set(path, bytes);
      }
    },
    read: async <T>(path: string, sha256: string, parse: (bytes: Uint8Array) => T) => {
      const known = verified.get(path);
      if (known?.sha256 === sha256) return known.content as T;
      const get = (asked: string) => {
        if (asked !== path)
          onRetry(new RegistryError('ERR_SUMS_MISMATCH', `${path} does not have the SHA-256 ${sha256}`));
        return requested.get(asked) ?? requests.get(asked, signal);
      };
      const content = parse(await readHashedFile(askAgain({ get }), path, sha256));
      verified.set(path, { sha256, content });
      return content;
    },
  };
}
