import { isObject, text } from '../checks.js';
import { GRAMMAR } from '../generated/schemas.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';
import { reject } from './verdict.js';

/** What a verifier knows of an issuer before it asks: from the registry, or from whoever named the issuer. */
export interface KnownIssuer {
  readonly discovery_uri: string;
  /** What the registry has; undefined where only the issuer's address is known. */
  readonly jwks_uri: string | undefined;
}

/** An issuer's metadata that agree with what was known (SPEC B8). */
export interface IssuerMetadata {
  /** The issuer's base address. */
  readonly issuer: string;
  readonly issuer_id: string;
  readonly jwks_uri: string;
}

/**
 * Fetches an issuer's metadata, which must name the same keys as the registry: any difference rejects (SPEC B11). That
 * they name the issuer of the passport is for the caller to check. The issuer's address must be on the host of its `discovery_uri`, so that nothing but the signed
 * registry decides whom a verifier asks.
 */
export async function fetchMetadata(known: KnownIssuer, options: IssuerHostOptions): Promise<IssuerMetadata> {
  const url = known.discovery_uri;
  const found = await askIssuer(url, 'discovery', options);
  if (found === undefined) return reject('discovery-unreachable', `${url} does not exist`);
  const { issuer, issuer_id, jwks_uri } = isObject(found) ? found : {};
  if (!isWebUri(issuer) || !isWebUri(jwks_uri) || typeof issuer_id !== 'string') {
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

function isWebUri(value: unknown): value is string {
  return text(GRAMMAR.webUri)(value) && URL.canParse(String(value));
}
