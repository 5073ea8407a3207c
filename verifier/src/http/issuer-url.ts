import { RegistryError } from '../core/errors.js';

/** Returns whether a URL points to this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.[0-9.]+$/.test(hostname);
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
    throw new RegistryError('ERR_ADDRESS_INVALID', 'the URL of the issuer contains credentials: remove them');
  }
  if (url === undefined || !secure || url.search !== '' || url.hash !== '') {
    throw new RegistryError(
      'ERR_ADDRESS_INVALID',
      `${issuerUrl} is neither an https URL nor an http URL on this machine`,
    );
  }
  return issuerUrl.replace(/\/$/, '');
}
