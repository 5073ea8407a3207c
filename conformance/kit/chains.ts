import { badKeys, rotations } from '../cases/forgeries.js';
import { key } from '../cases/keys.js';
import { adopt } from './adopt.js';
import type { KitCase, KitRole, Right } from './kit-case.js';
import { either } from './make.js';

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

/** Rotations that lead from key to key, or do not. */
export function* chainKit(role: KitRole): Generator<KitCase> {
  for (const one of rotations()) {
    const name = one.id.split('/').slice(2).join('/');
    const code = CODES[name];
    if (code === undefined) throw new Error(`nothing is known of the rotation ${name}`);
    const right: Right = either(code === '', code, ...(role === 'auditor' ? OF_AUDITOR : []));
    const rule = RULES.find(([form]) => form.test(name))?.[1] ?? 'rotation-chain';
    yield adopt(one, { role, id: `chain/${name}`, rule, right: [right] });
  }
}
