import type { Issuer, TrustAnchor } from '@passport-registry/verifier';
import {
  canonicalBytes,
  formatNote,
  publicationEntry,
  rotationEntry,
  statementHash,
} from '@passport-registry/verifier/core';
import type { JWTPayload } from 'jose';
import { altered } from './altered.js';
import {
  type Files,
  issuer,
  type PublishOptions,
  publish,
  rotationStep,
  statement,
  statementClaims,
  type TestKey,
} from './publication.js';
import { sha256 } from './sha256.js';
import { STATEMENT_PATHS } from './statements.js';
import { type Cosigning, type HeadOptions, type NoteSigner, noteSigner, TestLog } from './test-log.js';
import { timeFromNow } from './times.js';

export const PROOF = STATEMENT_PATHS.log_proof;

/** What a test chooses about a publication in a log. */
interface LoggedOptions extends PublishOptions, Pick<HeadOptions, 'cosigned' | 'signer'> {
  /** Default: the records of the registry. */
  readonly issuers?: readonly Issuer[];
  /** Whether the list is kept in the log. Default: true. */
  readonly kept?: boolean;
}

/** The names of the witnesses. */
const WITNESSES = ['one.example', 'two.example', 'three.example'];

/**
 * A registry with a log and witnesses, in memory. A test can do everything to it that its operator could do, honest or
 * not. It is written as docs/protocol/log.md#log-bytes describes it.
 */
export class LoggedRegistry {
  /** Signs lists and statements. */
  root: TestKey;
  log: TestLog;
  witnesses: readonly NoteSigner[];
  /** What the next list contains. */
  readonly records = new Map([issuer('alpha'), issuer('beta')].map((one) => [one.issuer_id, one]));
  /** The newest files. */
  files: Files = new Map();
  /** The time of the newest list, in milliseconds since 1970. The next list is a minute later. */
  now = Date.parse(timeFromNow(-24 * 3600));
  /** When the witnesses cosign, in milliseconds since 1970. Undefined: at the time of the newest list. */
  cosignedAt: number | undefined;
  sequence = 0;
  /** The index of the published statement in the log. */
  index = -1;
  /** The index of the newest statement in the log, whether it is published or not. */
  #newest = -1;
  /** The files of a publication that is logged, but not yet published. */
  #next: Files | undefined;

  constructor(
    root: TestKey,
    log = new TestLog(),
    witnesses: readonly NoteSigner[] = WITNESSES.map((name) => noteSigner(name, 'witness')),
  ) {
    this.root = root;
    this.log = log;
    this.witnesses = witnesses;
  }

  /** The trust anchor of this registry, without sources. Without a quorum, it names only the log. */
  anchor(quorum?: number, witnesses = this.witnesses): TrustAnchor {
    const { jwk } = this.root.rootKey;
    const witnessed = { witnesses: witnesses.map(({ vkey }) => vkey), quorum };
    return { root: jwk, log: this.log.origin, ...(quorum !== undefined && witnessed) } as TrustAnchor;
  }

  /** The first witnesses, which cosign now, or at another time. */
  cosigning(count: number, time = this.cosignedAt ?? this.now): Cosigning[] {
    return this.witnesses.slice(0, count).map((witness) => [witness, time]);
  }

  /** Changes or adds a record. */
  change(id: string, more: Partial<Issuer> = {}): this {
    this.records.set(id, issuer(id, { ...this.records.get(id), ...more }));
    return this;
  }

  /** Logs a list, and publishes it. By default, all witnesses cosign. */
  async publish(options: LoggedOptions = {}): Promise<Files> {
    await this.prepare(options);
    return this.complete(options);
  }

  /** Logs a list, but does not replace the published files. */
  async prepare({ issuers, claims, signer, kept = true, ...options }: LoggedOptions = {}): Promise<Files> {
    const { updatedAt } = options;
    this.sequence = options.sequence ?? this.sequence + 1;
    this.now = updatedAt === undefined ? this.now + 60_000 : Date.parse(updatedAt);
    const { vkey } = signer ?? this.log.signer;
    const previous = this.files.get(`log/statements/${this.#newest}.jwt`);
    const files = publish(this.root, issuers ?? [...this.records.values()], {
      updatedAt: new Date(this.now).toISOString().replace(/\.\d+Z/, 'Z'),
      ...options,
      sequence: this.sequence,
      claims: {
        log: { origin: this.log.origin, vkey },
        ...(previous !== undefined && { previous: [statementHash(String(previous))] }),
        ...claims,
      },
    });
    const list = files.get('issuers.json') as Buffer;
    if (kept) this.files = altered(this.files, `lists/${sha256(list)}.json`, list);
    else files.delete(`lists/${sha256(list)}.json`);
    this.#next = files;
    this.#newest = await this.append(entryOf(files), String(files.get('publication.jwt')), { signer });
    return this.files;
  }

  /** Publishes what is prepared, if anything is, and proves the newest publication. */
  async complete({ cosigned, signer }: Pick<LoggedOptions, 'cosigned' | 'signer'> = {}): Promise<Files> {
    if (this.#next !== undefined) {
      this.files = new Map([...this.files, ...this.#next]);
      this.index = this.#newest;
      this.#next = undefined;
    }
    return this.prove({ ...(cosigned && { cosigned }), ...(signer && { signer }) });
  }

  /** Proves the published statement in the newest head, which is cosigned anew. */
  async prove(options: HeadOptions = {}): Promise<Files> {
    await this.seal(options);
    const proof = Buffer.from(await this.log.proof(this.index, this.#headOptions(options)));
    this.files = altered(this.files, PROOF, proof);
    return this.files;
  }

  /** Writes the tiles, the bundles and the head of the log. */
  async seal(options: HeadOptions = {}): Promise<void> {
    const head = await this.log.head(this.#headOptions(options));
    const signed = ['log/checkpoint', Buffer.from(formatNote(head.note))] as const;
    this.files = new Map([...this.files, ...this.log.files, signed]);
  }

  #headOptions(options: HeadOptions): HeadOptions {
    return { cosigned: this.cosigning(this.witnesses.length), ...options };
  }

  /** Logs any entry, with its statement, and signs the new head. Returns the index of the entry. */
  async append(entry: object, jwt?: string, { signer }: { readonly signer?: NoteSigner | undefined } = {}) {
    const index = this.log.append(canonicalBytes(entry));
    if (jwt !== undefined) this.files = altered(this.files, `log/statements/${index}.jwt`, jwt);
    await this.seal(signer && { signer });
    return index;
  }

  /** Logs a statement of an unknown type that nobody has signed, and proves the published statement in the new head. */
  async logNote(options: HeadOptions = {}): Promise<Files> {
    this.log.append(canonicalBytes(noteEntry(`note ${this.log.size}`)));
    return this.prove(options);
  }

  /** Logs a statement of a type that this version does not know. */
  async note(): Promise<void> {
    const claims = { iat: Math.floor(this.now / 1000), size: this.log.size };
    const jwt = await statement(this.root, 'registry-note+jwt', claims);
    await this.append(noteEntry(jwt), jwt);
  }

  /** Replaces the root key. @param more - what the step says besides */
  async rotate(next: TestKey, more: JWTPayload = {}): Promise<void> {
    const steps: string[] = JSON.parse(this.files.get('keys/rotation.json')?.toString() ?? '[]');
    const jwt = await rotationStep(this.root, next, { iat: Math.floor(this.now / 1000), ...more });
    this.files = altered(this.files, 'keys/rotation.json', JSON.stringify([...steps, jwt]));
    await this.append(rotationEntry(jwt, next.rootKey.thumbprint, steps.length + 1), jwt);
    this.root = next;
  }

  /**
   * Copies the registry, or what it was when its log had fewer entries. The copy has the same keys, and can go on
   * differently, as whoever holds the keys could.
   */
  fork(size?: number, root = this.root): LoggedRegistry {
    const copy = new LoggedRegistry(root, this.log.fork(size), this.witnesses);
    const { files, now, cosignedAt, sequence, index } = this;
    Object.assign(copy, { files: new Map(files), now, cosignedAt, sequence, index });
    copy.#newest = this.#newest;
    copy.#next = this.#next;
    copy.records.clear();
    for (const [id, record] of this.records) copy.records.set(id, record);
    return copy;
  }
}

/** The entry of a statement of a type that this version does not know. */
export function noteEntry(jwt: string): object {
  return { sha256: statementHash(jwt), type: 'note' };
}

/** The claims of a statement that its entry in the log repeats. */
interface StatedList {
  readonly sequence: number;
  readonly sha256: string;
  readonly updated_at: string;
}

/** Returns the entry of the publication statement. */
export function entryOf(files: Files): object {
  const stated = statementClaims(files) as unknown as StatedList;
  const text = String(files.get('publication.jwt'));
  return publicationEntry({ ...stated, updatedAt: stated.updated_at, hash: statementHash(text) });
}
