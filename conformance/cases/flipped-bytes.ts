import type { Case } from './case.js';
import { golden } from './goldens.js';
import { makeCase, sealing } from './make-case.js';

/** Golden trees, and into how many places of each file to put a wrong bit. */
const TREES: Readonly<Record<string, number>> = {
  plain: 8,
  stated: 8,
  p256: 5,
  'levels-1': 5,
  'root-checkpoint': 5,
  checkpoint: 9,
  'checkpoint-without-statement': 4,
  hold: 5,
  rotated: 5,
  'rotated-thrice': 5,
  described: 6,
  log: 4,
  witnessed: 6,
  pending: 4,
  'log-rotated': 4,
};

/** Of large trees, as many records and sums files as this. */
const FILES_OF_A_KIND = 6;
const MASKS = [0x01, 0x20, 0x80, 0x04];

/** One wrong bit: at both ends of each file and of each part of a JWT, and between them. Every second tree is sealed anew. */
export function* flippedBytes(): Generator<Case> {
  for (const [base, places] of Object.entries(TREES)) {
    const tree = golden(base);
    for (const file of chosenFiles([...tree.files.keys()])) {
      const bytes = tree.files.get(file) as Uint8Array;
      for (const [number, at] of placesIn(bytes, places).entries()) {
        const xor = MASKS[(number + file.length) % MASKS.length] as number;
        const isSealed = (number + file.length) % 2 === 1;
        yield makeCase({
          id: `byte/${base}/${file}/${at}-${xor}${isSealed ? '-sealed' : ''}`,
          ...{ rule: 'roles', base },
          patches: [{ file, at, xor }, ...(isSealed && !NEVER_SEALED.includes(file) ? [sealing(tree)] : [])],
          why: 'One bit of the file is wrong.',
        });
      }
    }
  }
}

/** A seal replaces these files. */
const NEVER_SEALED = ['SHA256SUMS', 'checkpoint.jwt'];

/** Leaves out most of the records and the sums files of a large tree. */
export function chosenFiles(files: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return files.filter((file) => {
    const kind = /^(issuers\/|sums\/(?!root)|log\/statements\/)/.exec(file)?.[0] ?? file;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= FILES_OF_A_KIND;
  });
}

function placesIn(bytes: Uint8Array, count: number): number[] {
  const last = bytes.length - 1;
  const even = Array.from({ length: count }, (_one, at) => Math.round((at * last) / (count - 1)));
  const dots = bytes.length < 16_384 ? [...bytes.keys()].filter((at) => bytes[at] === DOT).slice(0, 2) : [];
  const isJwt = bytes[0] === FIRST_OF_JWT;
  const ends = isJwt ? dots.flatMap((at) => [at - 1, at, at + 1]) : [];
  return [...new Set([...even, ...ends])].filter((at) => at >= 0 && at <= last).sort((a, b) => a - b);
}

const DOT = '.'.charCodeAt(0);
const FIRST_OF_JWT = 'e'.charCodeAt(0);
