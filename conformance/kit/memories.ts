import { golden } from '../cases/goldens.js';
import { shown } from '../cases/make-case.js';
import { memories } from '../cases/sequences.js';
import { adopt } from './adopt.js';
import type { KitCase, KitRole, KitStep, Right } from './kit-case.js';
import { kitCase } from './make.js';

/** What is right for the second tree, and for the first one when it is shown again. A text is the code of a refusal. */
interface Story {
  readonly rule: string;
  readonly right: readonly [second: string, again: string];
  /** Of the registry without a checkpoint, if that is something else. */
  readonly without?: readonly [second: string, again: string];
  readonly bases?: readonly string[];
}

const YES = '';
const LIST = 'ERR_LIST_ROLLED_BACK';
const STATEMENT = 'ERR_PUBLICATION_ROLLED_BACK';
const CHECKPOINT = 'ERR_CHECKPOINT_ROLLED_BACK';
const DELEGATION = 'ERR_DELEGATION_ROLLED_BACK';
/** A tree under a replaced root key, which the chain that is known does not trust. */
const REPLACED = 'ERR_DELEGATION_INVALID';
const REPLACED_STATEMENT = 'ERR_PUBLICATION_INVALID';
const FORK = 'ERR_ROTATION_FORK';

const ONLINE = ['checkpoint'];
/** A list that is older than the accepted one: what decides first is the checkpoint, or else the statement. */
const BACK = { right: [LIST, YES], without: [STATEMENT, YES] } as const;
const NEWER = { right: [YES, LIST], without: [YES, STATEMENT] } as const;

const STORIES: Readonly<Record<string, Story>> = {
  'the same': { rule: 'client-memory', right: [YES, YES] },
  'a newer list': { rule: 'statement-rollback', ...NEWER },
  'an older list': { rule: 'list-rollback', ...BACK },
  'two newer lists': { rule: 'statement-rollback', ...NEWER },
  'another list of the same time': { rule: 'checkpoint-rollback', ...BACK },
  'the same list under a higher sequence': { rule: 'statement-order', right: [YES, STATEMENT] },
  'the same list under a lower sequence': { rule: 'statement-rollback', right: [STATEMENT, YES] },
  'a newer list under a lower sequence': { rule: 'statement-rollback', right: [STATEMENT, YES] },
  'an older list under a higher sequence': { rule: 'statement-checks', right: [LIST, YES] },
  'the same sequence with another claim': { rule: 'statement-rollback', right: [STATEMENT, YES] },
  'the same sequence and a newer list': { rule: 'statement-rollback', right: [STATEMENT, YES] },
  'a gap in the sequence': { rule: 'statement-order', ...NEWER },
  'no publication statement any more': {
    rule: 'statement-required',
    right: ['ERR_PUBLICATION_MISSING', YES],
  },
  'no checkpoint any more': {
    rule: 'checkpoint-kept',
    right: ['ERR_CHECKPOINT_MISSING', YES],
    bases: ONLINE,
  },
  'neither statement nor checkpoint any more': {
    rule: 'missing-files',
    right: ['ERR_CHECKPOINT_MISSING', YES],
    without: ['ERR_PUBLICATION_MISSING', YES],
  },
  'checkpoints are withdrawn': { rule: 'statement-rollback', right: [STATEMENT, YES], bases: ONLINE },
  'a rotation': { rule: 'rotation-replaced', right: [YES, REPLACED], without: [YES, REPLACED_STATEMENT] },
  'a rotation is hidden': {
    rule: 'rotation-replaced',
    right: [REPLACED, YES],
    without: [REPLACED_STATEMENT, YES],
  },
  'a rotation is hidden behind a newer list': {
    rule: 'rotation-replaced',
    right: [REPLACED, YES],
    without: [REPLACED_STATEMENT, YES],
  },
  'another rotation': { rule: 'rotation-fork', right: [FORK, YES] },
  'a rotation to the same key with another commitment': { rule: 'commitment-bound', right: [FORK, YES] },
  'a rotation goes on': { rule: 'rotation-fork', right: [YES, REPLACED], without: [YES, REPLACED_STATEMENT] },
  'a rotation goes on under a lower sequence': {
    rule: 'statement-order',
    right: [YES, REPLACED],
    without: [YES, REPLACED_STATEMENT],
  },
  'a list after a rotation that is older': {
    rule: 'rotation-brings',
    right: [LIST, REPLACED],
    without: [LIST, REPLACED_STATEMENT],
  },
};

const HOLD = ['hold'];
const HELD = ['hold', 'root-checkpoint'];

const CHECKPOINT_STORIES: Readonly<Record<string, Story>> = {
  'a newer checkpoint': { rule: 'checkpoint-rollback', right: [YES, CHECKPOINT], bases: HELD },
  'an older checkpoint': { rule: 'checkpoint-rollback', right: [CHECKPOINT, YES], bases: HELD },
  'an older checkpoint of a newer list': {
    rule: 'checkpoint-rollback',
    right: [CHECKPOINT, YES],
    bases: HELD,
  },
  'another checkpoint of the same second': { rule: 'checkpoint-rollback', right: [YES, YES], bases: HELD },
  'a later delegation': { rule: 'delegation-rollback', right: [YES, DELEGATION], bases: HOLD },
  'an earlier delegation': { rule: 'delegation-rollback', right: [DELEGATION, YES], bases: HOLD },
  'another delegation of the same second': { rule: 'delegation-rollback', right: [YES, YES], bases: HOLD },
  'an earlier delegation after a rotation': { rule: 'rotation-brings', right: [YES, REPLACED], bases: HOLD },
  'a hold': { rule: 'hold', right: [YES, CHECKPOINT], bases: HELD },
  'a hold in the same second': {
    rule: 'checkpoint-rollback',
    right: [YES, CHECKPOINT],
    bases: ['root-checkpoint'],
  },
  'a hold is released': { rule: 'checkpoint-rollback', right: [YES, CHECKPOINT], bases: HELD },
  'a hold is released in the same second': {
    rule: 'checkpoint-rollback',
    right: [CHECKPOINT, YES],
    bases: HELD,
  },
  'a hold is released by an older checkpoint': {
    rule: 'checkpoint-rollback',
    right: [CHECKPOINT, YES],
    bases: HELD,
  },
  'a hold of another issuer in the same second': {
    rule: 'checkpoint-rollback',
    right: [CHECKPOINT, YES],
    bases: HELD,
  },
  'a hold of one more in the same second': {
    rule: 'checkpoint-rollback',
    right: [YES, CHECKPOINT],
    bases: HELD,
  },
  'a hold and a newer list': { rule: 'hold', right: [YES, LIST], bases: HELD },
};

const INCONSISTENT = 'ERR_LOG_INCONSISTENT';
const TOO_FEW = 'ERR_TOO_FEW_COSIGNATURES';
const WITNESSED = ['witnessed'];
const LOGGED = ['log', 'witnessed'];

const LOG_STORIES: Readonly<Record<string, Story>> = {
  'a log that is shorter': { rule: 'log-rollback', ...BACK, bases: LOGGED },
  'a log that is forked': { rule: 'log-rollback', ...BACK, bases: LOGGED },
  // A witness that has signed both heads has checked that the larger one contains the other one.
  'a log that is forked and longer': {
    rule: 'log-rollback',
    right: [YES, LIST],
    without: [INCONSISTENT, YES],
    bases: LOGGED,
  },
  'a log that is withdrawn': { rule: 'statement-rollback', right: [STATEMENT, YES], bases: LOGGED },
  'a log of another name': { rule: 'statement-rollback', right: [STATEMENT, YES], bases: LOGGED },
  'a head without witnesses': { rule: 'log-quorum', right: [TOO_FEW, YES], bases: WITNESSED },
  'a head with one witness': { rule: 'log-quorum', right: [TOO_FEW, YES], bases: WITNESSED },
  'a head with two witnesses': { rule: 'log-quorum', right: [YES, YES], bases: WITNESSED },
  'a newer list with one witness': { rule: 'log-quorum', right: [TOO_FEW, YES], bases: WITNESSED },
  'a newer cosignature of the same head': { rule: 'log-proof', right: [YES, YES], bases: WITNESSED },
  'an older cosignature of the same head': { rule: 'log-proof', right: [YES, YES], bases: WITNESSED },
  'a publication that is pending': {
    rule: 'log-rollback',
    right: [YES, CHECKPOINT],
    without: [YES, INCONSISTENT],
    bases: LOGGED,
  },
  'a pending publication is completed': { rule: 'log-write-order', ...NEWER, bases: LOGGED },
  'tiles are missing': {
    rule: 'log-rollback',
    right: [YES, LIST],
    without: [INCONSISTENT, YES],
    bases: LOGGED,
  },
};

const ANY = ['checkpoint', 'stated'];
const WITHOUT_CHECKPOINT = ['stated', 'log'];
/** A client that starts anew remembers what it has stored. */
const RESTARTED = ', after a restart';

const verdict = (code: string): Right => (code === YES ? 'accept' : [code]);

/** The clock is set back, so that what is stored is from the future: it still protects against a rollback. */
function* clockSetBack(role: KitRole): Generator<KitCase> {
  const base = 'stated';
  const { registry, now } = golden(base);
  const newer = shown(registry.copy().publish({ at: registry.now + 1200 }), base);
  const older = shown(registry, base);
  const steps: KitStep[] = [
    { now: now + 1_200_000, sources: [newer], right: 'accept' },
    { now, sources: [older], right: [STATEMENT], restarts: true },
    { now: now + 1_200_000, sources: [newer], right: 'accept', restarts: true },
  ];
  const why = 'What is stored is from the future, because the clock was set back.';
  yield kitCase(
    role,
    { id: 'memory/the clock is set back', rule: 'store-times', base, why, steps },
    'accept',
  );
}

/** Trees that are shown one after the other, and then the first one again. */
export function* memoryKit(role: KitRole): Generator<KitCase> {
  yield* clockSetBack(role);
  const stories = { ...STORIES, ...CHECKPOINT_STORIES, ...LOG_STORIES };
  for (const one of memories()) {
    const [, base = '', name = ''] = one.id.split('/');
    const story = stories[name.replace(RESTARTED, '')];
    if (story === undefined || !(story.bases ?? ANY).includes(base)) continue;
    const { right, without = right } = story;
    const rule = name === `an older list${RESTARTED}` ? 'client-memory' : story.rule;
    const [second, again] = WITHOUT_CHECKPOINT.includes(base) ? without : right;
    const why = 'A client remembers what it has accepted.';
    const about = { role, id: `memory/${base}, ${name}`, rule, why };
    yield adopt(one, { ...about, right: ['accept', verdict(second), verdict(again)] });
  }
}
