import type { RegistryError, RootKey } from '@passport-registry/verifier';
import {
  entryBytes,
  type Statement,
  successorIn,
  verifyStatement,
} from '@passport-registry/verifier/internal';
import type { PlacedEntry } from '../log/log-tail.js';
import { type LoggedStatement, readLogged, readUnknown } from '../log/logged-entry.js';
import { sha256 } from '../tree/checksums.js';
import { Problems } from './seen-files.js';
import type { RootHistory } from './verify-statements.js';

/** The root keys of a tree, as far as the statements in its log need them. */
export type LogRoots = Pick<RootHistory, 'keys' | 'unknown'>;

/**
 * Verifies the statements of a log, in the order of the log: the root key in force has signed each. A rotation in the log
 * replaces the root key. The published rotation may lack the step of a publication that has not been completed.
 */
export class LogSigners {
  readonly #keys: Map<string, RootKey>;
  /** The thumbprint of the first root key, if the key is unknown. */
  #unknown: string | undefined;
  /** The thumbprint of the root key in force. Undefined before the first statement. */
  #inForce: string | undefined;
  #steps = 0;

  constructor({ keys, unknown }: LogRoots) {
    this.#keys = new Map(keys.map((key) => [key.thumbprint, key]));
    this.#unknown = unknown;
  }

  /** The root keys that are known by now, oldest first. */
  get keys(): readonly RootKey[] {
    return [...this.#keys.values()];
  }

  /** The root key in force. Undefined before the first statement, or if it is not known. */
  get inForce(): RootKey | undefined {
    return this.#keys.get(this.#inForce ?? '');
  }

  /** The root keys up to the one in force, oldest first. Empty if that one is not known. */
  get #chain(): readonly RootKey[] {
    const { keys } = this;
    return keys.slice(0, keys.findIndex(({ thumbprint }) => thumbprint === this.#inForce) + 1);
  }

  /** Sets the root key that must sign the next statement, if the statements before it were not read. */
  beginWith(rootKey: RootKey | undefined): void {
    this.#inForce ??= rootKey?.thumbprint;
  }

  /**
   * Reads the next statement of a log, and verifies its signature.
   *
   * @param index - the number of entries before it
   * @throws {@link Problems}
   */
  async read(statement: Uint8Array | string, index: number): Promise<LoggedStatement> {
    const logged = await readLogged(statement, this.#steps, invalidAt(index));
    await this.#verify(logged.statement, index);
    if (logged.entry.type === 'rotation') {
      const next = await successorIn(logged.statement, this.#chain).catch((error: RegistryError) => {
        throw invalidAt(index)(`is refused: ${error.message}`);
      });
      this.#keys.set(next.thumbprint, next);
      this.#inForce = next.thumbprint;
      // Only its successor signs from now on.
      if (logged.statement.kid === this.#unknown) this.#unknown = undefined;
      this.#steps += 1;
    }
    return logged;
  }

  /**
   * Reads the next statement of a log, of a type that this version does not know, and verifies its signature.
   *
   * @returns undefined if the type is known
   * @throws {@link Problems}
   */
  async readUnknown(statement: Uint8Array | string, index: number): Promise<Statement | undefined> {
    const unknown = readUnknown(statement, invalidAt(index));
    if (unknown !== undefined) await this.#verify(unknown, index);
    return unknown;
  }

  /** Verifies that a statement is the one of an entry, and its signature. @throws {@link Problems} */
  async verify(statement: Uint8Array | string, { index, entry }: PlacedEntry): Promise<LoggedStatement> {
    if (entry.type === 'unknown') {
      const unknown = await this.readUnknown(statement, index);
      if (unknown === undefined) throw invalidAt(index)(`is not of an unknown type, but its entry is`);
      if (sha256(statement) === entry.sha256) return { statement: unknown, entry };
      throw invalidAt(index)('does not belong to its entry in the log');
    }
    const logged = await this.read(statement, index);
    if (Buffer.compare(entryBytes(logged.entry), entryBytes(entry)) === 0) return logged;
    throw invalidAt(index)('does not say what its entry in the log says');
  }

  async #verify(statement: Statement, index: number): Promise<void> {
    const { kid } = statement;
    const invalid = invalidAt(index);
    if (kid !== (this.#inForce ?? kid)) {
      throw invalid(`is signed by ${kid}, but the root key in force there is ${this.#inForce}`);
    }
    this.#inForce = kid;
    // Nobody can verify what the first root key signed before its rotation, if a tree has only its thumbprint.
    if (kid !== undefined && kid === this.#unknown) return;
    const key = this.#keys.get(kid ?? '');
    if (key === undefined) throw invalid('is not signed by the root key, an earlier or a later one');
    await verifyStatement(statement, key, { clock: undefined, invalid });
  }
}

const invalidAt = (index: number) => (message: string) =>
  new Problems([`the statement of entry ${index} of the log ${message}`]);
