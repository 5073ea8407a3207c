import { randomUUID } from 'node:crypto';
import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import {
  ANY_TIME,
  assertCheckpointFits,
  type Checkpoint,
  type PublicationStatement,
  parseStatementsFile,
  publicationStatementOf,
  readStatement,
  verifyCheckpoint,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { AlreadyPublished, IoFailed, ignoring, LOAD_FIRST, UsageError } from '../errors.js';
import { releasedBy } from '../freshness/previous-checkpoint.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { httpSource } from '../verification/tree-source.js';
import { rememberedRead, rememberRead } from './read-at-url.js';

/** How long the registry's URL may take to answer, in milliseconds. What waits for the answer can be urgent. */
const TIMEOUT_MS = 5000;

/** What a production key is about to sign. */
export interface NextSignature {
  readonly rootKey: RootKey;
  /** The tree that it follows; undefined for a first list. */
  readonly published: PublishedTree | undefined;
}

/** How a command asks the registry's URL. */
export interface UrlQuestion {
  /** The registry's URL. If it is not known, nothing is asked. */
  readonly baseUrl?: string | undefined;
  /** `--offline`: no host is asked. */
  readonly offline?: boolean | undefined;
  /** `--first`: the registry has never published. */
  readonly first?: boolean | undefined;
  /** Whether only a checkpoint is signed. It may have to stop an issuer while the URL cannot be read. */
  readonly onlyCheckpoint?: boolean | undefined;
}

/** What the registry's URL shows to a command that goes on. */
export interface UrlAnswer {
  /** The checkpoint at the URL, if keys of the published tree have signed it. The next checkpoint is later. */
  readonly checkpoint?: Checkpoint | undefined;
  /** What the operator should know, in whole sentences. */
  readonly note?: string | undefined;
}

/**
 * The rule about the registry's URL: what the URL serves is published, and everything else is a copy. What is signed next follows
 * the URL, or nothing is signed (rule newest-published). Every command with a production key asks before it signs.
 *
 * @throws {@link AlreadyPublished} if the URL serves what the published tree lacks; {@link IoFailed} if nobody knows, and
 *   `--offline` was not given; {@link UsageError} if a first list lacks `--first`
 */
export async function followUrl(
  { rootKey, published }: NextSignature,
  { baseUrl, offline = false, first = false, onlyCheckpoint = false }: UrlQuestion = {},
): Promise<UrlAnswer> {
  if (baseUrl === undefined) return {};
  if (offline && published === undefined && !first) throw needsFirst(`${baseUrl} was not asked`);
  if (offline) return { note: await knownNewer({ rootKey, published }, baseUrl) };
  const served = await readUrl(baseUrl, { rootKey, published });
  const newest = published?.folder ?? 'a first list';
  // What this machine has read there is published, also if the URL shows less now.
  const known = await readRemembered({ rootKey, published });
  if (known?.shows === 'other' && served.shows !== 'other')
    throw new AlreadyPublished(
      `${newest} does not follow publication ${known.sequence} with the list of ${known.updatedAt}, which this machine has read at ${baseUrl}: ` +
        '`load` the published tree first',
    );
  const doubt = doubtOf(served, baseUrl);
  if (published === undefined && doubt !== undefined) {
    if (first) return { note: doubt };
    throw needsFirst(doubt);
  }
  switch (served.shows) {
    // The published tree, or one that it follows.
    case 'own':
      return { checkpoint: served.checkpoint, note: lostHolds(served.checkpoint, published, baseUrl) };
    // No registry.
    case 'nothing':
      return { note: `${doubt} Nobody knows whether ${newest} is the newest publication.` };
    // Nothing that the root key has signed.
    case 'unreadable':
      if (onlyCheckpoint)
        return { note: `${doubt} Nobody knows whether ${newest} is the newest publication.` };
      throw new IoFailed(
        `${doubt} Nothing was signed: run this again later, or with --offline, which asks no host`,
      );
    // Anything else.
    case 'other':
      throw new AlreadyPublished(
        `${baseUrl} serves publication ${served.sequence} with the list of ${served.updatedAt}, and ${newest} does not follow it: ` +
          '`load` the published tree first',
      );
  }
}

/** `--offline` goes over what this machine knows of the URL, too, but not in silence. */
async function knownNewer(next: NextSignature, baseUrl: string): Promise<string | undefined> {
  const { published } = next;
  const tree = published?.folder ?? 'a first list';
  const known = await readRemembered(next);
  if (known?.shows === 'other')
    return `${tree} does not follow publication ${known.sequence} with the list of ${known.updatedAt}, which this machine has read at ${baseUrl}.`;
  if (known?.shows !== 'own' || known.checkpoint === undefined || published === undefined) return undefined;
  const { checkpoint: own } = published;
  const isOwnNewer = own.issuedAt > known.checkpoint.issuedAt;
  const lost = releasedBy(own, known.checkpoint);
  if (isOwnNewer || lost.length === 0) return undefined;
  return `${tree} does not hold ${lost.join(', ')}, whom this machine has seen on hold at ${baseUrl}.`;
}

/** What a registry's URL shows. */
type Served =
  | { readonly shows: 'own'; readonly checkpoint: Checkpoint | undefined }
  | { readonly shows: 'nothing' }
  | { readonly shows: 'unreadable'; readonly problem: string }
  | ({ readonly shows: 'other' } & Pick<PublicationStatement, 'sequence' | 'updatedAt'>);

/** Reads what this machine has read at the URL before. Undefined if that is nothing by the root key. */
async function readRemembered({ rootKey, published }: NextSignature): Promise<Served | undefined> {
  const bytes = rememberedRead();
  if (bytes === undefined) return undefined;
  return readServed(bytes, published?.rootKey ?? rootKey, published?.statement).catch(
    ignoring(RegistryError),
  );
}

async function readUrl(baseUrl: string, next: NextSignature): Promise<Served> {
  try {
    // The query is new, so that no cache answers.
    const file = await httpSource(baseUrl, AbortSignal.timeout(TIMEOUT_MS)).get(
      PATHS.statements,
      randomUUID(),
    );
    if (file === undefined) return { shows: 'nothing' };
    const rootKey = next.published?.rootKey ?? next.rootKey;
    const served = await readServed(file.bytes, rootKey, next.published?.statement);
    await rememberRead(file.bytes, rootKey);
    return served;
  } catch (error) {
    if (!(error instanceof IoFailed || error instanceof RegistryError)) throw error;
    return { shows: 'unreadable', problem: error.message };
  }
}

/**
 * Verifies what the URL serves, at any time: the hashes that the own publication names prove it and those before it, and the root key
 * every other one.
 *
 * @throws {@link RegistryError} if the root key has not signed it
 */
async function readServed(
  statements: Uint8Array,
  rootKey: RootKey,
  own: PublicationStatement | undefined,
): Promise<Served> {
  const file = parseStatementsFile(statements);
  const invalid = (message: string) => new RegistryError('ERR_PUBLICATION_INVALID', message);
  const publication = publicationStatementOf(
    readStatement(file.publication, 'registry-publication+jwt', invalid),
  );
  if (own !== undefined && [own.hash, ...own.previous].includes(publication.hash)) {
    const signers = { rootKey, online: own.online };
    const checkpoint = verifyCheckpoint(file.checkpoint, signers, ANY_TIME).then((verified) => {
      assertCheckpointFits(verified, publication);
      return verified;
    });
    // The checkpoint of an earlier publication may be by a key that the own publication has replaced. It then holds nobody.
    const isOwn = publication.hash === own.hash;
    return {
      shows: 'own',
      checkpoint: await (isOwn ? checkpoint : checkpoint.catch(ignoring(RegistryError))),
    };
  }
  const newest = await walkRotation(rootKey, file.rotation);
  await verifyPublicationStatement(file.publication, newest, ANY_TIME);
  return { shows: 'other', ...publication };
}

/** Why the URL does not show what is published, as a whole sentence. Undefined if it does. */
function doubtOf(served: Served, baseUrl: string): string | undefined {
  if (served.shows === 'nothing') return `${baseUrl} serves no registry (404).`;
  if (served.shows === 'unreadable') return `${baseUrl} does not show what is published: ${served.problem}.`;
  return undefined;
}

function needsFirst(doubt: string): UsageError {
  return new UsageError(
    `there is no published tree here, and ${doubt.replace(/\.$/, '')}: \`load\` the tree first or, only if this registry has never published, ` +
      'pass --first',
    LOAD_FIRST,
  );
}

/** Names whom one of the two checkpoints holds, and the newer one, which counts, does not. */
function lostHolds(
  checkpoint: Checkpoint | undefined,
  published: PublishedTree | undefined,
  baseUrl: string,
): string | undefined {
  const own = published?.checkpoint;
  if (own === undefined || checkpoint === undefined || checkpoint.issuedAt === own.issuedAt) return undefined;
  const isOwnOlder = checkpoint.issuedAt > own.issuedAt;
  const [older, newer] = isOwnOlder ? [own, checkpoint] : [checkpoint, own];
  const lost = releasedBy(newer, older);
  if (lost.length === 0) return undefined;
  const [where, other] = isOwnOlder ? [baseUrl, published?.folder] : [published?.folder, baseUrl];
  return `${where} has a newer checkpoint than ${other}, which does not hold ${lost.join(', ')}: that counts.`;
}
