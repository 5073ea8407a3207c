import { isObject } from '../bytes/checks.js';
import { faultIn, shown } from '../bytes/fault.js';
import { RegistryError } from '../errors.js';
import { isAnchorMember } from '../generated/predicates.js';
import { REQUIRED_ANCHOR_MEMBERS, type TrustAnchor } from '../generated/schemas.js';
import { publicMembers, thumbprintOf } from '../keys/public-key.js';
import { importRootKey, type PinnedRoot } from '../keys/root-key.js';
import { logTrustOf } from './log-trust.js';

const EXPECTED: Readonly<Record<string, string>> = {
  root: 'a public JWK with only the members kty, crv, x, y and kid',
  next_roots: '1 to 3 thumbprints of 43 characters, each named once, or absent',
  sources: 'one or more http(s) URLs without credentials, query or fragment, each named once, or absent',
  log: 'a host with an optional port and path, and then /log, without a scheme',
  witnesses: '1 to 32 keys of witnesses in the form of C2SP signed-note, each named once, or absent',
  quorum: 'a whole number from 1 to 32, or absent',
};

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
 *   console.log((error as Error).message); // "checkpoint" is not a member of a trust anchor
 * }
 * ```
 */
export function assertTrustAnchor(value: unknown): asserts value is TrustAnchor {
  if (!isObject(value))
    throw new RegistryError('ERR_TRUST_ANCHOR_INVALID', 'a trust anchor must be a JSON object');
  const missing = REQUIRED_ANCHOR_MEMBERS.find((member) => !Object.hasOwn(value, member));
  if (missing !== undefined)
    throw new RegistryError('ERR_TRUST_ANCHOR_INVALID', `a trust anchor must have the member ${missing}`);
  for (const member of Object.keys(value)) {
    // These messages say more than the schema.
    if (member === 'root')
      publicMembers(
        value[member],
        (message) => new RegistryError('ERR_TRUST_ANCHOR_INVALID', `root ${message}`),
      );
    const conforms = isAnchorMember(member, value[member]);
    if (conforms === undefined) {
      throw new RegistryError(
        'ERR_TRUST_ANCHOR_INVALID',
        `${shown(member)} is not a member of a trust anchor`,
      );
    }
    if (!conforms) throw wrongMember(member, value[member]);
  }
  const anchor = value as unknown as TrustAnchor;
  const wrongSource = faultOfSources(anchor.sources ?? []);
  if (wrongSource !== undefined) throw new RegistryError('ERR_TRUST_ANCHOR_INVALID', wrongSource);
  const thumbprint = thumbprintOf(anchor.root);
  if ((anchor.root.kid ?? thumbprint) !== thumbprint) {
    throw new RegistryError(
      'ERR_TRUST_ANCHOR_INVALID',
      `root has a kid that is not the thumbprint of the key, ${thumbprint}`,
    );
  }
  if (anchor.next_roots?.includes(thumbprint) === true) {
    throw new RegistryError(
      'ERR_TRUST_ANCHOR_INVALID',
      'next_roots contain the thumbprint of root: a key cannot follow itself',
    );
  }
  logTrustOf(anchor);
}

/**
 * Says which source no client can ask, such as one with the port 65536, or which one is another spelling of an earlier
 * one: a client that asks one host twice gains nothing by it.
 */
function faultOfSources(sources: readonly string[]): string | undefined {
  const impossible = sources.findIndex((source) => !URL.canParse(source));
  if (impossible !== -1)
    return `sources[${impossible}] is ${shown(sources[impossible])}, which is no URL: correct its host or its port`;
  const hrefs = sources.map((source) => new URL(source).href.replace(/\/$/, ''));
  const index = hrefs.findIndex((href, at) => hrefs.indexOf(href) !== at);
  if (index === -1) return undefined;
  return `sources[${index}] repeats ${shown(sources[hrefs.indexOf(hrefs[index] ?? '')])} in another spelling: name each URL once`;
}

function wrongMember(member: string, value: unknown): RegistryError {
  const { path, problem } = faultIn(member, value, (content) => isAnchorMember(member, content) === true);
  return new RegistryError('ERR_TRUST_ANCHOR_INVALID', `${path} ${problem}: it must be ${EXPECTED[member]}`);
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
