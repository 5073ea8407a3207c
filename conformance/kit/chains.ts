import type { Case, Role } from '../cases/case.js';
import { badKeys, GOOD_KEYS } from '../cases/forgeries.js';
import { golden } from '../cases/goldens.js';
import { jwt, type Members } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import { type Draft, either, makeCase, topic, variant } from '../cases/make-case.js';
import { ROTATION, rotationIn } from '../cases/statements.js';

const INVALID = 'ERR_ROTATION_INVALID';
/** A member of the wrong type breaks the file of statements. */
const OF_FILE = 'ERR_STATEMENTS_INVALID';
/** The chain is valid, and leads to another key than the one that has signed the rest. */
const REPLACED = 'ERR_PUBLICATION_INVALID';

const RULES: readonly (readonly [RegExp, string])[] = [
  [/^committed/, 'commitment-form'],
  [/not committed/, 'commitment-followed'],
  [/^pinned root/, 'rotation-read'],
  [/^(null|not an array)$/, 'statements-file'],
  [/^(no steps|without the last|with one more|to the spare key)/, 'rotation-replaced'],
  [/^(without the middle|in another order|the last twice|of numbers|with null|nested)/, 'rotation-read'],
];

/** An auditor has codes of its own for what it refuses besides. */
const OF_AUDITOR = ['ERR_AUDIT_ROTATION', 'ERR_AUDIT_ROOT_KEY'];

const BASE = 'rotated-thrice';
const TYP = 'registry-root-rotation+jwt';

const goldenSteps = () => rotationIn(golden(BASE).files);

function step(signer: string, next: unknown, more: Members = {}): string {
  return jwt(key(signer), { typ: TYP }, { iat: golden(BASE).registry.now, next_root: next, ...more });
}

/** Rotations that lead from key to key, or do not, and why they are refused. */
function chains(): Readonly<Record<string, readonly [chain: unknown, code: string | readonly string[]]>> {
  const { now, root } = golden(BASE).registry;
  const steps = goldenSteps();
  const jwk = (name: string) => key(name).jwk;
  const [one = '', two = '', three = ''] = steps;
  const more = (signer: string, next: unknown, claims: Members = {}) => [
    ...steps,
    step(signer, next, claims),
  ];
  const committed = (next_roots: unknown) => more('root 4', jwk('root 5'), { next_roots });
  const prints = (...names: readonly string[]) => names.map((name) => key(name).thumbprint);
  const header = { typ: TYP, kid: root.thumbprint };
  return {
    'no steps': [[], REPLACED],
    // A step says its place.
    'without the first': [[two, three], INVALID],
    'without the last': [[one, two], REPLACED],
    'without the middle': [[one, three], INVALID],
    'in another order': [[two, one, three], INVALID],
    'the last twice': [[...steps, three], INVALID],
    'with one more': [more('root 4', jwk('root 5')), REPLACED],
    'with one more, numbered': [more('root 4', jwk('root 5'), { step: 4 }), REPLACED],
    'with one more, numbered wrong': [more('root 4', jwk('root 5'), { step: 5 }), INVALID],
    'with one more of a stranger': [more('stranger', jwk('root 5')), 'ERR_ROTATION_GAP'],
    'with one more of a stranger under the right kid': [
      [...steps, jwt(key('stranger'), header, { iat: now, next_root: jwk('root 5') })],
      'ERR_ROTATION_SIGNATURE',
    ],
    'to a key that is not committed': [[step('root', jwk('root 5'))], 'ERR_ROTATION_NOT_COMMITTED'],
    'to the spare key': [[step('root', jwk('spare'))], REPLACED],
    'back to the first key': [more('root 4', jwk('root')), 'ERR_ROTATION_LOOP'],
    'to itself': [more('root 4', jwk('root 4')), 'ERR_ROTATION_LOOP'],
    'committed to itself': [committed(prints('root 5')), INVALID],
    'committed to an earlier key': [committed(prints('root 2')), INVALID],
    'committed to nothing': [committed([]), INVALID],
    'committed to four keys': [committed(prints('a', 'b', 'c', 'd')), INVALID],
    'committed to one key twice': [committed(prints('a', 'a')), INVALID],
    'committed to null': [committed(null), INVALID],
    'to a P-256 key': [more('root 4', jwk('p256 root 5')), REPLACED],
    'to nothing': [more('root 4', undefined), INVALID],
    'not an array': [{ steps }, OF_FILE],
    'of numbers': [
      [1, 2],
      [INVALID, OF_FILE],
    ],
    'with null': [
      [...steps, null],
      [INVALID, OF_FILE],
    ],
    nested: [[steps], [INVALID, OF_FILE]],
    null: [null, OF_FILE],
    ...Object.fromEntries(
      Object.entries(badKeys(jwk('root 5'))).map(([name, bad]) => [
        `to ${name}`,
        [more('root 4', bad), GOOD_KEYS.includes(name) ? REPLACED : INVALID],
      ]),
    ),
  };
}

/** Rotations that lead from key to key, or do not. */
export function* chainKit(role: Role): Generator<Case> {
  const make = (name: string, shown: Omit<Draft, 'id' | 'rule'>, code?: string | readonly string[]) => {
    const rule = RULES.find(([form]) => form.test(name))?.[1] ?? 'rotation-chain';
    const codes = [...[code ?? ''].flat(), ...(role === 'auditor' ? OF_AUDITOR : [])];
    return makeCase(role, { ...shown, id: `chain/${name}`, rule }, either(code === undefined, ...codes));
  };
  for (const [name, [chain, code]] of Object.entries(chains())) {
    const patches = [{ file: ROTATION, text: JSON.stringify(chain) }];
    const why = 'The rotation is not the chain that the keys have signed.';
    yield make(name, { base: BASE, patches, why }, code);
  }
  for (const count of [63, 64, 65]) {
    const base = 'checkpoint';
    const patches = variant(base, (registry) => {
      for (let number = 1; number <= count; number++) registry.rotate(`long ${number}`);
    });
    const now = golden(base).now + count * 60_000;
    const why = 'A rotation has at most 64 steps.';
    yield make(`of ${count} steps`, { base, patches, now, why }, count > 64 ? INVALID : undefined);
  }
  for (const pinned of ['root 2', 'root 3', 'root 4', 'stranger', 'spare']) {
    const { jwk, thumbprint } = key(pinned);
    const anchor = JSON.stringify({ root: { ...jwk, kid: thumbprint } });
    const why = 'The verifier has pinned a later key, or another one.';
    const code = pinned.startsWith('root') ? undefined : 'ERR_ROTATION_GAP';
    yield make(`pinned ${pinned}`, { base: BASE, anchor, why }, code);
  }
  yield* stepsBefore(role);
}

/** A chain, the key that is pinned, and why it is refused. */
interface Before {
  readonly chain: readonly string[];
  readonly pinned: string;
  /** To which key the trust anchor commits the pinned one. */
  readonly committed?: string;
  readonly rule?: string;
  /** Why everybody refuses it. A client verifies no step before the pinned key, and an auditor those whose signer it knows. */
  readonly code?: string;
  readonly isAudited?: true;
}

/** Steps before the pinned key: the signer of the first one is unknown, unless it is pinned. */
function chainsBefore(): Readonly<Record<string, Before>> {
  const [one = '', two = '', three = ''] = goldenSteps();
  const spare = { next_roots: [key('spare').thumbprint] };
  const first = [step('root', key('root 2').jwk, spare), two, three];
  const second = [one, step('root 2', key('root 3').jwk, spare), three];
  const kid = key('root').thumbprint;
  const forged = [
    jwt(key('stranger'), { typ: TYP, kid }, { iat: golden(BASE).registry.now, next_root: key('root 2').jwk }),
    ...[two, three],
  ];
  const back = [one, two, step('root 3', key('root 4').jwk, { next_roots: [key('root 2').thumbprint] })];
  const other = 'ERR_ROTATION_NOT_COMMITTED';
  return {
    'the first step commits to another key, pinned root': { chain: first, pinned: 'root', code: other },
    'the first step commits to another key, pinned root 2': { chain: first, pinned: 'root 2' },
    'the first step commits to another key, pinned root 4': { chain: first, pinned: 'root 4' },
    'the first step commits to another key, and the anchor to the next': {
      ...{ chain: first, pinned: 'root 2', committed: 'root 3' },
    },
    'the first step commits to another key, and so does the anchor': {
      ...{ chain: first, pinned: 'root 2', committed: 'spare', code: other },
    },
    'the first step commits to the next key, and the anchor to another': {
      ...{ chain: [one, two, three], pinned: 'root 2', committed: 'spare', code: other },
    },
    'the second step commits to another key, pinned root 2': { chain: second, pinned: 'root 2', code: other },
    'the second step commits to another key, pinned root 3': {
      ...{ chain: second, pinned: 'root 3', isAudited: true },
    },
    'the first step is by a stranger, pinned root': {
      ...{ chain: forged, pinned: 'root', rule: 'rotation-chain', code: 'ERR_ROTATION_SIGNATURE' },
    },
    'the first step is by a stranger, pinned root 2': {
      ...{ chain: forged, pinned: 'root 2', rule: 'rotation-chain' },
    },
    'committed to a key before, pinned root 2': {
      ...{ chain: back, pinned: 'root 2', rule: 'commitment-form', code: INVALID },
    },
    'committed to a key before, pinned root 3': {
      ...{ chain: back, pinned: 'root 3', rule: 'commitment-form', isAudited: true },
    },
  };
}

function* stepsBefore(role: Role): Generator<Case> {
  const why = 'A step before the pinned key, which only some can verify.';
  const make = topic(role, 'chain', { rule: 'commitment-followed', base: BASE, why });
  for (const [name, { chain, pinned, committed, code, isAudited, rule }] of Object.entries(chainsBefore())) {
    const patches = [{ file: ROTATION, text: JSON.stringify(chain) }];
    const { jwk, thumbprint: kid } = key(pinned);
    const next = committed && { next_roots: [key(committed).thumbprint] };
    const anchor = JSON.stringify({ root: { ...jwk, kid }, ...next });
    const isGood = code === undefined && !(isAudited && role === 'auditor');
    const codes = [...(code === undefined ? [] : [code]), ...(role === 'auditor' ? OF_AUDITOR : [])];
    yield make(name, { patches, anchor, ...(rule && { rule }) }, either(isGood, ...codes));
  }
}
