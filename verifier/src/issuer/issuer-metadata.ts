import { findMetadataFaults, type IssuerMetadata, type KnownIssuer } from '../http/issuer-documents.js';
import { reject } from '../passport/rejection.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';

/**
 * Fetches the metadata of an issuer. Any difference from the known issuer leads to a rejection (rule issuer-metadata). The
 * caller must check that the metadata belongs to the issuer of the passport.
 */
export async function fetchMetadata(known: KnownIssuer, options: IssuerHostOptions): Promise<IssuerMetadata> {
  const url = known.discovery_uri;
  const found = await askIssuer(url, 'discovery', options);
  if (found === undefined) return reject('discovery-unreachable', `${url} does not exist`);
  const [fault] = findMetadataFaults(found, known);
  if (fault !== undefined) {
    const code = fault.about === 'form' ? 'discovery-invalid' : 'discovery-mismatch';
    return reject(code, `${url} ${fault.message}`);
  }
  const { issuer, issuer_id, jwks_uri } = found as IssuerMetadata;
  return { issuer, issuer_id, jwks_uri };
}
