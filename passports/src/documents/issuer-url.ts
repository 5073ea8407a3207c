import { isLoopback } from '@passport-registry/verifier/http';
import { PassportError } from '../errors.js';

/** A part of a URL. `spelling`: both URLs lead to the same place, and are written differently. */
export type UrlPart = 'scheme' | 'host' | 'port' | 'path' | 'query' | 'spelling';

/**
 * Returns in which parts a URL differs from another one. None if both are equal, character by character.
 *
 * @param url - what `URL.canParse` accepts, as is the other one
 */
export function differingParts(url: string, other: string): readonly UrlPart[] {
  if (url === other) return [];
  const one = new URL(url);
  const two = new URL(other);
  const parts: UrlPart[] = [];
  if (one.protocol !== two.protocol) parts.push('scheme');
  if (one.hostname !== two.hostname) parts.push('host');
  if (one.port !== two.port) parts.push('port');
  if (one.pathname !== two.pathname) parts.push('path');
  if (one.search !== two.search) parts.push('query');
  return parts.length === 0 ? ['spelling'] : parts;
}

/**
 * Checks the base URL of an issuer that the caller names: https, or http on this machine. Returns the URL without a
 * final slash.
 *
 * @throws `ERR_ADDRESS_INVALID`
 */
export function issuerBase(issuerUrl: string): string {
  const url = URL.canParse(issuerUrl) ? new URL(issuerUrl) : undefined;
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (url !== undefined && url.username + url.password !== '') {
    // The message must not show the password.
    throw new PassportError('ERR_ADDRESS_INVALID', 'the URL of the issuer contains credentials: remove them');
  }
  if (url === undefined || !secure || url.search !== '' || url.hash !== '') {
    throw new PassportError(
      'ERR_ADDRESS_INVALID',
      `${issuerUrl} is neither an https URL nor an http URL on this machine`,
    );
  }
  return issuerUrl.replace(/\/$/, '');
}
