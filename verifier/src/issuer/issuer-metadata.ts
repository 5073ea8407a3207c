import { isObject } from '../core/bytes/checks.js';
import { isValidWebUri } from '../core/generated/predicates.js';
import { reject } from '../passport/rejection.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';

/** The URLs of an issuer that are known before any request, from the registry or from the caller. */
export interface KnownIssuer {
  readonly discovery_uri: string;
  /** The `jwks_uri` in the registry. Undefined if only the URL of the issuer is known. */
  readonly jwks_uri: string | undefined;
}

/** The metadata of an issuer, which matches the known issuer (rule issuer-metadata). */
export interface IssuerMetadata {
  /** The issuer's base URL. */
  readonly issuer: string;
  readonly issuer_id: string;
  readonly jwks_uri: string;
}

/**
 * Fetches the metadata of an issuer. The metadata must name the same `jwks_uri` as the registry. Any difference leads
 * to a rejection (rule issuer-metadata). The URL of the issuer must be on the host of its `discovery_uri`, so that only
 * the signed registry decides which hosts a verifier contacts. The caller must check that the metadata belongs to the
 * issuer of the passport.
 */
export async function fetchMetadata(known: KnownIssuer, options: IssuerHostOptions): Promise<IssuerMetadata> {
  const url = known.discovery_uri;
  const found = await askIssuer(url, 'discovery', options);
  if (found === undefined) return reject('discovery-unreachable', `${url} does not exist`);
  const { issuer, issuer_id, jwks_uri } = isObject(found) ? found : {};
  if (!isUrl(issuer) || !isUrl(jwks_uri) || typeof issuer_id !== 'string') {
    return reject('discovery-invalid', `${url} lacks issuer, issuer_id or jwks_uri`);
  }
  if (new URL(issuer).origin !== new URL(url).origin) {
    return reject('discovery-mismatch', `${url} names an issuer on another host, ${issuer}`);
  }
  const expected = known.jwks_uri;
  const isSame =
    expected === undefined ? new URL(jwks_uri).origin === new URL(url).origin : jwks_uri === expected;
  if (!isSame) return reject('discovery-mismatch', `${url} names a different jwks_uri, ${jwks_uri}`);
  return { issuer, issuer_id, jwks_uri };
}

function isUrl(value: unknown): value is string {
  return isValidWebUri(value) && URL.canParse(value);
}
