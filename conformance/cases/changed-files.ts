import type { Case } from './case.js';
import { base64, textOf } from './encoding.js';
import type { Files } from './files.js';
import { chosenFiles } from './flipped-bytes.js';
import { type Golden, golden } from './goldens.js';
import { makeCase, sealing } from './make-case.js';
import type { Patch } from './patch.js';
import { Registry } from './registry.js';

const TREES = [
  ...['plain', 'stated', 'empty', 'p256', 'levels-1', 'root-checkpoint', 'checkpoint', 'hold'],
  ...['checkpoint-without-statement', 'rotated', 'rotated-thrice', 'described'],
  ...['log', 'witnessed', 'pending', 'log-rotated', 'log-300'],
];

/** Files that are missing, empty, too short, doubled, or from elsewhere. */
export function* changedFiles(): Generator<Case> {
  for (const base of TREES) {
    const tree = golden(base);
    const other = sameForAnother(tree);
    for (const file of chosenFiles([...tree.files.keys()])) {
      for (const [name, patch] of changesOf(file, tree, other)) {
        const draft = { rule: 'roles', base, why: `The file is ${name}.` };
        yield makeCase({ ...draft, id: `file/${base}/${file}/${name}`, patches: [patch] });
        if (SEALED.includes(name) && file !== 'SHA256SUMS' && file !== 'checkpoint.jwt') {
          const patches = [patch, sealing(tree)];
          yield makeCase({ ...draft, id: `file/${base}/${file}/${name}-sealed`, patches });
        }
      }
    }
  }
}

/** Changes after which a tree is also sealed anew. */
const SEALED = ['removed', 'of another registry', 'of an earlier publication'];

function* changesOf(file: string, { files, registry }: Golden, other: Files): Generator<[string, Patch]> {
  const bytes = files.get(file) as Uint8Array;
  yield ['removed', { file, removed: true }];
  if (bytes.length > 0) {
    yield ['empty', { file, length: 0 }];
    yield ['a byte too short', { file, length: bytes.length - 1 }];
    yield ['doubled', { file, bytes: base64(new Uint8Array([...bytes, ...bytes])) }];
  }
  if (bytes.length < LARGE)
    yield ['with a newline more', { file, bytes: base64(new Uint8Array([...bytes, 10])) }];
  const foreign = other.get(file);
  if (foreign !== undefined && textOf(foreign) !== textOf(bytes)) {
    yield ['of another registry', { file, bytes: base64(foreign) }];
  }
  const earlier = registry.earlier.get(file);
  if (earlier !== undefined && textOf(earlier) !== textOf(bytes)) {
    yield ['of an earlier publication', { file, bytes: base64(earlier) }];
  }
}

const LARGE = 16_384;

/** The tree of a registry that is set up in the same way, and has other keys. */
function sameForAnother({ registry }: Golden): Files {
  const other = new Registry({ ...registry.setup, root: 'another root' });
  for (const [id, one] of registry.records) other.records.set(id, { ...one, tier: 'registered' });
  return other.publish().files;
}
