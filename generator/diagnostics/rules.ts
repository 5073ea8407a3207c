/** The default words of a rule. A check can override them. */
interface Rule {
  readonly severity: 'error' | 'warning';
  /** A description of valid input. */
  readonly expected: string;
  /** How to fix invalid input. */
  readonly remedy: string;
}

const error = (expected: string, remedy: string): Rule => ({ severity: 'error', expected, remedy });
const warning = (expected: string, remedy: string): Rule => ({ severity: 'warning', expected, remedy });

/** Maximum size of a record file, in bytes. */
export const MAX_RECORD_BYTES = 64 * 1024;

/**
 * Every rule by its stable name, in the order in which the rules apply to a file. docs/issuers.md lists the same rules.
 */
export const RULES = {
  'no-records': error(
    'at least one record, issuers/<issuer_id>.yaml',
    'create a record with `passport-registry new`, or check the path',
  ),
  'file-unreadable': error('a file that can be read', 'check its permissions'),
  'file-kind': error('a regular file', 'put the record itself here'),
  'file-name': error('a file named <issuer_id>.yaml or <issuer_id>.yml', 'rename the file'),
  'file-too-large': error(
    'at most 64 KiB',
    'remove all content that does not belong to the record: a record needs about 1 KiB',
  ),
  'symlink-outside': error('a link that stays inside the folder', 'put the record itself here'),
  'not-utf8': error('UTF-8', 'save the file as UTF-8'),
  'nul-character': error('text without NUL characters', 'remove the character, or save the file as UTF-8'),
  'empty-file': error('one record', 'fill in the record, or remove the file'),
  'yaml-syntax': error('YAML 1.2', 'fix the syntax here'),
  'yaml-too-deep': error(
    'a flat mapping, with lists of strings as its deepest values',
    'remove the nested brackets',
  ),
  'multiple-documents': error('one document in each file', 'give each issuer its own file'),
  'yaml-directive': error(
    'no directive: records are YAML 1.2, core schema',
    'remove the line that starts with %',
  ),
  'yaml-tag': error('plain data', 'remove the tag'),
  'yaml-alias': error('plain data', 'repeat the value where it is needed'),
  'yaml-merge-key': error('plain data', 'write each of the merged fields'),
  'duplicate-key': error('each field once', 'remove the duplicate'),
  'not-a-mapping': error(
    'fields and their values, such as `tier: certified`',
    'write the record as a mapping',
  ),
  'unknown-field': error('only the fields of schemas/issuer.schema.json', 'remove the field'),
  'missing-field': error('all required fields', 'add the field'),
  'wrong-type': error('the type that schemas/issuer.schema.json names', 'write a value of that type'),
  'too-long': error('a shorter value', 'shorten the value'),
  'bad-id': error(
    '1 to 128 of a-z, 0-9, dot, underscore and hyphen, a letter or digit first and last',
    'choose a valid id, and give the file the same name',
  ),
  'id-path-traversal': error('an id without slashes and without ..', 'choose an id that is not a path'),
  'id-reserved': error('an id other than index and the device names of Windows', 'choose another id'),
  'id-host-suffix': error(
    'an id that does not end in .gz, .br, .html or .htm',
    'choose another id: hosts rewrite paths with these endings',
  ),
  'id-not-file-name': error('the file name without its ending', 'rename the file, or correct issuer_id'),
  'duplicate-id': error('a unique id for each record', 'choose another id, or remove one of the records'),
  'id-case-collision': error(
    'ids that differ by more than case',
    'write the id in lower case, or choose another',
  ),
  'unknown-value': error('one of the values of schemas/issuer.schema.json', 'choose one of them'),
  'bad-text': error(
    'one line of visible text in Unicode NFC, without spaces at the ends, and without control, bidirectional and invisible characters',
    'write the text without them',
  ),
  'similar-name': warning(
    'a name that looks like no name or id of another issuer, with or without a legal form such as Ltd',
    'make sure that these are two issuers; the page tells readers that the names look alike',
  ),
  'reason-while-active': error(
    'a status_reason only beside status: suspended or revoked',
    'remove status_reason, or correct the status',
  ),
  'bad-date-time': error(
    'an RFC 3339 date-time such as 2026-01-15T09:00:00Z',
    'write the date, T, the time and the zone',
  ),
  'certified-in-future': warning(
    'a certified_since that is not in the future',
    'correct the date, or publish the record then: once published, it never changes, and policies do not wait for it unless they have min_certified_days',
  ),
  'bad-uri': error('an absolute URL (RFC 3986) such as https://issuer.example/path', 'correct the URL'),
  'not-https': error('an https URL', 'serve the document over https'),
  'bad-email': error('an e-mail address such as passports@issuer.example, or null', 'correct the address'),
  'bad-geography': error('an ISO 3166-1 alpha-2 code, an ISO 3166-2 code, or global', 'write a valid code'),
  'unknown-country': warning('a code that ISO 3166 assigns', 'check the code'),
  'bad-slug': error('a lower-case slug or DNS name of 1 to 64 characters', 'write a slug or a DNS name'),
  'host-unreachable': error(
    'a host that responds',
    'check the URL, and make sure that the host is reachable from everywhere',
  ),
  'private-address': error(
    'a public IP address',
    'use a host that everybody can reach; on a private network, pass --allow-private',
  ),
  'tls-failed': error(
    'a TLS certificate that browsers accept',
    'renew or correct the certificate, with its whole chain',
  ),
  'timed-out': error('a complete response within the time limit', 'make the host respond faster'),
  'http-status': error('status 200', 'serve the document at this URL'),
  redirected: error(
    'a response without a redirect, because verifiers do not follow redirects',
    'write the URL of the document itself',
  ),
  'answer-too-large': error('at most 256 KiB', 'serve only the document'),
  'not-json': error('JSON in UTF-8, with each member once', 'correct the document'),
  'discovery-incomplete': error(
    'issuer and jwks_uri, each a URL, and issuer_id',
    'add the missing members to the metadata, or correct them',
  ),
  'discovery-other-issuer': error(
    'the issuer_id of the record',
    'name this issuer_id in the metadata, or correct the record',
  ),
  'discovery-other-keys': error(
    'the jwks_uri of the record',
    'name this jwks_uri in the metadata, or correct the record',
  ),
  'discovery-other-host': error(
    'an issuer with the scheme, host and port of discovery_uri',
    'serve the metadata from the host of the issuer',
  ),
  'jwks-malformed': error('{"keys": [...]} with up to 100 keys (RFC 7517)', 'correct the key set'),
  'jwks-private-key': error(
    'public keys only',
    'the key is compromised: remove the key, create a new one, and tell the operator of the registry',
  ),
  'jwks-no-usable-key': error(
    'at least one key that verifies signatures: Ed25519 or P-256, with a kid',
    'publish such a key',
  ),
  'jwks-unusable-key': warning('keys that verifiers can use', 'correct the key, or remove it'),
  'jwks-duplicate-kid': error('a unique kid for each key', 'give each key its own kid'),
  'jwks-duplicate-key': error('each key once', 'remove the duplicate'),
  'jwks-weak-key': error('RSA keys of at least 2048 bits', 'remove the key'),
  'no-cors': warning(
    'the header Access-Control-Allow-Origin: *',
    'send this header, so that verifiers in browsers can read the document',
  ),
  layout: error('a formatted record', 'run `passport-registry check --fix`'),
  'record-removed': error(
    'every earlier record, because its passports may still be in use',
    'restore the record as it was; to end the issuer, set status: revoked',
  ),
  'revoked-is-final': error(
    'status: revoked, which is final',
    'restore the status; to return, register under another id',
  ),
  'suspension-not-lifted': error(
    'a reinstated that is later than the published suspension, and not in the future',
    'get the newest records (`git pull`); if nobody has pushed them, `suspend` the issuer here, too; only to end the suspension, run `suspend --end`, which writes reinstated',
  ),
  'certified-since-changed': error('the earlier certified_since', 'restore the earlier value'),
  'keys-moved': warning(
    'keys and metadata on the same host as before',
    'make sure that the issuer asked for the move; `check --online` shows whether the new host confirms it',
  ),
  'example-name': error(
    'a real name: alt, test, example, invalid, localhost and example.com, .net and .org are reserved',
    'remove the example, or write the URL of the issuer; for a demonstration, pass --allow-example-names',
  ),
  'duplicate-item': error('each item once', 'remove the duplicate'),
} as const satisfies Record<string, Rule>;

/** The stable name of a rule. */
export type RuleName = keyof typeof RULES;
