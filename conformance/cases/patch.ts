import { base64, jcs, sha256Hex, textOf, unbase64, utf8 } from './encoding.js';
import { bytesAt, checksumsOf, type Files } from './files.js';
import { decodeJwt, type Members, rawJwt } from './jwt.js';
import { key } from './keys.js';
import { CHECKPOINT, memberOf, memberText, setMember, statementHash } from './statements.js';

/** A change of one file of a tree, or of a member of `statements.json`. */
export type Patch =
  /** New content, in base64 or as text. */
  | { readonly file: string; readonly bytes: string }
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly removed: true }
  /** One byte is another. */
  | { readonly file: string; readonly at: number; readonly xor: number }
  /** The file ends early. */
  | { readonly file: string; readonly length: number }
  | Resigned
  /** SHA256SUMS is made anew, and so is the checkpoint, for it and for the publication. */
  | { readonly sealedBy: string };

type FilePatch = Exclude<Patch, { readonly sealedBy: string }>;

/** A statement that is signed anew, with other members. */
export interface Resigned {
  readonly file: string;
  /** The name of the key that signs. */
  readonly key: string;
  /** The position of the statement, if the file is a rotation. */
  readonly step?: number;
  readonly claims?: Members;
  readonly header?: Members;
  /** The names of members that are removed, such as `claims.exp` or `header.kid`. */
  readonly without?: readonly string[];
}

/** Returns the files of a tree with the changes. */
export function patched(files: Files, patches: readonly Patch[]): Files {
  const copy = new Map(files);
  for (const patch of patches) apply(copy, patch);
  return copy;
}

function apply(files: Files, patch: Patch): void {
  if ('sealedBy' in patch) {
    sealAgain(files, patch.sealedBy);
    return;
  }
  const after = changed(bytesAt(files, patch.file) ?? new Uint8Array(), patch);
  const member = memberOf(patch.file);
  if (member !== undefined) setMember(files, member, after && textOf(after));
  else if (after === undefined) files.delete(patch.file);
  else files.set(patch.file, after);
}

/** Undefined: it is removed. */
function changed(before: Uint8Array, patch: FilePatch): Uint8Array | undefined {
  if ('removed' in patch) return undefined;
  if ('key' in patch) return utf8(resign(textOf(before), patch));
  if ('text' in patch) return utf8(patch.text);
  if ('bytes' in patch) return unbase64(patch.bytes);
  if ('length' in patch) return before.slice(0, patch.length);
  return before.map((byte, at) => (at === patch.at ? byte ^ patch.xor : byte));
}

function resign(text: string, { step, ...patch }: Resigned): string {
  if (step === undefined) return resignOne(text, patch);
  const steps = JSON.parse(text) as string[];
  return JSON.stringify(steps.map((one, at) => (at === step ? resignOne(one, patch) : one)));
}

function resignOne(text: string, { key: name, without = [], ...patch }: Resigned): string {
  const before = decodeJwt(text);
  const keep = (part: 'header' | 'claims') =>
    Object.fromEntries(
      Object.entries({ ...before[part], ...patch[part] }).filter(
        ([one]) => !without.includes(`${part}.${one}`),
      ),
    );
  return rawJwt(key(name), jcs(keep('header')), jcs(keep('claims')));
}

function sealAgain(files: Files, signer: string): void {
  const sums = utf8(checksumsOf(files));
  files.set('SHA256SUMS', sums);
  if (memberText(files, 'checkpoint') === undefined) return;
  const publication = statementHash(memberText(files, 'publication') ?? '');
  const claims = { publication, tree_sha256: sha256Hex(sums) };
  apply(files, { file: CHECKPOINT, key: signer, claims });
}

/** Returns the changes that make one tree of another. */
export function difference(from: Files, to: Files): Patch[] {
  const removed = [...from.keys()].filter((file) => !to.has(file));
  const changed = [...to].filter(([file, bytes]) => !isEqual(from.get(file), bytes));
  return [
    ...removed.map((file) => ({ file, removed: true }) as const),
    ...changed.map(([file, bytes]) => ({ file, bytes: base64(bytes) })),
  ];
}

function isEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one?.length === other.length && one.every((byte, at) => byte === other[at]);
}
