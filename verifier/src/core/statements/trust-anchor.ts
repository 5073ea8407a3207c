import { isObject } from '../bytes/checks.js';
import { faultInObject, shown } from '../bytes/fault.js';
import { RegistryError } from '../errors.js';
import { isAnchorMember, isRootJwkMember } from '../generated/predicates.js';
import { REQUIRED_ANCHOR_MEMBERS, type TrustAnchor } from '../generated/schemas.js';
import { type NoteKey, parseNoteKey } from '../keys/note-key.js';
import { checkedPublicKey, importRootKey, type PinnedRoot } from '../keys/root-key.js';

const invalid = (problem: string) => new RegistryError('ERR_TRUST_ANCHOR_INVALID', problem);

/**
 * Asserts that a parsed JSON value conforms to schemas/trust-anchor.schema.json, and that its root key is a public key.
 * An unknown member is an error, because otherwise a requirement would be ignored silently
 * (docs/protocol.md#trust-anchor-closed).
 *
 * @throws `ERR_TRUST_ANCHOR_INVALID`
 *
 * @example
 * ```ts
 * import { assertTrustAnchor } from '@passport-registry/verifier';
 *
 * try {
 *   assertTrustAnchor({ root: pinnedJwk, checkpoint: 'required' });
 * } catch (error) {
 *   console.log((error as Error).message); // the trust anchor has the unknown member "checkpoint": see schemas/trust-anchor.schema.json
 * }
 * ```
 */
export function assertTrustAnchor(value: unknown): asserts value is TrustAnchor {
  const root: unknown = isObject(value) ? value['root'] : undefined;
  // The messages about a key say more than the schema.
  const key = root === undefined ? undefined : checkedPublicKey(root, (fault) => invalid(`root ${fault}`));
  const fault = faultInObject(value, {
    name: 'the trust anchor',
    required: REQUIRED_ANCHOR_MEMBERS,
    isMember: isAnchorMember,
    faultInside: (path, content) => (path === 'root' ? faultInRoot(content) : undefined),
  });
  if (fault !== undefined) throw invalid(`${fault}: see schemas/trust-anchor.schema.json`);
  const anchor = value as unknown as TrustAnchor;
  const wrongSource = faultOfSources(anchor.sources ?? []);
  if (wrongSource !== undefined) throw invalid(wrongSource);
  if (key !== undefined && anchor.next_roots?.includes(key.thumbprint) === true) {
    throw invalid('next_roots contain the thumbprint of root: a key cannot follow itself');
  }
  logTrustOf(anchor);
}

/** Finds the member that the root key of a trust anchor must not have. */
function faultInRoot(root: unknown): string | undefined {
  return faultInObject(root, { name: 'root', prefix: 'root.', required: [], isMember: isRootJwkMember });
}

/**
 * Says which source no client can ask, such as one with the port 65536, or which one is another spelling of an earlier
 * one: a client that asks one host twice gains nothing by it.
 */
function faultOfSources(sources: readonly string[]): string | undefined {
  const impossible = sources.findIndex((source) => !URL.canParse(source));
  if (impossible !== -1) return `sources[${impossible}] is ${shown(sources[impossible])}, which is no URL`;
  const hrefs = sources.map((source) => new URL(source).href.replace(/\/$/, ''));
  const index = hrefs.findIndex((href, at) => hrefs.indexOf(href) !== at);
  if (index === -1) return undefined;
  return `sources[${index}] repeats ${shown(sources[hrefs.indexOf(hrefs[index] ?? '')])}`;
}

/**
 * Imports the root key of a trust anchor, with the keys to which the trust anchor commits it.
 *
 * @param anchor - after {@link assertTrustAnchor}
 * @throws `ERR_ROOT_KEY_INVALID`
 */
export async function importAnchorRoot({ root, next_roots }: TrustAnchor): Promise<PinnedRoot> {
  return { ...(await importRootKey(root)), nextRoots: next_roots };
}

/** What a verifier trusts of the log of a registry (rule trust-anchor). */
export interface LogTrust {
  /** The name of the log. */
  readonly origin: string;
  readonly witnesses: readonly NoteKey[];
  /** How many witnesses must have cosigned; 0 if there are none. */
  readonly quorum: number;
}

/**
 * Returns what a trust anchor says of the log. Undefined if it says nothing.
 *
 * @throws `ERR_TRUST_ANCHOR_INVALID` if its members contradict each other
 */
export function logTrustOf({
  log,
  witnesses,
  quorum,
}: Pick<TrustAnchor, 'log' | 'witnesses' | 'quorum'>): LogTrust | undefined {
  const hasWitnesses = witnesses !== undefined;
  if (hasWitnesses !== (quorum !== undefined) || (hasWitnesses && log === undefined)) {
    throw invalid('witnesses and quorum need each other, and log');
  }
  if (log === undefined) return undefined;
  const keys = (witnesses ?? []).map((vkey, index) =>
    parseNoteKey(vkey, 'witness', (message) => invalid(`witnesses[${index}] ${message}`)),
  );
  const publicKeys = keys.map(({ jwk }) => jwk.x);
  const repeated = publicKeys.findIndex((key, index) => publicKeys.indexOf(key) !== index);
  if (repeated !== -1) throw invalid(`witnesses[${repeated}] has the public key of an earlier witness`);
  if (quorum !== undefined && quorum > keys.length) {
    throw invalid(`quorum is ${quorum}, but there are only ${keys.length} witnesses`);
  }
  return { origin: log, witnesses: keys, quorum: quorum ?? 0 };
}
