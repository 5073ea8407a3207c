import {
  assertTrustAnchor,
  importRootKey,
  RegistryError,
  type RootKey,
  type TrustAnchor,
} from '@passport-registry/verifier';
import {
  ANY_TIME,
  readRotation,
  readStatementsFile,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import { withCommitment } from '../tree/commitment.js';
import { PATHS } from '../tree/paths.js';
import { verifyFresh } from './accept.js';
import { checkRootKey } from './file-checks.js';
import { trustAnchorOf } from './pinned-trust.js';
import { Problems, readUnlessTorn, type SeenFiles } from './seen-files.js';
import { httpSource } from './tree-source.js';

/** A registry that a verifier's client accepts under the root key of the trust anchor. */
export interface PinnableRegistry {
  /** The trust anchor for this registry, with its log if it has one. */
  readonly trustAnchor: TrustAnchor;
  /** The RFC 7638 thumbprint of the root key. */
  readonly thumbprint: string;
  /** The thumbprint that the user knows, if a rotation has replaced that key. */
  readonly rotatedFrom: string | undefined;
  /**
   * The keys that can follow the root key according to the rotation. They are in the trust anchor if a step that the known
   * key proves says so, or if the user said the same. Empty if the rotation says nothing.
   */
  readonly shownNextRoots: readonly string[];
  readonly updatedAt: string;
  /** The number of issuers in the list. */
  readonly issuers: number;
  /** The name of the log. Undefined if the registry has none. */
  readonly log: string | undefined;
  /** The number of entries of the log. */
  readonly logSize: number | undefined;
  /** The names of the given witnesses that have cosigned the log, as many as the quorum. */
  readonly cosignedBy: readonly string[];
  /** Whether the registry is marked as signed by a development key. */
  readonly development: boolean;
}

/** What the user knows about a registry from another place than the registry. */
interface KnownOfRegistry {
  /**
   * The thumbprint of the root key. Default: that of the key that the registry publishes, which shows only that the
   * registry is consistent.
   */
  readonly thumbprint: string | undefined;
  /** The thumbprints of the keys that can follow the key with that thumbprint. Undefined if the user knows none. */
  readonly nextRoots: readonly string[] | undefined;
  /** Whether to trust what the registry shows where the user knows nothing. */
  readonly trustOnFirstUse: boolean;
  /** The keys of witnesses, and how many of them must have cosigned the log of the registry. */
  readonly witnessed: Witnessed | undefined;
}

/** Witnesses of a log, and a quorum. */
export type Witnessed = Required<Pick<TrustAnchor, 'witnesses' | 'quorum'>>;

/**
 * Reads a registry that is not pinned yet, with the rules of a verifier's client.
 *
 * @param url - the URL of the registry, in the form of a source of a trust anchor
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function readPinnable(url: string, known: KnownOfRegistry): Promise<PinnableRegistry> {
  try {
    return await readUnlessTorn(httpSource(url), (files) => readFrom(files, url, known));
  } catch (cause) {
    if (!(cause instanceof RegistryError || cause instanceof Problems)) throw cause;
    throw new TreeRejected(`${url} cannot be pinned: ${cause.message}`, { cause });
  }
}

async function readFrom(
  files: SeenFiles,
  url: string,
  { thumbprint: known, nextRoots, trustOnFirstUse, witnessed }: KnownOfRegistry,
): Promise<PinnableRegistry> {
  const published = await checkRootKey(files);
  const isPublished = known === undefined || known === published.thumbprint;
  const earlier = isPublished ? published : await earlierKey(files, known, published);
  const log = { ...(await logOf(files, published, witnessed)), ...witnessed };
  const pinned = { log, rootKey: { ...earlier, nextRoots } };
  assertTrustAnchor(trustAnchorOf(pinned));
  const proven = await verifyFresh(files, pinned);
  const { rootKey: root, logged } = proven;
  if (root.thumbprint !== published.thumbprint) {
    throw new Problems([
      `${PATHS.rootKey} is ${published.thumbprint}, but the root key that signed the list is ${root.thumbprint}`,
    ]);
  }
  const { rotation } = await readStatementsFile(files);
  const shown = (await withCommitment(published, readRotation(rotation))).nextRoots;
  if (isPublished) assertSameCommitment(nextRoots, shown);
  // The steps before the known key are the word of the host.
  const isProven = !isPublished || trustOnFirstUse;
  const shownRoots = isProven ? shown : undefined;
  const next_roots = isPublished ? (nextRoots ?? shownRoots) : shownRoots;
  return {
    trustAnchor: {
      root: published.jwk,
      ...(next_roots && { next_roots: [...next_roots] }),
      sources: [url],
      ...log,
    },
    shownNextRoots: shown ?? [],
    thumbprint: published.thumbprint,
    rotatedFrom: isPublished ? undefined : known,
    development: (await files.get(PATHS.developmentMark)) !== undefined,
    updatedAt: proven.updatedAt,
    issuers: proven.issuers?.length ?? 0,
    log: log.log,
    logSize: logged?.size,
    cosignedBy: logged?.cosignatures.map(({ witness }) => witness.name) ?? [],
  };
}

/** Asserts that the rotation does not commit the root key to other keys than the user says. */
function assertSameCommitment(
  known: readonly string[] | undefined,
  shown: readonly string[] | undefined,
): void {
  if (known === undefined || shown === undefined || `${[...known].sort()}` === `${shown}`) return;
  throw new Problems([
    `its rotation lets the root key be followed by ${shown.join(' or ')}, not by ${known.join(' or ')}: ask the operator which is right`,
  ]);
}

/**
 * Returns the earlier root key with a known thumbprint, from the rotation (rule trust-anchor-thumbprint). The
 * thumbprint authenticates the key, and the key authenticates the steps that follow.
 */
async function earlierKey(files: SeenFiles, known: string, published: RootKey): Promise<RootKey> {
  const steps = readRotation((await readStatementsFile(files)).rotation);
  for (const { claims } of steps) {
    const key = await importRootKey(claims['next_root']).catch(() => undefined);
    if (key?.thumbprint === known) return key;
  }
  const differ = `it publishes the root key ${published.thumbprint}, not ${known}`;
  throw new Problems([
    steps[0]?.kid === known
      ? `${differ}, and its rotation does not contain that first root key: ask the operator for the thumbprint of the present root key`
      : `${differ}, and no rotation leads there from that key: ask the operator whether the URL and the thumbprint are right`,
  ]);
}

/** Returns the log that the root key names. Witnesses need one. */
async function logOf(
  files: SeenFiles,
  root: RootKey,
  witnessed: Witnessed | undefined,
): Promise<Pick<TrustAnchor, 'log'>> {
  const { publication } = await readStatementsFile(files);
  const { log } = await verifyPublicationStatement(publication, root, ANY_TIME);
  if (log !== undefined) return { log: log.origin };
  if (witnessed === undefined) return {};
  throw new Problems([
    'its publication names no log that a witness could cosign: ask the operator, or leave out --witness and --quorum',
  ]);
}
