import {
  type AnyEntry,
  isObject,
  ONLINE_MEMBERS,
  parseStrictJson,
  readCompactJws,
  STATEMENT_CLAIMS,
  STATEMENT_TYPES,
  STATEMENTS_MEMBERS,
  type Statement,
  type StatementsFile,
  type StatementType,
  TIME_CLAIMS,
} from '@passport-registry/verifier/core';
import { shown } from '../diagnostics/diagnostic.js';
import { roleOf } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';

/** Something in a tree that this version does not know. A later version may have added it, so it is no fault. */
export interface Note {
  /**
   * `file-unknown`: SHA256SUMS lists the file, whose hash was checked. `file-unlisted`: nothing lists it, and a mirror
   * leaves it out. `member-unknown`: `statements.json` has the
   * member. `claim-unknown`: a verified statement has the claim. `entry-unknown`: the root key has signed the
   * statement of an entry of the log, and this version does not know its type.
   */
  readonly code: 'file-unknown' | 'file-unlisted' | 'member-unknown' | 'claim-unknown' | 'entry-unknown';
  /** The file. For an entry, its statement; of several, the first. */
  readonly path: string;
  readonly message: string;
}

const UNKNOWN = 'which this version does not know';

/**
 * Notes the files that a later version may have added.
 *
 * @param paths - the paths of the tree
 * @param isListed - whether SHA256SUMS lists a path
 */
export function unknownFiles(paths: readonly string[], isListed: (path: string) => boolean): Note[] {
  const added = paths.filter((path) => roleOf(path) === 'added').sort();
  const [listed, unlisted] = [added.filter(isListed), added.filter((path) => !isListed(path))];
  return [...listed.map(unknownFile), ...unlisted.map(unlistedFile)];
}

const unknownFile = (path: string): Note => ({
  code: 'file-unknown',
  path,
  message: `${path} is in ${PATHS.checksums}, but of a kind ${UNKNOWN}`,
});

/** Notes an unlisted file. */
export const unlistedFile = (path: string): Note => ({
  code: 'file-unlisted',
  path,
  message: `${path} is in no list of files, and of a kind ${UNKNOWN}: nothing proves it, hosts serve it, and mirrors leave it out; delete it if it was not meant`,
});

/** Notes unknown members of `statements.json`. @param bytes - the file, which has its form */
export function unknownMembers(bytes: Uint8Array): Note[] {
  const members = Object.keys(parseStrictJson(bytes) as object);
  const unknown = members.filter((member) => !STATEMENTS_MEMBERS.includes(member));
  if (unknown.length === 0) return [];
  const message = `${PATHS.statements} has the member ${unknown.map(shown).join(', ')}, ${UNKNOWN}`;
  return [{ code: 'member-unknown', path: PATHS.statements, message }];
}

/** The checks that verify statements. */
type StatementCheck = 'publication' | 'checkpoint' | 'rotation';

/** Notes unknown claims of the published statements. @param passed - whether a check has passed */
export function unknownClaimNotes(
  { publication, checkpoint, rotation }: StatementsFile,
  passed: (check: StatementCheck) => boolean,
): Note[] {
  const statements = { publication: [publication], checkpoint: [checkpoint], rotation };
  return (Object.keys(statements) as StatementCheck[]).flatMap((check): Note[] => {
    const claims = passed(check) ? [...new Set(statements[check].map(parsed).flatMap(unknownClaims))] : [];
    if (claims.length === 0) return [];
    const message = `${check} in ${PATHS.statements} ${haveClaims(claims)}`;
    return [{ code: 'claim-unknown', path: PATHS.statements, message }];
  });
}

function parsed(jwt: string): Pick<Statement, 'type' | 'claims'> {
  const { type, payload } = readCompactJws(jwt, STATEMENT_TYPES);
  return { type, claims: payload };
}

/**
 * Returns the claims of a verified statement that a later version has added. Verifiers ignore them. None if the type of the
 * statement is unknown, too.
 */
export function unknownClaims({ type, claims }: Pick<Statement, 'type' | 'claims'>): string[] {
  if (!Object.hasOwn(STATEMENT_CLAIMS, type)) return [];
  const known: readonly string[] = [...TIME_CLAIMS, ...STATEMENT_CLAIMS[type as StatementType]];
  const unknown = Object.keys(claims).filter((claim) => !known.includes(claim));
  if (type !== 'registry-publication+jwt') return unknown;
  const { online } = claims;
  const members = isObject(online) ? Object.keys(online) : [];
  const added = members.filter((member) => !ONLINE_MEMBERS.includes(member));
  return [...unknown, ...added.map((member) => `online.${member}`)];
}

/** Says that a statement has claims, as a predicate. */
export const haveClaims = (claims: readonly string[]): string =>
  `has the claim ${claims.map(shown).join(', ')}, ${UNKNOWN}`;

/** Notes unknown entries of a verified log, one note for each type. */
export function unknownEntries(
  entries: readonly { readonly index: number; readonly entry: AnyEntry }[],
): Note[] {
  const byType = new Map<string, number[]>();
  for (const { index, entry } of entries) {
    if (entry.type !== 'unknown') continue;
    const found = byType.get(entry.named);
    if (found === undefined) byType.set(entry.named, [index]);
    else found.push(index);
  }
  return [...byType].map(([type, [first = 0, ...more]]): Note => {
    const others = more.length === 0 ? '' : ` (and ${more.length} later ones)`;
    const message = `entry ${first} of the log${others} ${entryIsUnknown(type)}`;
    return { code: 'entry-unknown', path: PATHS.loggedStatement(first), message };
  });
}

/** Says that an entry is of an unknown type, as a predicate. */
export const entryIsUnknown = (type: string): string => `has the type ${type}, ${UNKNOWN}`;
