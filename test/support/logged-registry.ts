import type { Issuer, TrustAnchor } from '@passport-registry/verifier';
import {
  delegationEntry,
  entryBytes,
  formatNote,
  publicationEntry,
} from '@passport-registry/verifier/internal';
import { at, type Files, issuer, type TestKey } from './publication.js';
import { publishSummed, type SummedOptions, statementClaims } from './summed-registry.js';
import { type Cosigning, type HeadOptions, type NoteSigner, noteSigner, TestLog } from './test-log.js';

/** The path of the proof that the newest publication is logged. */
export const PROOF = 'log/publication.tlog-proof';

/** What a test chooses about a publication in a log. */
export interface LoggedOptions extends SummedOptions, Pick<HeadOptions, 'cosigned' | 'signer'> {
  /** Default: one issuer, whose id has the sequence of the publication. */
  readonly issuers?: readonly Issuer[];
}

/** The claims of a statement that its entry in the log repeats. */
interface StatedList {
  readonly sequence: number;
  readonly sha256: string;
  readonly updated_at: string;
}

/** The names of the witnesses. */
const WITNESSES = ['one.example', 'two.example', 'three.example'];

/**
 * A registry with a log and three witnesses. Each publication returns all files of the tree that clients read, and leaves
 * the files of earlier publications as they are.
 */
export class LoggedRegistry {
  /** Signs lists and statements. After a rotation, a test replaces it. */
  root: TestKey;
  log: TestLog;
  readonly witnesses: readonly NoteSigner[];
  /** The newest files. */
  files: Files = new Map();
  /** The time of the publisher and the witnesses, in milliseconds since 1970. Each publication is a minute later. */
  now = Date.parse(at(-24 * 3600));
  sequence = 0;
  /** The index of the newest publication in the log. */
  index = -1;

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
  cosigning(count: number, time = this.now): Cosigning[] {
    return this.witnesses.slice(0, count).map((witness) => [witness, time]);
  }

  /** Publishes, and logs what is published. By default, all witnesses cosign. */
  async publish({ issuers, claims, cosigned, signer, ...options }: LoggedOptions = {}): Promise<Files> {
    this.sequence += 1;
    this.now += 60_000;
    const { origin, signer: own } = this.log;
    const published = await publishSummed(this.root, issuers ?? [issuer(`at-${this.sequence}`)], {
      updatedAt: new Date(this.now).toISOString().replace('.000', ''),
      sequence: this.sequence,
      claims: { log: { origin, vkey: (signer ?? own).vkey }, ...claims },
      ...options,
    });
    this.files = published;
    const text = String(published.get('publication.jwt'));
    const stated = statementClaims(published) as unknown as StatedList;
    this.index = this.log.append(
      entryBytes(publicationEntry({ ...stated, updatedAt: stated.updated_at, text })),
    );
    published.set(`log/statements/${this.index}.jwt`, Buffer.from(text));
    published.set(`log/lists/${stated.sha256}.json`, published.get('issuers.json') as Buffer);
    return this.prove({
      cosigned: cosigned ?? this.cosigning(this.witnesses.length),
      ...(signer && { signer }),
    });
  }

  /** Logs a delegation. Nothing else changes. */
  async logDelegation(options: HeadOptions = {}): Promise<Files> {
    const jwt = `delegation ${this.log.size}`;
    this.log.append(entryBytes(delegationEntry(jwt, this.now)));
    return this.prove({ cosigned: this.cosigning(this.witnesses.length), ...options });
  }

  /** Replaces the proof of the newest publication, and the head of the log. */
  async prove(options: HeadOptions = {}): Promise<Files> {
    const [proof, head] = [await this.log.proof(this.index, options), await this.log.head(options)];
    this.files = new Map([
      ...this.files,
      ...this.log.files,
      ['log/checkpoint', Buffer.from(formatNote(head.note))],
      [PROOF, Buffer.from(proof)],
    ]);
    return this.files;
  }

  /**
   * Copies the registry, or what it was when its log had fewer entries. The copy has the same keys, and can go on
   * differently, as whoever holds the keys could.
   */
  fork(size?: number, root = this.root): LoggedRegistry {
    const copy = new LoggedRegistry(root, this.log.fork(size), this.witnesses);
    Object.assign(copy, { files: this.files, now: this.now, sequence: this.sequence, index: this.index });
    return copy;
  }
}

/** Returns files with one file replaced, or removed. */
export function altered(files: Files, path: string, content: string | Uint8Array | undefined): Files {
  const copy = new Map(files);
  if (content === undefined) copy.delete(path);
  else copy.set(path, Buffer.from(content));
  return copy;
}
