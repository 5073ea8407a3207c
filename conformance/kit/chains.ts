import type { Case, Role } from '../cases/case.js';
import { textIn } from '../cases/files.js';
import { badKeys } from '../cases/forgeries.js';
import { golden } from '../cases/goldens.js';
import { jwt, type Members } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import { type Draft, either, makeCase, sealing, variant } from '../cases/make-case.js';

const INVALID = 'ERR_ROTATION_INVALID';
/** The chain is valid, and leads to another key than the one that has signed the rest. */
const REPLACED = 'ERR_DELEGATION_INVALID';

const CODES: Readonly<Record<string, string>> = {
  'no steps': REPLACED,
  // A step says its place.
  'without the first': INVALID,
  'without the last': REPLACED,
  'without the middle': INVALID,
  'in another order': INVALID,
  'the last twice': INVALID,
  'with one more': REPLACED,
  'with one more, numbered': REPLACED,
  'with one more, numbered wrong': INVALID,
  'with one more of a stranger': 'ERR_ROTATION_GAP',
  'with one more of a stranger under the right kid': 'ERR_ROTATION_SIGNATURE',
  'to a key that is not committed': 'ERR_ROTATION_NOT_COMMITTED',
  'to the spare key': REPLACED,
  'back to the first key': 'ERR_ROTATION_LOOP',
  'to itself': 'ERR_ROTATION_LOOP',
  'committed to itself': INVALID,
  'committed to an earlier key': INVALID,
  'committed to nothing': INVALID,
  'committed to four keys': INVALID,
  'committed to one key twice': INVALID,
  'committed to null': INVALID,
  'to a P-256 key': REPLACED,
  'to nothing': INVALID,
  'not an array': INVALID,
  'of numbers': INVALID,
  'with null': INVALID,
  nested: INVALID,
  null: INVALID,
  'of 63 steps': '',
  'of 64 steps': '',
  'of 65 steps': INVALID,
  'pinned root 2': '',
  'pinned root 3': '',
  'pinned root 4': '',
  'pinned stranger': 'ERR_ROTATION_GAP',
  'pinned spare': 'ERR_ROTATION_GAP',
  ...Object.fromEntries(
    Object.entries(badKeys(key('root 5').jwk)).map(([name]) => [
      `to ${name}`,
      ['the right kid', 'kid null', 'another member', 'y null in an Ed25519 key', 'a P-256 key'].includes(
        name,
      )
        ? REPLACED
        : INVALID,
    ]),
  ),
};

const RULES: readonly (readonly [RegExp, string])[] = [
  [/^committed/, 'commitment-form'],
  [/not committed/, 'commitment-followed'],
  [/^pinned root/, 'rotation-read'],
  [/^(no steps|without the last|with one more|to the spare key)/, 'rotation-replaced'],
  [
    /^(without the middle|in another order|the last twice|of numbers|with null|nested|null|not an array)/,
    'rotation-read',
  ],
];

/** An auditor has codes of its own for what it refuses besides. */
const OF_AUDITOR = ['ERR_AUDIT_ROTATION', 'ERR_AUDIT_ROOT_KEY'];

const BASE = 'rotated-thrice';

/** Steps that lead from key to key, or do not. */
function chains(): Readonly<Record<string, unknown>> {
  const { files, registry } = golden(BASE);
  const { now, root } = registry;
  const steps = JSON.parse(textIn(files, 'keys/rotation.json')) as string[];
  const typ = 'registry-root-rotation+jwt';
  const step = (signer: string, next: unknown, more: Members = {}) =>
    jwt(key(signer), { typ }, { iat: now, next_root: next, ...more });
  const jwk = (name: string) => key(name).jwk;
  const [one = '', two = '', three = ''] = steps;
  return {
    'no steps': [],
    'without the first': [two, three],
    'without the last': [one, two],
    'without the middle': [one, three],
    'in another order': [two, one, three],
    'the last twice': [...steps, three],
    'with one more': [...steps, step('root 4', jwk('root 5'))],
    'with one more, numbered': [...steps, step('root 4', jwk('root 5'), { step: 4 })],
    'with one more, numbered wrong': [...steps, step('root 4', jwk('root 5'), { step: 5 })],
    'with one more of a stranger': [...steps, step('stranger', jwk('root 5'))],
    'with one more of a stranger under the right kid': [
      ...steps,
      jwt(key('stranger'), { typ, kid: root.thumbprint }, { iat: now, next_root: jwk('root 5') }),
    ],
    'to a key that is not committed': [step('root', jwk('root 5'))],
    'to the spare key': [step('root', jwk('spare'))],
    'back to the first key': [...steps, step('root 4', jwk('root'))],
    'to itself': [...steps, step('root 4', jwk('root 4'))],
    'committed to itself': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: [key('root 5').thumbprint] }),
    ],
    'committed to an earlier key': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: [key('root 2').thumbprint] }),
    ],
    'committed to nothing': [...steps, step('root 4', jwk('root 5'), { next_roots: [] })],
    'committed to four keys': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: ['a', 'b', 'c', 'd'].map((name) => key(name).thumbprint) }),
    ],
    'committed to one key twice': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: [key('a').thumbprint, key('a').thumbprint] }),
    ],
    'committed to null': [...steps, step('root 4', jwk('root 5'), { next_roots: null })],
    'to a P-256 key': [...steps, step('root 4', jwk('p256 root 5'))],
    'to nothing': [...steps, step('root 4', undefined)],
    'not an array': { steps },
    'of numbers': [1, 2],
    'with null': [...steps, null],
    nested: [steps],
    null: null,
    ...Object.fromEntries(
      Object.entries(badKeys(jwk('root 5'))).map(([name, bad]) => [
        `to ${name}`,
        [...steps, step('root 4', bad)],
      ]),
    ),
  };
}

/** The golden tree and its changes, by the name of the case. */
function* shownChains(): Generator<[string, Omit<Draft, 'id' | 'rule'>]> {
  for (const [name, chain] of Object.entries(chains())) {
    const patches = [{ file: 'keys/rotation.json', text: JSON.stringify(chain) }, sealing(golden(BASE))];
    yield [name, { base: BASE, patches, why: 'The rotation is not the chain that the keys have signed.' }];
  }
  for (const count of [63, 64, 65]) {
    const base = 'checkpoint';
    const patches = variant(base, (registry) => {
      for (let number = 1; number <= count; number++) registry.rotate(`long ${number}`);
    });
    const now = golden(base).now + count * 60_000;
    yield [`of ${count} steps`, { base, patches, now, why: 'A rotation has at most 64 steps.' }];
  }
  for (const pinned of ['root 2', 'root 3', 'root 4', 'stranger', 'spare']) {
    const { jwk, thumbprint } = key(pinned);
    const anchor = JSON.stringify({ root: { ...jwk, kid: thumbprint } });
    const why = 'The verifier has pinned a later key, or another one.';
    yield [`pinned ${pinned}`, { base: BASE, anchor, why }];
  }
}

/** Rotations that lead from key to key, or do not. */
export function* chainKit(role: Role): Generator<Case> {
  for (const [name, shown] of shownChains()) {
    const code = CODES[name];
    if (code === undefined) throw new Error(`nothing is known of the rotation ${name}`);
    const rule = RULES.find(([form]) => form.test(name))?.[1] ?? 'rotation-chain';
    const codes = [code, ...(role === 'auditor' ? OF_AUDITOR : [])];
    yield makeCase(role, { ...shown, id: `chain/${name}`, rule }, either(code === '', ...codes));
  }
}
