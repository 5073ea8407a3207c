import type { Issuer } from '@passport-registry/verifier';

/** Names that nobody can own: RFC 2606, sections 2 and 3, RFC 6761, section 6, and RFC 9476 (rule reserved-names). */
const RESERVED = [
  'alt',
  'test',
  'example',
  'invalid',
  'localhost',
  'example.com',
  'example.net',
  'example.org',
];

/** Whether a host is a name reserved for tests and documentation, or is under such a name. */
export function isReservedName(host: string): boolean {
  const name = `.${host.toLowerCase().replace(/\.$/, '')}`;
  return RESERVED.some((reserved) => name.endsWith(`.${reserved}`));
}

/** The fields of a record that contain a host. */
const FIELDS = ['jwks_uri', 'discovery_uri', 'policy_uri', 'contact'] as const;

/** Finds the first field of a record that has a reserved name. A production key signs no such record. */
export function reservedField(issuer: Issuer) {
  return FIELDS.map((field) => ({ field, host: hostOf(issuer[field]) })).find(({ host }) =>
    isReservedName(host),
  );
}

/**
 * Returns the host of a URL or e-mail address. In a URL, the schema allows no user name, and in a host only letters,
 * digits, dots and hyphens.
 */
function hostOf(value: string | null | undefined): string {
  const [, host = ''] = HOST.exec(value ?? '') ?? [];
  return host;
}

const HOST = /^(?:https?:\/\/|.*@)([^/?#:]*)/;
