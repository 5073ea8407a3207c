import { jcs, sha256Hex, textOf, utf8 } from './encoding.js';

/** The files of a tree, by path. */
export type Files = Map<string, Uint8Array>;

/** The file of all statements (rule statements-file). */
export const STATEMENTS = 'statements.json';

/** Members of `statements.json`, as patches name them. A rotation is the JSON text of its array. */
export const PUBLICATION = 'statements.json#publication';
export const CHECKPOINT = 'statements.json#checkpoint';
export const ROTATION = 'statements.json#rotation';
export const LOG_PROOF = 'statements.json#log_proof';

/** The name of the member that a path means, or undefined if it means a whole file. */
export function memberOf(path: string): string | undefined {
  const [file, member] = path.split('#');
  return file === STATEMENTS ? member : undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** The members of `statements.json`, or none if an earlier change has made something else of the file. */
export function membersIn(files: Files): Members {
  try {
    const parsed: unknown = JSON.parse(textOf(files.get(STATEMENTS) ?? new Uint8Array()));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Members) : {};
  } catch {
    return {};
  }
}

/** The text of a member: a string as it is, anything else as JSON. */
export function memberText(files: Files, member: string): string | undefined {
  const value = membersIn(files)[member];
  return value === undefined || typeof value === 'string' ? value : jcs(value);
}

/** Replaces or removes a member. A rotation gets the text as it is, which need not be JSON. */
export function setMember(files: Files, member: string, text: string | undefined): void {
  const { [member]: _before, ...others } = membersIn(files);
  const members = Object.entries(others).map(([name, value]) => [name, jcs(value)] as const);
  const encoded = member === 'rotation' ? text : JSON.stringify(text);
  const all = [...members, ...(encoded === undefined ? [] : [[member, encoded] as const])];
  const sorted = all.sort(([one], [other]) => (one < other ? -1 : 1));
  const body = sorted.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
  files.set(STATEMENTS, utf8(`{${body}}`));
}

/** The steps of the rotation. */
export const rotationIn = (files: Files): readonly string[] =>
  JSON.parse(memberText(files, 'rotation') ?? '[]') as string[];

/** The hash of a statement: that of its signing input (rule statement-hash). */
export const statementHash = (jwt: string): string => sha256Hex(utf8(jwt.slice(0, jwt.lastIndexOf('.'))));
