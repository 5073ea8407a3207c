import { AddressInvalid } from '../errors.js';

/** Whether a URL leads to this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.[0-9.]+$/.test(hostname);
}

/**
 * The base address of an issuer that the caller names: https, or http on this machine.
 *
 * @throws {@link AddressInvalid}
 */
export function issuerBase(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (url !== undefined && url.username + url.password !== '') {
    // The message must not show the password.
    throw new AddressInvalid('the URL of the issuer contains credentials: remove them');
  }
  if (url === undefined || !secure || url.search !== '' || url.hash !== '') {
    throw new AddressInvalid(`${address} is neither an https URL nor an http URL on this machine`);
  }
  return address.replace(/\/$/, '');
}
