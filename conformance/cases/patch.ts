import { base64, jcs, sha256Hex, textOf, unbase64, utf8 } from './encoding.js';
import { checksumsOf, type Files } from './files.js';
import { decodeJwt, type Members, rawJwt } from './jwt.js';
import { key } from './keys.js';

/** A change of one file of a tree. */
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
  /** SHA256SUMS, the checkpoint for it and the copy of the statement are made anew. */
  | { readonly sealedBy: string };

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
  const before = files.get(patch.file) ?? new Uint8Array();
  if ('key' in patch) files.set(patch.file, utf8(resign(textOf(before), patch)));
  else if ('removed' in patch) files.delete(patch.file);
  else if ('text' in patch) files.set(patch.file, utf8(patch.text));
  else if ('bytes' in patch) files.set(patch.file, unbase64(patch.bytes));
  else if ('length' in patch) files.set(patch.file, before.slice(0, patch.length));
  else
    files.set(
      patch.file,
      before.map((byte, at) => (at === patch.at ? byte ^ patch.xor : byte)),
    );
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
  const list = files.get('issuers.json');
  const statement = files.get('publication.jwt');
  const copy = `snapshots/${list && sha256Hex(list)}/publication.jwt`;
  if (statement !== undefined && files.has(copy)) files.set(copy, statement);
  const sums = utf8(checksumsOf(files));
  files.set('SHA256SUMS', sums);
  if (!files.has('checkpoint.jwt')) return;
  apply(files, { file: 'checkpoint.jwt', key: signer, claims: { tree_sha256: sha256Hex(sums) } });
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
