import { isObject, isObjectOf } from '../bytes/checks.js';
import { sha256Hex } from '../bytes/sha256.js';
import { jsonOf } from '../bytes/strict-json.js';
import { type Invalid, textOf } from '../bytes/utf8.js';
import { isAboutField } from '../generated/about-predicates.js';
import { isValidIssuerId } from '../generated/predicates.js';
import type { AboutIssuer } from '../generated/schemas.js';
import type { PublicationStatement } from '../statements/publication-statement.js';

/** What is said of issuers beside the list, by issuer_id: names, reasons, and since when they are not active. */
export type AboutIssuers = ReadonlyMap<string, AboutIssuer>;

/**
 * Reads `about.json` (rule about-file). The form proves nothing: a program that shows a name must first compare the hash of
 * the file with `about_sha256` of the publication statement.
 *
 * @param invalid - creates the error to throw
 */
export function readAbout(bytes: Uint8Array, invalid: Invalid): AboutIssuers {
  const text = textOf(bytes, invalid);
  // Other members, and one that appears twice, are refused below: the text is not in canonical form then.
  const value = jsonOf(text, invalid);
  const issuers = isObject(value) ? value['issuers'] : undefined;
  if (!isObject(issuers)) throw invalid('is not an object with a member issuers');
  const about = new Map<string, AboutIssuer>();
  for (const [id, said] of Object.entries(issuers)) {
    if (
      !isValidIssuerId(id) ||
      !isObjectOf(said, [], isAboutField) ||
      Object.keys(said as object).length === 0
    )
      throw invalid(`has an invalid entry for ${JSON.stringify(id)}`);
    about.set(id, said as AboutIssuer);
  }
  if (about.size === 0) throw invalid('has no issuers');
  if (canonicalAbout(about) !== text) throw invalid('is not in canonical form');
  return about;
}

/**
 * Reads the names, reasons and times that a verified publication statement names. They are for people and publishers: no
 * verifier decides by them.
 *
 * @param bytes - the content of `about.json`; undefined if the source has no such file
 * @param statement - from `verifyPublicationStatement`
 * @returns the names and reasons by `issuer_id`; empty if the registry has none. Undefined if they are not known, because the
 *   file is missing or is not the one that the statement names
 *
 * @example
 * ```ts
 * import { importRootKey } from '@passport-registry/verifier';
 * import { ANY_TIME, verifyAbout, verifyPublicationStatement } from '@passport-registry/verifier/core';
 *
 * const rootKey = await importRootKey(pinnedJwk);
 * const { publication } = await (await fetch('https://registry.example/statements.json')).json();
 * const statement = await verifyPublicationStatement(publication, rootKey, ANY_TIME);
 * const file = await fetch('https://registry.example/about.json');
 * const about = await verifyAbout(file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined, statement);
 * console.log('aurora-bank', about?.get('aurora-bank')?.name ?? '');
 * ```
 */
export async function verifyAbout(
  bytes: Uint8Array | undefined,
  { aboutSha256 }: Pick<PublicationStatement, 'aboutSha256'>,
): Promise<AboutIssuers | undefined> {
  if (aboutSha256 === undefined) return new Map();
  if (bytes === undefined || (await sha256Hex(bytes)) !== aboutSha256) return undefined;
  try {
    return readAbout(bytes, (message) => new Error(message));
  } catch {
    return undefined;
  }
}

/** The canonical form (RFC 8785) of names and reasons. Strings need no more, and a bundle is smaller without the library. */
function canonicalAbout(about: AboutIssuers): string {
  const entries = [...about.keys()].sort().map((id) => {
    const { name, reinstated, status_reason, status_since } = about.get(id) as AboutIssuer;
    return `"${id}":${JSON.stringify({ name, reinstated, status_reason, status_since })}`;
  });
  return `{"issuers":{${entries.join()}}}`;
}
