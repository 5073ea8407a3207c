import { isObject } from '../bytes/checks.js';
import { encodeBase64 } from '../bytes/encodings.js';
import type { NoteKey } from '../keys/note-key.js';
import { entryBytes } from '../log/log-entry.js';
import type { SignedHead } from '../log/log-head.js';
import { parseLogProof, provesEntry } from '../log/tlog-proof.js';
import { readStatement } from '../statements/statement.js';
import { signerAmong } from './log-keys.js';
import type { IndexedEntry } from './log-state.js';
import { invalidLogFile, LogFileInvalid } from './log-statement.js';
import type { LogTree } from './log-tree.js';

/** An entry of a publication. */
export interface ProvenEntry extends IndexedEntry {
  /** Reads the statement of the entry, which names the key of the log. */
  readonly read: () => Promise<Uint8Array | string | undefined>;
}

/**
 * Verifies the proofs that a log keeps of its publications. The statement of an entry is read once for its two proofs. Proofs
 * with the same head share its signature, which is verified once.
 */
export class KeptProofs {
  readonly #log: LogTree;
  /** Whether the key of the log has signed a head, by the key, the text of the head, and the signatures with that key. */
  readonly #signed = new Map<string, Promise<boolean>>();
  /** The keys of the log that publications name, by the index of their entry. */
  readonly #vkeys = new Map<number, Promise<string>>();
  readonly #parsed = new Map<string, NoteKey>();

  constructor(log: LogTree) {
    this.#log = log;
  }

  /**
   * Returns why a proof does not show that the log contains a publication: the key that the publication names has signed its
   * head, which is an earlier head of the log, or its newest one (rule log-kept).
   *
   * @returns a predicate. Undefined if nothing is wrong
   */
  async faultOf(proof: Uint8Array, { index, entry, read }: ProvenEntry): Promise<string | undefined> {
    try {
      const named = this.#vkeys.get(index) ?? read().then(vkeyNamedIn);
      this.#vkeys.set(index, named);
      const vkey = await named;
      const parsed = parseLogProof(proof, invalidLogFile);
      const { head } = parsed;
      if (!(await this.#isSigned(head, vkey))) return 'has a head that is not signed by the key of the log';
      if (parsed.index !== index || !provesEntry(parsed, entryBytes(entry)))
        return `does not prove that the log contains its publication statement at ${index}`;
      if (head.size > this.#log.size) return 'is for a larger log than log/checkpoint';
      return (await this.#log.contains(head))
        ? undefined
        : 'has a head that is not an earlier head of this log';
    } catch (error) {
      if (error instanceof LogFileInvalid) return error.message;
      throw error;
    }
  }

  #isSigned(head: SignedHead, vkey: string): Promise<boolean> {
    const { text, signatures } = head.note;
    const own = signatures.filter(({ name, keyId }) => vkey.startsWith(`${name}+${keyId}+`));
    const id = [vkey, text, ...own.map(({ signature }) => encodeBase64(signature))].join('\n');
    const signed =
      this.#signed.get(id) ?? signerAmong(head, [vkey], this.#parsed).then((key) => key !== undefined);
    this.#signed.set(id, signed);
    return signed;
  }
}

/** Returns the key of the log that a publication statement names, whose entry is in the log. */
function vkeyNamedIn(statement: Uint8Array | string | undefined): string {
  if (statement === undefined) throw invalidLogFile('is of a publication whose statement is missing');
  const { log } = readStatement(statement, 'registry-publication+jwt', invalidLogFile).claims;
  if (isObject(log) && typeof log['vkey'] === 'string') return log['vkey'];
  throw invalidLogFile('is of a publication that names no log');
}
