import { type Invalid, importChecked, type PublicKey } from '@passport-registry/verifier/core';
import { type Jwk, readKeySet, signingKeyOf } from '../documents/issuer-documents.js';
import { reject, rejection } from '../passport/rejection.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';

/** The keys that an issuer publishes (RFC 7517, section 5). */
export interface IssuerKeys {
  readonly url: string;
  readonly jwks: readonly Jwk[];
  /** The imported keys, by `kid`. A key is imported at its first use. */
  readonly imported: Map<string, Promise<PublicKey>>;
}

/**
 * Fetches an issuer's keys. A private key in the set invalidates the whole set: the signatures prove nothing anymore.
 */
export async function fetchKeys(url: string, options: IssuerHostOptions): Promise<IssuerKeys> {
  const set = readKeySet(await askIssuer(url, 'jwks', options));
  if ('keys' in set) return { url, jwks: set.keys, imported: new Map() };
  const { about, message } = set.fault;
  if (about !== 'private-key') return reject('jwks-invalid', `${url} ${message}`);
  return reject('jwks-private-key', `${url} ${message}: the issuer is compromised`);
}

/** Returns whether a set contains a key with this `kid`. */
export function hasKey({ jwks }: IssuerKeys, kid: string): boolean {
  return jwks.some((jwk) => jwk['kid'] === kid);
}

/** Returns the key with this `kid`. It must be unique in the set, and suitable for verifying signatures. */
export function findKey({ url, jwks, imported }: IssuerKeys, kid: string): Promise<PublicKey> {
  const known = imported.get(kid);
  if (known !== undefined) return known;
  const [jwk, another] = jwks.filter((one) => one['kid'] === kid);
  if (jwk === undefined) return reject('key-unknown', `${url} has no key ${JSON.stringify(kid)}`);
  if (another !== undefined) return reject('key-ambiguous', `${url} has two keys ${JSON.stringify(kid)}`);
  const key = importSigningKey(jwk);
  imported.set(kid, key);
  return key;
}

async function importSigningKey(jwk: Jwk): Promise<PublicKey> {
  const unusable: Invalid = (message, cause) =>
    rejection('key-unusable', `the issuer's key ${message}`, cause);
  return importChecked(signingKeyOf(jwk, unusable), unusable);
}
