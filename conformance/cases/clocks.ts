import type { Case } from './case.js';
import { golden } from './goldens.js';
import { makeCase, resigning, sealing, signerOf, variant } from './make-case.js';
import type { Patch } from './patch.js';
import { CHECKPOINT_SECONDS } from './registry.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TOLERANCE = 5 * MINUTE;
const MAX_AGE = 30 * DAY;

/** Both sides of a limit, in milliseconds. */
const SIDES = [-1000, -1, 0, 1, 1000];

/** A limit of the clocks (rule clocks): the clock at which the verdict changes. */
interface Limit {
  readonly name: string;
  readonly base: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly patches?: readonly Patch[];
}

/** Every limit of a tree against the clock, from both sides. */
export function* clocks(): Generator<Case> {
  for (const { name, base, at, patches } of limits()) {
    for (const side of SIDES) {
      yield makeCase({
        ...{ id: `clock/${base}/${name}/${side}`, rule: 'clocks', base, now: at + side },
        ...(patches && { patches }),
        why: 'The clock is at the limit of a time.',
      });
    }
  }
  yield* withinDelegation();
}

function* limits(): Generator<Limit> {
  for (const base of ['plain', 'stated', 'checkpoint', 'root-checkpoint', 'witnessed', 'log', 'rotated']) {
    const listed = golden(base).registry.now * 1000;
    const issued = listed + 10_000;
    yield { name: 'the list is in the future', base, at: listed - TOLERANCE };
    yield { name: 'the checkpoint is in the future', base, at: issued - TOLERANCE };
    yield { name: 'the list is too old', base, at: listed + MAX_AGE + TOLERANCE };
    yield { name: 'the checkpoint expires', base, at: issued + CHECKPOINT_SECONDS * 1000 + TOLERANCE };
    yield { name: 'a copy of the checkpoint is too old', base, at: issued + MAX_AGE + TOLERANCE };
    yield { name: 'cosignatures are too old', base, at: listed + 1000 + MAX_AGE + TOLERANCE };
    yield { name: 'cosignatures are in the future', base, at: listed + 1000 - TOLERANCE };
  }
  for (const [base, file] of STATEMENTS) {
    const tree = golden(base);
    const soon = Math.floor(tree.now / 1000) + 3600;
    const resigned = resigning(tree, file);
    const future = soon * 1000 - TOLERANCE;
    const of = file.replace(/^.*\/|\..*$/g, '');
    yield { name: `iat of ${of}`, base, at: future, patches: resigned({ iat: soon }) };
    yield { name: `nbf of ${of}`, base, at: future, patches: resigned({ nbf: soon }) };
    yield { name: `exp of ${of}`, base, at: soon * 1000 + TOLERANCE, patches: resigned({ exp: soon }) };
    yield { name: `exp before iat of ${of}`, base, at: tree.now, patches: resigned({ exp: 0 }) };
  }
  for (const [name, seconds] of [
    ['earlier', -3600],
    ['later', 3600],
  ] as const) {
    const at = golden('witnessed').registry.now + seconds;
    const patches = variant('witnessed', (registry) => {
      if (registry.log) registry.log.cosignedAt = at;
      registry.seal();
    });
    const base = 'witnessed';
    yield { name: `cosigned ${name}, in the future`, base, at: at * 1000 - TOLERANCE, patches };
    yield { name: `cosigned ${name}, too old`, base, at: at * 1000 + MAX_AGE + TOLERANCE, patches };
  }
}

const STATEMENTS = [
  ['stated', 'publication.jwt'],
  ['checkpoint', 'publication.jwt'],
  ['checkpoint', 'checkpoint.jwt'],
  ['root-checkpoint', 'checkpoint.jwt'],
  ['checkpoint', 'keys/delegation.jwt'],
  ['rotated', 'keys/rotation.json'],
  ['rotated-thrice', 'keys/rotation.json'],
  ['described', 'operations.jwt'],
] as const;

/** `iat` of a checkpoint and of the operations statement, at the ends of the delegation: no tolerance. */
function* withinDelegation(): Generator<Case> {
  const base = 'described';
  const tree = golden(base);
  const issued = tree.registry.now + 10;
  for (const side of [-1, 0, 1]) {
    for (const end of ['iat', 'exp'] as const) {
      const key = signerOf(tree, 'keys/delegation.jwt');
      const claims = { [end]: issued + side };
      const patches = [{ file: 'keys/delegation.jwt', key, claims }, sealing(tree)];
      const why = 'A delegated key signs at the end of its delegation.';
      yield makeCase({
        id: `clock/${base}/delegation ${end}/${side}`,
        rule: 'checkpoint-within-delegation',
        base,
        patches,
        why,
      });
    }
  }
}
