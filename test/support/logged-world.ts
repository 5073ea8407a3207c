import type { Issuer } from '@passport-registry/verifier';
import { formatLogProof, parseHead } from '@passport-registry/verifier/internal';
import type { JWTPayload } from 'jose';
import { naiveLeaf, naivePath, naiveRoot } from './merkle.js';
import { cosignatureBy, invalid, type NoteSigner, noteSigner, signedHead } from './note-keys.js';
import { type Files, issuer, sha256, statement, type TestKey, testKey } from './publication.js';
import { claimsAbout, publicationJwt, publishSummed } from './summed-registry.js';
import { placeOf, tilesOf } from './tiles.js';

export const ORIGIN = 'registry.example/log';

/** An entry of a log, in the order of RFC 8785. */
export type Entry = Readonly<Record<string, string | number>>;

/** A registry whose log a test writes entry by entry, as it should be or not. All of it is in memory. */
export class LoggedWorld {
  root: TestKey;
  log: NoteSigner;
  /** Who cosigns, and when: seconds since 1970. Default: now. */
  witnesses: readonly NoteSigner[] = [];
  cosignedAt: number | undefined;
  readonly records: Map<string, Issuer>;
  readonly entries: Entry[];
  readonly statements: string[];
  /** The files of the registry. */
  files: Files;
  /** The time of the next list, in milliseconds since 1970. */
  clock: number;
  sequence = 0;

  constructor(root: TestKey, log: NoteSigner, from?: LoggedWorld) {
    this.root = root;
    this.log = log;
    this.records = new Map(from?.records);
    this.entries = [...(from?.entries ?? [])];
    this.statements = [...(from?.statements ?? [])];
    this.files = new Map(from?.files);
    this.clock = from?.clock ?? Date.now() - 24 * 3_600_000;
    this.sequence = from?.sequence ?? 0;
    this.witnesses = from?.witnesses ?? [];
  }

  /** Returns the same registry, which can go on in another way. */
  fork(): LoggedWorld {
    return new LoggedWorld(this.root, this.log, this);
  }

  /** Changes or adds a record. */
  change(id: string, more: Partial<Issuer> = {}): this {
    this.records.set(id, issuer(id, { ...this.records.get(id), ...more }));
    return this;
  }

  /** Publishes the records: a list, its statement, its entry, and the new head. */
  async publish(claims: JWTPayload = {}): Promise<Files> {
    await this.prepare(claims);
    return this.complete();
  }

  #next: Files = new Map();

  /** Adds a publication to the log, but does not replace the published files. */
  async prepare(claims: JWTPayload = {}): Promise<Files> {
    this.sequence += 1;
    this.clock += 60_000;
    const updatedAt = new Date(this.clock).toISOString().replace(/\.\d+Z/, 'Z');
    const files = await publishSummed(this.root, [...this.records.values()], { updatedAt, levels: 0 });
    const list = files.get('issuers.json') as Buffer;
    const previous = this.entries.findLastIndex(({ type }) => type === 'publication');
    const all = {
      ...claimsAbout(files),
      sequence: this.sequence,
      log: { origin: this.log.key.name, vkey: this.log.vkey },
      ...(previous !== -1 && { previous: sha256(Buffer.from(this.statements[previous] ?? '')) }),
      ...claims,
    };
    const jwt = await publicationJwt(files, this.root, all);
    this.#next = files.set('publication.jwt', Buffer.from(jwt));
    this.files.set(`log/lists/${sha256(list)}.json`, list);
    this.append(publicationEntry(jwt), jwt);
    return this.files;
  }

  /** Replaces the published files. */
  complete(): Files {
    for (const [path, bytes] of this.#next) this.files.set(path, bytes);
    this.files.set('log/publication.tlog-proof', Buffer.from(this.proof()));
    return this.files;
  }

  /** Adds an entry with its statement, and signs the new head. */
  append(entry: Entry, jwt: string): void {
    this.files.set(`log/statements/${this.entries.length}.jwt`, Buffer.from(jwt));
    this.entries.push(entry);
    this.statements.push(jwt);
    this.seal();
  }

  /** Writes the tiles, the bundles and the head of the log. */
  seal(): void {
    for (const [path, bytes] of tilesOf(this.leaves)) this.files.set(`log/${path}`, Buffer.from(bytes));
    for (let index = 0; index * 256 < this.entries.length; index++) {
      const some = this.entries.slice(index * 256, (index + 1) * 256).map(bytesOf);
      const parts = some.flatMap((bytes) => [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
      this.files.set(`log/tile/entries/${placeOf(index, some.length)}`, Buffer.concat(parts));
    }
    this.files.set('log/checkpoint', Buffer.from(this.head()));
  }

  get leaves(): Uint8Array[] {
    return this.entries.map((entry) => naiveLeaf(bytesOf(entry)));
  }

  /** Signs the head, and cosigns it. */
  head(): string {
    const { leaves, log, cosignedAt = Math.floor(Date.now() / 1000) } = this;
    return signedHead(log, { size: leaves.length, root: naiveRoot(leaves) }, (text) =>
      this.witnesses.map((witness) => cosignatureBy(witness, text, cosignedAt)),
    );
  }

  /** Returns the proof of the newest publication in the newest head. */
  proof(): string {
    const index = this.entries.findLastIndex(({ type }) => type === 'publication');
    const head = parseHead(this.head(), invalid);
    return formatLogProof({ index, path: naivePath(index, this.leaves), head });
  }

  /** Delegates to a key. */
  async delegate(online: TestKey, iat = Math.floor(this.clock / 1000)): Promise<void> {
    const exp = iat + 90 * 24 * 3600;
    const jwt = await statement(this.root, 'registry-delegation+jwt', {
      iat,
      exp,
      keys: [online.rootKey.jwk],
    });
    this.files.set('keys/delegation.jwt', Buffer.from(jwt));
    this.append({ iat, sha256: sha256(Buffer.from(jwt)), type: 'delegation' }, jwt);
  }

  /** Replaces the root key. */
  async rotate(next: TestKey, step = this.entries.filter(({ type }) => type === 'rotation').length + 1) {
    const iat = Math.floor(this.clock / 1000);
    const jwt = await statement(this.root, 'registry-root-rotation+jwt', {
      iat,
      next_root: next.rootKey.jwk,
    });
    const steps = JSON.parse(this.files.get('keys/rotation.json')?.toString() ?? '[]');
    this.files.set('keys/rotation.json', Buffer.from(JSON.stringify([...steps, jwt])));
    this.append(
      { next: next.rootKey.thumbprint, sha256: sha256(Buffer.from(jwt)), step, type: 'rotation' },
      jwt,
    );
    this.root = next;
  }
}

/** Returns the entry of a publication statement. */
export function publicationEntry(jwt: string): Entry {
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  const { sha256: list, sequence, updated_at } = claims;
  return { list, sequence, sha256: sha256(Buffer.from(jwt)), type: 'publication', updated_at };
}

const bytesOf = (entry: Entry) => Buffer.from(JSON.stringify(entry));

/** Creates a registry with two issuers, and publishes it. @param hoursAgo - the time of its first list */
export async function loggedWorld(
  witnesses: readonly NoteSigner[] = [],
  hoursAgo = 24,
): Promise<LoggedWorld> {
  const world = new LoggedWorld(await testKey(), noteSigner(ORIGIN, 'log'));
  world.witnesses = witnesses;
  world.clock = Date.now() - hoursAgo * 3_600_000;
  world.change('alpha').change('beta');
  await world.publish();
  return world;
}
