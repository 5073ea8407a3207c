import type { Case, Role, ShownTree, Step } from './case.js';
import { ODD_VALUES } from './claims.js';
import { Dice } from './dice.js';
import { base64, concatBytes, textOf } from './encoding.js';
import { bytesAt, bytesIn, type Files, textIn } from './files.js';
import { type Anchor, GOLDEN_NAMES, golden } from './goldens.js';
import { decodeJwt } from './jwt.js';
import { key } from './keys.js';
import { filesOf, makeCase, shown, signerOf } from './make-case.js';
import type { Patch } from './patch.js';
import { logAhead, type Registry } from './registry.js';
import {
  CHECKPOINT,
  LOG_PROOF,
  membersIn,
  memberText,
  PUBLICATION,
  ROTATION,
  STATEMENTS,
} from './statements.js';

/** Trees with a log, and some that have more of something else. */
const BASES = ['log', 'witnessed', 'log-rotated', 'witnessed', 'log-rotated', 'hold', 'rotated-thrice'];
const KEYS = ['root', 'root 2', 'root 3', 'spare', 'online', 'log', 'p256 root'];
/** How long a verifier waits after a publication, in seconds: among them are a tolerance, a lifetime and a maximum age. */
const PAUSES = [1, 60, 299, 301, 3600, 20_000, 21_600, 2_592_000];
const ISSUERS = ['alpha', 'beta', 'gamma', 'delta'];
const SIGNED = [PUBLICATION, CHECKPOINT, ROTATION];

/**
 * Makes random trees: what an operator, honest or not, can do with a registry, and then what can happen to its files.
 * Every number of cases begins with the same ones.
 *
 * @param seed - another seed makes other cases
 */
export function* mutations(seed: number, count: number): Generator<Case> {
  for (let number = 0; number < count; number++) yield mutation(seed, number);
}

function mutation(seed: number, number: number): Case {
  const dice = new Dice(Math.imul(seed, 1_000_003) + number);
  const base = dice.pick(BASES);
  const role = dice.pick<Role>(['client', 'client', 'lookup', 'log']);
  const steps = dice.pick([1, 1, 2, 3]);
  return makeCase(role, {
    ...{ id: `mutation/${seed}/${number}`, rule: 'client-steps', base },
    why: 'Random changes: nobody has said what is right, but two verifiers must say the same.',
    anchor: JSON.stringify(dice.once(8) ? oddAnchor(golden(base).anchor, dice) : golden(base).anchor),
    steps: stepsOf(base, steps, dice),
  });
}

function stepsOf(base: string, count: number, dice: Dice): Step[] {
  const registry = golden(base).registry.copy();
  let now = golden(base).now;
  return Array.from({ length: count }, (_one, at): Step => {
    // The second tree of a sequence goes on from the first one, or from the golden tree: then it is another history.
    const works = dice.once(4) ? golden(base).registry.copy() : registry;
    for (let number = dice.pick([0, 0, 1, 2]); number > 0; number--) dice.pick(WORKS)(works, dice);
    now = Math.max(now, (works.now + 600) * 1000) + (dice.once(3) ? dice.pick(PAUSES) : 0) * 1000;
    return {
      now,
      sources: [mutated(shown(works, base), count === 1 ? 3 : 2, dice)],
      ...(at > 0 && dice.once(3) && { restarts: true }),
    };
  });
}

/** What is done with a registry by chance. */
type RandomWork = (registry: Registry, dice: Dice) => unknown;

const oddClaim = (names: readonly string[], dice: Dice) => {
  const [, value] = dice.pick([...ODD_VALUES, ['nothing', undefined] as const]);
  return { [dice.pick(names)]: value };
};

const TIMES = ['iat', 'exp', 'nbf'];
const LISTED = ['updated_at', 'sha256', 'size', 'sequence', 'issuers'];
const STATED = [...TIMES, ...LISTED, 'levels', 'sums_sha256', 'previous', 'log', 'online', 'more'];
const CHECKED = [...TIMES, 'publication', 'tree_sha256', 'hold', 'more'];

const WORKS: readonly RandomWork[] = [
  (registry) => registry.publish(),
  (registry, dice) => registry.publish({ claims: oddClaim(STATED, dice) }),
  (registry, dice) => registry.publish({ checkpoint: oddClaim(CHECKED, dice) }),
  (registry, dice) => registry.publish({ at: registry.now + dice.pick([-120, -60, 0, 60, 300, 900]) }),
  (registry, dice) => registry.publish({ sequence: registry.sequence + dice.pick([-1, 0, 1, 40]) }),
  logAhead,
  (registry, dice) =>
    registry.change(dice.pick(ISSUERS), { status: dice.pick(['active', 'suspended', 'revoked']) }).publish(),
  (registry, dice) =>
    registry
      .change(dice.pick(ISSUERS), oddClaim(['policy_uri', 'domain_scope', 'tier', 'contact', 'more'], dice))
      .publish(),
  (registry, dice) =>
    registry.rotate(dice.pick(KEYS), dice.once(2) ? [dice.pick(KEYS), dice.pick(KEYS)] : undefined),
  (registry, dice) =>
    registry.rotate(dice.pick(KEYS), undefined, oddClaim(['step', 'iat', 'next_roots', 'exp'], dice)),
  (registry, dice) => registry.permit(oddClaim(['keys', 'exp', 'hold', 'more'], dice)),
  (registry, dice) => registry.permit({ exp: registry.now + dice.pick([-60, 0, 9, 10, 11, 60]) }),
  (registry, dice) => {
    registry.online = key(dice.pick(KEYS));
    registry.seal({ iat: registry.now + dice.pick([10, 11, 60]) });
  },
  (registry, dice) => registry.seal({ iat: registry.now + dice.pick([-60, 0, 9, 10, 11, 300]) }),
  (registry, dice) => {
    registry.hold = dice.pick([[], ['alpha'], ['beta'], ['alpha', 'beta'], ['beta', 'alpha'], ['none']]);
    registry.seal({ iat: registry.now + dice.pick([10, 11, 60]) });
  },
  (registry, dice) => {
    // Without a log, nothing is chosen.
    if (registry.log) registry.cosign({ by: dice.below(4) });
    registry.seal();
  },
  (registry, dice) => {
    const pauses = [-2_600_000, -60, 0, 60, 899, 901];
    if (registry.log) registry.cosign({ at: registry.now + dice.pick(pauses) });
    registry.seal();
  },
];

/** A tree to whose files something happens, a few times. */
function mutated({ base, patches }: ShownTree, most: number, dice: Dice): ShownTree {
  const changes = [...patches];
  for (let number = dice.below(most + 1); number > 0; number--) {
    const files = filesOf({ base, patches: changes });
    changes.push(...dice.pick(ACCIDENTS)(files, base, dice));
  }
  return { base, patches: changes };
}

/** What happens to the files of a tree. */
type Accident = (files: Files, base: string, dice: Dice) => readonly Patch[];

/** The files that clients read. */
const READ = /^(issuers\.json|statements\.json|log\/tile\/\d|sums\/|issuers\/|lists\/)/;
const PARTS = [CHECKPOINT, LOG_PROOF, PUBLICATION, ROTATION];
const isThere = (files: Files) => (path: string) => bytesAt(files, path) !== undefined;
const readFiles = (files: Files) => [
  ...[...files.keys()].filter((file) => READ.test(file)).sort(),
  ...PARTS.filter(isThere(files)),
];

const ACCIDENTS: readonly Accident[] = [
  (files, _base, dice) => [{ file: dice.pick(readFiles(files)), removed: true }],
  (files, _base, dice) => {
    const [file, other] = [dice.pick(readFiles(files)), dice.pick([...files.keys(), ...PARTS].sort())];
    if (!isThere(files)(other)) return [];
    return [{ file, bytes: base64(bytesIn(files, other)) }];
  },
  (files, _base, dice) => {
    const file = dice.pick(readFiles(files));
    const others = golden(dice.pick(GOLDEN_NAMES.filter((name) => !/-\d/.test(name)))).files;
    const other = bytesAt(others, file);
    return [other === undefined ? { file, removed: true } : { file, bytes: base64(other) }];
  },
  (files, _base, dice) => {
    const file = dice.pick(readFiles(files));
    return [{ file, length: dice.below(bytesIn(files, file).length + 1) }];
  },
  (files, _base, dice) => {
    const file = dice.pick(readFiles(files));
    const [before, after] = [dice.pick(['', '', ' ', '\n', '\ufeff']), dice.pick(['', '\n', ' ', '\0', '='])];
    const [one, other] = [before, after].map((text) => new TextEncoder().encode(text)) as [
      Uint8Array,
      Uint8Array,
    ];
    return [{ file, bytes: base64(concatBytes(one, bytesIn(files, file), other)) }];
  },
  (files, _base, dice) => {
    const file = dice.pick(readFiles(files));
    return [{ file, at: dice.below(bytesIn(files, file).length || 1), xor: 1 << dice.below(8) }];
  },
  (files, base, dice) => resigned(files, base, dice),
  (files, base, dice) => resigned(files, base, dice),
  (files, _base, dice) => {
    const file = dice.pick(linedFiles(files)) ?? 'sums/root';
    return [{ file, text: otherLines(files, file, dice) }];
  },
  (files, _base, dice) => {
    const proof = isThere(files)(LOG_PROOF) ? LOG_PROOF : 'sums/root';
    return [{ file: proof, text: otherLines(files, proof, dice) }];
  },
  (files, _base, dice) => {
    const rotation = memberText(files, 'rotation');
    if (rotation === undefined) return [];
    const steps = stepsIn(rotation);
    const strange = [[], null, '', ...steps];
    return [{ file: ROTATION, text: JSON.stringify(rearranged(steps, strange, dice)) }];
  },
  (files, _base, dice) => {
    const [, value] = dice.pick(ODD_VALUES);
    const member = dice.pick(['checkpoint', 'log_proof', 'publication', 'rotation', 'more']);
    const members = membersIn(files);
    return [{ file: STATEMENTS, text: JSON.stringify({ ...members, [member]: value }) }];
  },
  (files, _base, dice) => {
    const [one, other] = [dice.pick(PARTS), dice.pick(PARTS)];
    return isThere(files)(other) ? [{ file: one, bytes: base64(bytesIn(files, other)) }] : [];
  },
];

/** The steps of a rotation, unless an earlier change has made something else of the file. */
function stepsIn(rotation: string): unknown[] {
  try {
    const steps: unknown = JSON.parse(rotation);
    return Array.isArray(steps) ? steps : [];
  } catch {
    return [];
  }
}

/** Signs a statement anew: with another claim, with claims of another statement, or by another key. */
function resigned(files: Files, base: string, dice: Dice): readonly Patch[] {
  const file = dice.pick(SIGNED);
  const isRotation = file === ROTATION;
  try {
    const text = textIn(files, file);
    const steps = isRotation ? (JSON.parse(text) as string[]) : [text];
    const step = dice.below(steps.length);
    const names = Object.keys(decodeJwt(steps[step] as string).claims);
    const other = decodeJwt(textIn(files, dice.pick(SIGNED.slice(0, 2)))).claims;
    const signer = dice.once(4) ? dice.pick(KEYS) : signerOf(golden(base), file, step);
    const claims = dice.pick([
      () => oddClaim(names, dice),
      () => ({ [dice.pick(names)]: other[dice.pick(Object.keys(other))] }),
      () => ({}),
    ])();
    const header = dice.once(4)
      ? {
          [dice.pick(['alg', 'typ', 'kid', 'crit', 'jwk', 'more'])]: dice.pick<unknown>([
            'EdDSA',
            'Ed25519',
            'ES256',
            null,
            1,
            key('root').thumbprint,
          ]),
        }
      : {};
    const without = dice.once(4)
      ? [`${dice.pick(['claims', 'header'])}.${dice.pick([...names, 'kid', 'typ', 'alg'])}`]
      : [];
    return [{ file, key: signer, ...(isRotation && { step }), claims, header, without }];
  } catch {
    // An earlier change has made something else of the file.
    return [];
  }
}

/** The files that consist of lines. */
const linedFiles = (files: Files) =>
  [...[...files.keys()].filter((file) => file.startsWith('sums/')).sort(), LOG_PROOF].filter(isThere(files));

function otherLines(files: Files, file: string, dice: Dice): string {
  const linesOf = (path: string) => textOf(bytesAt(files, path) ?? new Uint8Array());
  const strange = dice.pick(linedFiles(files)) ?? file;
  return linesRearranged(linesOf(file), linesOf(strange), dice);
}

const linesRearranged = (text: string, strange: string, dice: Dice) =>
  rearranged(text.split('\n'), strange.split('\n'), dice).join('\n');

/** Removes, repeats, moves or replaces one of several things. */
function rearranged<T>(things: readonly T[], strange: readonly T[], dice: Dice): T[] {
  const [at, to] = [dice.below(things.length || 1), dice.below(things.length || 1)];
  const one = things[at] as T;
  const others = things.filter((_thing, place) => place !== at);
  return dice.pick([
    () => others,
    () => [...things.slice(0, to), one, ...things.slice(to)],
    () => [...others.slice(0, to), one, ...others.slice(to)],
    () => things.map((thing, place) => (place === at ? (dice.pick(strange) ?? thing) : thing)),
    () => things.map((thing) => (typeof thing === 'string' ? (oddText(thing, dice) as T) : thing)),
  ])();
}

/** Changes a number in a text, now and then. */
function oddText(text: string, dice: Dice): string {
  return dice.once(4)
    ? text.replace(/\d+/, (digits) => String(Number(digits) + dice.pick([-1, 1, 256])))
    : text;
}

/** Pins something else, or something more. */
function oddAnchor(anchor: Anchor, dice: Dice): Anchor {
  const { witnesses = [], quorum = 1 } = anchor;
  return {
    ...anchor,
    ...dice.pick<() => object>([
      () => ({ more: dice.pick(['required', true]) }),
      () => ({ log: dice.pick(['registry.example/log', 'other.example/log', 'registry.example', '']) }),
      () => ({ quorum: quorum + dice.pick([-1, 1, 2]) }),
      () => ({ witnesses: rearranged(witnesses, ['x'], dice) }),
      () => ({ next_roots: [dice.pick(KEYS), dice.pick(KEYS)].map((name) => key(name).thumbprint) }),
      () => ({ root: { ...key(dice.pick(KEYS)).jwk, ...(dice.once(3) && { kid: dice.pick([null, 'x']) }) } }),
      () => ({
        sources: [
          `https://${dice.pick(['a.example', 'a.example:65536', '[::1]', '[x]', '1.2'])}`,
          'https://a.example/',
        ],
      }),
    ])(),
  };
}
