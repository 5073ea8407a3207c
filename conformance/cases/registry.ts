import { base64url, jcs, sha256Hex, timeText, utf8 } from './encoding.js';
import { bytesIn, checksumsOf, type Files } from './files.js';
import { jwt, type Members } from './jwt.js';
import { type Key, key } from './keys.js';
import { Log } from './log.js';
import type { NoteSigner } from './note.js';
import { STATEMENTS, statementHash } from './statements.js';
import { sumsFiles } from './sums.js';

/** When the registries of all cases begin: 2026-11-21T08:00:00Z, in seconds since 1970. */
export const BEGIN = 1_795_248_000;
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
/** For how long a checkpoint is valid. */
export const CHECKPOINT_SECONDS = 6 * 60 * MINUTE;
/** How many lists a registry without a log keeps. */
const LISTS = 3;
/** How many publications `previous` names. */
const PREVIOUS = 16;

/** How a registry is set up. */
interface Setup {
  readonly root?: string;
  /** Who signs checkpoints: an online key, or the root key. Default: the root key. */
  readonly checkpoints?: 'online' | 'root' | undefined;
  readonly mayHold?: boolean;
  readonly hasLog?: boolean;
  readonly witnesses?: readonly string[];
  readonly levels?: number;
}

/** What a publication says that is not the usual. */
export interface Publication {
  /** The time of the list, in seconds since 1970. Default: a minute after the list before. */
  readonly at?: number;
  readonly sequence?: number;
  /** The bytes of records, where they are not the canonical ones. */
  readonly records?: ReadonlyMap<string, Uint8Array>;
  /** Claims of the publication statement. An undefined one is left out. */
  readonly claims?: Members;
  /** Claims of the checkpoint. */
  readonly checkpoint?: Members;
}

/** How the witnesses of a log cosign. What is absent stays as it is. */
interface Cosigning {
  readonly by?: number | undefined;
  readonly at?: number | undefined;
}

/** Creates a valid record. */
export function record(id: string, more: Members = {}): Members {
  return {
    ...{ issuer_id: id, tier: 'certified', status: 'active', certified_since: '2026-01-01T00:00:00Z' },
    ...{ jwks_uri: `https://${id}.example/jwks.json`, discovery_uri: `https://${id}.example/metadata` },
    ...more,
  };
}

/**
 * A registry in memory, published as docs/protocol.md says. A case can do everything to it that its operator could do,
 * honest or not.
 */
export class Registry {
  readonly setup: Setup;
  /** The newest tree. */
  files: Files = new Map();
  root: Key;
  readonly chain: Key[];
  readonly records = new Map<string, Members>();
  /** The online key of the next publications and checkpoints. */
  online = key('online');
  log: Log | undefined;
  /** The time of the newest list, in seconds since 1970. */
  now = BEGIN;
  sequence = 0;
  hold: readonly string[] = [];
  /** The newest publication. */
  publication = '';
  /** The newest checkpoint. */
  checkpoint = '';
  /** The steps of the rotation. */
  steps: string[] = [];
  /** The hashes of all publications, newest first. */
  #previous: string[] = [];
  /** The hashes of the lists that are kept, oldest first. */
  #lists: string[] = [];

  constructor(setup: Setup = {}) {
    this.setup = setup;
    this.root = key(setup.root ?? 'root');
    this.chain = [this.root];
    for (const id of ['alpha', 'beta', 'gamma']) this.records.set(id, record(id));
    if (setup.hasLog) this.log = new Log(witnessesOf(setup));
  }

  /** Copies the registry as it is. The copy has the same keys, and can go on differently. */
  copy(): Registry {
    const copy = new Registry(this.setup);
    copy.files = new Map(this.files);
    copy.root = this.root;
    copy.chain.splice(0, 1, ...this.chain);
    copy.records.clear();
    for (const [id, one] of this.records) copy.records.set(id, one);
    copy.log = this.log?.copy();
    copy.now = this.now;
    copy.sequence = this.sequence;
    copy.hold = this.hold;
    copy.publication = this.publication;
    copy.checkpoint = this.checkpoint;
    copy.online = this.online;
    copy.steps = [...this.steps];
    copy.#previous = [...this.#previous];
    copy.#lists = [...this.#lists];
    return copy;
  }

  /** Changes or adds a record of the next list. */
  change(id: string, more: Members = {}): this {
    this.records.set(id, record(id, { ...this.records.get(id), ...more }));
    return this;
  }

  /** Publishes the records. */
  publish(publication: Publication = {}): this {
    this.now = publication.at ?? this.now + MINUTE;
    const issuers = [...this.records.keys()].sort().map((id) => this.records.get(id));
    const list = utf8(jcs({ issuers, updated_at: timeText(this.now) }));
    const hash = sha256Hex(list);
    const files = new Map([...this.files].filter(([path]) => !/^(issuers|sums)\//.test(path)));
    for (const [id, one] of this.records)
      files.set(`issuers/${id}`, publication.records?.get(id) ?? utf8(jcs(one)));
    files.set('issuers.json', list);
    files.set('issuers.sig', utf8(base64url(this.root.sign(list))));
    files.set('keys/root.json', utf8(jcs({ ...this.root.jwk, kid: this.root.thumbprint })));
    this.publication = this.#statement(files, list, publication);
    this.files = files;
    this.#keepList(hash, list);
    this.log?.addPublication(this.publication, this.files);
    return this.seal(publication.checkpoint);
  }

  /** Writes the log, SHA256SUMS and the statements. @param claims - of the checkpoint */
  seal(claims: Members = {}): this {
    this.log?.write(this.files, this.now + 1);
    this.files.set('SHA256SUMS', utf8(checksumsOf(this.files)));
    this.checkpoint = this.#checkpoint(claims);
    return this.state();
  }

  /** Writes the statements. @param more - members that are not the usual; an undefined one is left out */
  state(more: Members = {}): this {
    const { publication, checkpoint, steps, log } = this;
    const usual = {
      ...{ publication, checkpoint },
      ...(steps.length > 0 && { rotation: steps }),
      ...(log && { log_proof: log.proof(this.now + 1) }),
    };
    this.files.set(STATEMENTS, utf8(jcs({ ...usual, ...more })));
    return this;
  }

  /** Signs a checkpoint for the tree as it is. */
  #checkpoint(claims: Members): string {
    const iat = this.now + 10;
    return jwt(
      this.checkpointKey,
      { typ: 'registry-checkpoint+jwt' },
      {
        ...{ iat, exp: iat + CHECKPOINT_SECONDS, publication: statementHash(this.publication) },
        tree_sha256: sha256Hex(bytesIn(this.files, 'SHA256SUMS')),
        ...(this.hold.length > 0 && { hold: this.hold }),
        ...claims,
      },
    );
  }

  /** Who signs the checkpoints. */
  get checkpointKey(): Key {
    return this.setup.checkpoints === 'online' ? this.online : this.root;
  }

  /**
   * Chooses what the next heads of the log have, if there is one.
   *
   * @param by - how many witnesses cosign
   * @param at - when they do, in seconds since 1970
   */
  cosign({ by = this.log?.cosigning, at = this.log?.cosignedAt }: Cosigning): this {
    if (this.log) Object.assign(this.log, { cosigning: by, cosignedAt: at });
    return this;
  }

  /** The claim `online` of the next publication. @param more - what is not the usual */
  onlineClaim(more: Members = {}): Members {
    const hold = this.setup.mayHold === true;
    return { keys: [this.online.jwk], exp: this.now + 90 * DAY, hold, ...more };
  }

  /** Publishes the same list again, under other online keys. */
  permit(online: Members): this {
    return this.publish({ at: this.now, claims: { online: this.onlineClaim(online) } });
  }

  /** Logs a statement of a type that this version does not know. */
  note(signer: Key = this.root): this {
    const header = { typ: 'registry-note+jwt', kid: this.root.thumbprint };
    const text = jwt(signer, header, { iat: this.now, size: this.log?.entries.length });
    this.log?.add(jcs({ sha256: statementHash(text), type: 'note' }), text, this.files);
    return this;
  }

  /** Replaces the root key, and publishes under the new one. @param committed - names of keys to which the new one is committed */
  rotate(next: string, committed?: readonly string[], claims: Members = {}): this {
    const to = key(next);
    const step = jwt(
      this.root,
      { typ: 'registry-root-rotation+jwt' },
      {
        ...{ iat: this.now, next_root: to.jwk, step: this.steps.length + 1 },
        ...(committed && { next_roots: committed.map((name) => key(name).thumbprint) }),
        ...claims,
      },
    );
    this.steps.push(step);
    this.log?.addRotation(step, this.files);
    this.root = to;
    this.chain.push(to);
    return this.publish();
  }

  #statement(files: Files, list: Uint8Array, { sequence, claims }: Publication): string {
    this.sequence = sequence ?? this.sequence + 1;
    const { levels = 0 } = this.setup;
    const hashes = [...files].filter(([path]) => path.startsWith('issuers/'));
    const sums = sumsFiles(
      new Map(hashes.map(([path, bytes]) => [path.slice('issuers/'.length), sha256Hex(bytes)])),
      levels,
    );
    for (const [path, bytes] of sums) files.set(path, bytes);
    const text = jwt(
      this.root,
      { typ: 'registry-publication+jwt' },
      {
        ...{ iat: this.now, sequence: this.sequence, updated_at: timeText(this.now) },
        ...{ sha256: sha256Hex(list), size: list.length, issuers: this.records.size },
        ...{ sums_sha256: sha256Hex(bytesIn(sums, 'sums/root')), levels },
        ...(this.#previous.length > 0 && { previous: this.#previous.slice(0, PREVIOUS) }),
        ...(this.log && { log: this.log.claim }),
        ...(this.setup.checkpoints === 'online' && { online: this.onlineClaim() }),
        ...claims,
      },
    );
    this.#previous = [statementHash(text), ...this.#previous];
    return text;
  }

  /** With a log, every list is kept. */
  #keepList(hash: string, list: Uint8Array): void {
    const lists = [...this.#lists.filter((one) => one !== hash), hash];
    this.#lists = this.log === undefined ? lists.slice(-LISTS) : lists;
    this.files.set(`lists/${hash}.json`, list);
    const kept = this.#lists.map((one) => `lists/${one}.json`);
    for (const path of [...this.files.keys()])
      if (path.startsWith('lists/') && !kept.includes(path)) this.files.delete(path);
  }
}

/** Shows the log with the next publication beside the files before it, as a host does while its tree is switched. */
export function logAhead(registry: Registry): Registry {
  const next = registry.copy().change('beta', { tier: 'founding' }).publish();
  const isNewer = (path: string) => /^(?:lists|log)\//.test(path);
  registry.files = new Map([...registry.files].filter(([path]) => !path.startsWith('log/')));
  for (const [path, bytes] of next.files) if (isNewer(path)) registry.files.set(path, bytes);
  return registry;
}

/** The witnesses of a registry. */
export function witnessesOf({ witnesses = [] }: Setup): NoteSigner[] {
  return witnesses.map((name) => ({ key: key(`witness ${name}`), name, purpose: 'witness' }));
}
