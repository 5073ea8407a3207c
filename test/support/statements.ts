import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes } from '@passport-registry/verifier/core';
import type { JWTPayload } from 'jose';

/*
 * A tree has all statements in statements.json. Tests take them apart: each is a file of its own then, so that a test replaces or
 * removes one like any other file, and `together` makes statements.json of them.
 */

/** The members of statements.json, and the path that each has in a tree that was taken apart. */
export const STATEMENT_PATHS = {
  publication: 'publication.jwt',
  checkpoint: 'checkpoint.jwt',
  rotation: 'keys/rotation.json',
  log_proof: 'log/publication.tlog-proof',
} as const;

export type StatementName = keyof typeof STATEMENT_PATHS;

const NAMES = Object.keys(STATEMENT_PATHS) as StatementName[];

/** Returns the files of a tree with each statement as a file of its own, and without statements.json. */
export function apart(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const taken = new Map(files);
  const bytes = taken.get('statements.json');
  if (bytes === undefined) return taken;
  taken.delete('statements.json');
  const members: Record<string, unknown> = JSON.parse(bytes.toString());
  for (const name of NAMES) {
    const member = members[name];
    if (member === undefined) continue;
    const text = name === 'rotation' ? JSON.stringify(member) : String(member);
    taken.set(STATEMENT_PATHS[name], Buffer.from(text));
  }
  return taken;
}

/**
 * Returns the files of a tree with statements.json, made of the statements that are files of their own. A tree that has the file
 * already keeps it.
 */
export function together(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const whole = new Map(files);
  const found = NAMES.filter((name) => whole.has(STATEMENT_PATHS[name]));
  const members = found.map((name) => [name, memberOf(name, whole.get(STATEMENT_PATHS[name]) as Buffer)]);
  for (const name of found) whole.delete(STATEMENT_PATHS[name]);
  if (found.length === 0 || whole.has('statements.json')) return whole;
  return whole.set('statements.json', Buffer.from(canonicalBytes(Object.fromEntries(members))));
}

/** The member for the content of a file. A rotation that is no JSON is a string, which no reader accepts. */
function memberOf(name: StatementName, bytes: Buffer): unknown {
  if (name !== 'rotation') return bytes.toString();
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.toString();
  }
}

/** Answers a request for a file as a static host does. */
export function responseFrom(files: ReadonlyMap<string, Buffer>, path: string): Response {
  const bytes = together(files).get(path);
  return bytes === undefined ? new Response('', { status: 404 }) : new Response(new Uint8Array(bytes));
}

/** Returns the members of the statements in a store. */
export function storedMembers(stored: { readonly statements: string } | undefined): {
  readonly publication?: string;
  readonly checkpoint?: string;
  readonly rotation?: readonly string[];
  readonly log_proof?: string;
} {
  return stored === undefined ? {} : JSON.parse(stored.statements);
}

/** Decodes the claims of a statement without verification. */
export function claimsOf<Claims = JWTPayload>(jwt: Uint8Array | string): Claims {
  const [, payload = ''] = Buffer.from(jwt).toString().split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

/** Returns a statement of a tree in a folder. @throws if the tree does not have it */
export function statementIn(tree: string, name: StatementName): string {
  const found = apart(new Map([['statements.json', readFileSync(join(tree, 'statements.json'))]]));
  const text = found.get(STATEMENT_PATHS[name])?.toString();
  if (text === undefined) throw new Error(`${tree} has no ${name}`);
  return text;
}

/** Replaces a statement of a tree in a folder, or removes it with undefined. */
export function setStatement(tree: string, name: StatementName, text: string | Uint8Array | undefined): void {
  const file = join(tree, 'statements.json');
  const members: Record<string, unknown> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const { [name]: _old, ...others } = members;
  const changed = text === undefined ? others : { ...others, [name]: memberOf(name, Buffer.from(text)) };
  mkdirSync(tree, { recursive: true });
  writeFileSync(file, canonicalBytes(changed));
}

/** Returns which statement a path names that was taken apart, and the tree that it is in. Undefined for any other path. */
export function statementAt(
  path: string,
): { readonly tree: string; readonly name: StatementName } | undefined {
  for (const name of NAMES) {
    const own = STATEMENT_PATHS[name];
    if (path === own || path.endsWith(`/${own}`)) return { tree: path.slice(0, -own.length), name };
  }
  return undefined;
}

/** Reads a file of a tree in a folder; a statement by the path that it has when it is taken apart. @throws if it is not there */
export function readTreeFile(file: string): Buffer {
  const statement = statementAt(file);
  if (statement === undefined) return readFileSync(file);
  return Buffer.from(statementIn(statement.tree, statement.name));
}

/** Removes a file of a tree in a folder, or a statement. */
export function removeTreeFile(file: string): void {
  const statement = statementAt(file);
  if (statement === undefined) rmSync(file, { recursive: true });
  else setStatement(statement.tree, statement.name, undefined);
}
