import { UsageError } from '../errors.js';

/** Whether a text seems to contain a private key, as PEM or JWK. */
export function containsKey(text: string): boolean {
  return /PRIVATE KEY|"d"\s*:/.test(text);
}

/**
 * Asserts that what should name a key does not contain one. The message does not contain the value.
 *
 * @throws {@link UsageError}
 */
export function assertNoKeyText(source: string): void {
  if (!containsKey(source) && !/[\r\n]/.test(source)) return;
  throw new UsageError(
    'pass the path of a key file, or env:NAME: other users can read a key on the command line, and logs show it',
  );
}
