import { isObject } from '../encoding/checks.js';
import { isValidWebUri } from '../generated/predicates.js';
import { reject } from '../passport/rejection.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';

/** What a verifier knows about an issuer before it sends a request: from the registry, or from the caller. */
export interface KnownIssuer {
  readonly discovery_uri: string;
  /** The registry's value; undefined if only the URL of the issuer is known. */
  readonly jwks_uri: string | undefined;
}

/** The metadata of an issuer, consistent with the known issuer (SPEC B8). */
export interface IssuerMetadata {
  /** The issuer's base address. */
  readonly issuer: string;
  readonly issuer_id: string;
  readonly jwks_uri: string;
}

/**
 * Fetches the metadata of an issuer, which must name the same keys as the registry: any difference rejects (SPEC B11). The
 * caller must check that the metadata belong to the issuer of the passport. The URL of the issuer must be on the host
 * of its `discovery_uri`, so that only the signed registry decides which hosts a verifier contacts.
 */
export async function fetchMetadata(known: KnownIssuer, options: IssuerHostOptions): Promise<IssuerMetadata> {
  const url = known.discovery_uri;
  const found = await askIssuer(url, 'discovery', options);
  if (found === undefined) return reject('discovery-unreachable', `${url} does not exist`);
  const { issuer, issuer_id, jwks_uri } = isObject(found) ? found : {};
  if (!isAddress(issuer) || !isAddress(jwks_uri) || typeof issuer_id !== 'string') {
    return reject('discovery-invalid', `${url} lacks issuer, issuer_id or jwks_uri`);
  }
  if (new URL(issuer).origin !== new URL(url).origin) {
    return reject('discovery-mismatch', `${url} names an issuer on another host, ${issuer}`);
  }
  const expected = known.jwks_uri;
  const same =
    expected === undefined ? new URL(jwks_uri).origin === new URL(url).origin : jwks_uri === expected;
  if (!same) return reject('discovery-mismatch', `${url} names other keys, ${jwks_uri}`);
  return { issuer, issuer_id, jwks_uri };
}

function isAddress(value: unknown): value is string {
  return isValidWebUri(value) && URL.canParse(value);
}
