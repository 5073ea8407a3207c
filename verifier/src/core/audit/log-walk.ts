import { isSameBytes } from '../bytes/encodings.js';
import { shown } from '../bytes/fault.js';
import type { Invalid } from '../bytes/utf8.js';
import { hasCode, RegistryError, type RegistryErrorCode } from '../errors.js';
import type { RootKey } from '../keys/root-key.js';
import { canonicalBytes } from '../list/canonical.js';
import { type AnyEntry, entryBytes, type UnknownEntry } from '../log/log-entry.js';
import { successorIn } from '../statements/rotation.js';
import { type Statement, statementHash, verifyStatement } from '../statements/statement.js';
import { orderAfter, orderProblems, statementProblems } from './log-order.js';
import {
  importLogRoot,
  type LogRoot,
  type LogState,
  passEntry,
  stateAfter,
  type VerifiedEntry,
} from './log-state.js';
import { type LoggedStatement, readLogged } from './log-statement.js';

/** An entry and its statement. One of the two can be missing. */
export interface WalkedEntry {
  /** Undefined if the entry follows from its statement. */
  readonly entry?: AnyEntry | undefined;
  /** Undefined if the statement is not verified here. The entry is then passed. */
  readonly statement?: Uint8Array | string | undefined;
  /** Whether the signature of the statement was verified before. The signature of a rotation step is always verified. */
  readonly isVerified?: boolean | undefined;
}

/** What is wrong with an entry. */
export interface LogProblem {
  /** `signature`, `entry`: the statement is refused, because of its signer or its content. `order`: it may not follow. */
  readonly kind: 'signature' | 'entry' | 'order';
  readonly index: number;
  /** The rule of docs/protocol/log.md. */
  readonly rule: 'log-statements' | 'log-order';
  /** Why the content of the statement is refused, if there is a code for that. */
  readonly code?: RegistryErrorCode | undefined;
  /** What is wrong, in words that name the entry as "it". */
  readonly message: string;
}

/** What a walk has found. */
interface LogWalk {
  readonly state: LogState;
  /** What was verified of each entry, apart from a signature of an unknown first root key: see {@link VerifiedEntry}. */
  readonly verified: readonly VerifiedEntry[];
  readonly problems: readonly LogProblem[];
}

/**
 * Verifies the next entries of a log, in batches of any size: the root key in force has signed each statement, the entry
 * says what its statement says, and it may follow those before (rules log-statements, log-order, other-entries). A refused
 * statement changes neither the root key in force nor the keys of the log.
 */
export async function walkLog(begin: LogState, batch: readonly WalkedEntry[]): Promise<LogWalk> {
  const imported = new Map<LogRoot, Promise<RootKey>>();
  const importRoot: ImportRoot = (root) => {
    const key = imported.get(root) ?? importLogRoot(root);
    imported.set(root, key);
    return key;
  };
  const verified: VerifiedEntry[] = [];
  const problems: LogProblem[] = [];
  let state = begin;
  for (const { entry, statement, isVerified } of batch) {
    const { size: index, order } = state;
    const addOrder = (messages: readonly string[]) => {
      const place = { kind: 'order', index, rule: 'log-order' } as const;
      problems.push(...messages.map((message) => ({ ...place, message })));
    };
    if (statement === undefined) {
      if (entry === undefined) throw new TypeError('neither an entry nor its statement was passed');
      addOrder(orderProblems(entry, order));
      state = passEntry(state, entry);
      continue;
    }
    try {
      const one = await verifiedEntry({ entry, statement, isVerified }, state, importRoot);
      addOrder(orderProblems(one.entry, order));
      if (one.type === 'publication')
        addOrder(statementProblems(one.publication, order.publication, state.promises));
      verified.push(one);
      state = stateAfter(state, one);
    } catch (error) {
      if (!(error instanceof EntryRefused)) throw error;
      const { kind, message, code } = error;
      problems.push({ kind, index, rule: 'log-statements', code, message });
      state = { ...state, size: index + 1, order: entry === undefined ? order : orderAfter(order, entry) };
    }
  }
  return { state, verified, problems };
}

type ImportRoot = (root: LogRoot) => Promise<RootKey>;

class EntryRefused extends Error {
  readonly kind: 'signature' | 'entry';
  readonly code: RegistryErrorCode | undefined;

  constructor(kind: 'signature' | 'entry', message: string, cause?: unknown) {
    super(`its statement ${message}`, { cause });
    this.kind = kind;
    this.code = cause instanceof RegistryError ? cause.code : undefined;
  }
}

const badSigner = (message: string) => new EntryRefused('signature', message);
const badContent: Invalid = (message, cause) => new EntryRefused('entry', message, cause);

/**
 * Verifies a statement, and that its entry says the same. The key to which a step leads is read last, by a function that
 * throws a {@link RegistryError} (`successorIn`), which becomes an {@link EntryRefused}. The others throw one themselves.
 *
 * @throws {@link EntryRefused}
 */
async function verifiedEntry(
  { entry: given, statement: jwt, isVerified }: WalkedEntry & { readonly statement: Uint8Array | string },
  state: LogState,
  importRoot: ImportRoot,
): Promise<VerifiedEntry> {
  const logged = await readLogged(jwt, state.order.steps, badContent);
  const { statement } = logged;
  if (given !== undefined && statementHash(statement.text) !== given.sha256)
    throw badContent('does not have the hash in the entry');
  const isSigned = await wasSigned(statement, state, {
    importRoot,
    isVerified: isVerified === true && logged.entry?.type !== 'rotation',
  });
  const base = { index: state.size, statement };
  const entry = assertSame(logged, given);
  if (entry.type === 'unknown') return { ...base, type: entry.type, entry, named: entry.named };
  if (logged.publication !== undefined)
    return { ...base, type: 'publication', entry, publication: logged.publication };
  try {
    const chain = await Promise.all(chainOf(state, statement.kid).map(importRoot));
    // The key before must be committed to it (rule commitment-followed).
    const next = await successorIn(statement, chain);
    return { ...base, type: 'rotation', entry, next: isSigned ? next : await importRoot(known(next, state)) };
  } catch (error) {
    throw error instanceof RegistryError ? badContent(`is refused: ${error.message}`, error) : error;
  }
}

/** Returns the root keys up to the one with a thumbprint, oldest first. Empty if there is none. */
function chainOf({ roots }: LogState, kid: string | undefined): readonly LogRoot[] {
  return roots.slice(0, roots.findIndex(({ thumbprint }) => thumbprint === kid) + 1);
}

/** Returns a key as it was known before: a step that nobody can verify neither introduces a key nor commits one. */
function known({ thumbprint }: RootKey, { roots }: LogState): LogRoot {
  const root = roots.find((one) => one.thumbprint === thumbprint);
  if (root === undefined)
    throw badContent(`leads to the unknown root key ${thumbprint}, and nobody can verify who signed it`);
  return root;
}

/** Verifies who signed a statement. Returns false if nobody can: the first root key has signed it, which is unknown. */
async function wasSigned(
  statement: Statement,
  { roots, inForce, unknownRoot }: LogState,
  { importRoot, isVerified }: { readonly importRoot: ImportRoot; readonly isVerified: boolean },
): Promise<boolean> {
  const { kid } = statement;
  if (kid !== (inForce ?? kid)) {
    throw badSigner(`is signed by ${shown(kid)}, but the root key in force there is ${inForce}`);
  }
  const root = roots.find(({ thumbprint }) => thumbprint === kid);
  // Nobody can verify what the first root key signed before its rotation, if a tree has only its thumbprint.
  if (root === undefined && kid !== undefined && kid === unknownRoot) return false;
  if (root === undefined) throw badSigner('is not signed by the root key, an earlier or a later one');
  if (isVerified) return true;
  await verifyStatement(statement, await importRoot(root), { clock: undefined, invalid: badSigner });
  return true;
}

/** Asserts that the entry in the log is the one that follows from the statement, and returns it. */
function assertSame({ entry, statement }: LoggedStatement, given: AnyEntry | undefined): AnyEntry {
  if (entry === undefined) {
    if (given?.type === 'unknown' && saysNoMore(given, statement)) return given;
    if (given?.type === 'unknown') throw badContent('does not say what the entry says');
    throw badContent('is of a type that this version does not know, but the entry is not');
  }
  if (given === undefined || entryText(given) === entryText(entry)) return entry;
  throw badContent('does not say what the entry says');
}

/**
 * Whether an entry of an unknown type says nothing that its statement does not say, so that a log contains nothing that the
 * root key has not signed: its type is that of the statement, and each other member is a claim (rule other-entries).
 */
function saysNoMore({ named, text }: UnknownEntry, { type, claims }: Statement): boolean {
  const { type: _type, sha256: _sha256, ...members } = JSON.parse(text) as Record<string, unknown>;
  const isClaim = ([name, value]: [string, unknown]) =>
    Object.hasOwn(claims, name) && isSameJson(value, claims[name]);
  return type === `registry-${named}+jwt` && Object.entries(members).every(isClaim);
}

/** Returns whether a value of an entry equals a claim, which may have no canonical form. */
function isSameJson(value: unknown, claim: unknown): boolean {
  try {
    return isSameBytes(canonicalBytes(value), canonicalBytes(claim));
  } catch (error) {
    if (hasCode(error, 'ERR_NOT_CANONICALIZABLE')) return false;
    throw error;
  }
}

const entryText = (entry: AnyEntry) => new TextDecoder().decode(entryBytes(entry));
