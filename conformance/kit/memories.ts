import type { Case, Right, Role, ShownTree, Step } from '../cases/case.js';
import { base64, sha256Hex, utf8 } from '../cases/encoding.js';
import { bytesIn } from '../cases/files.js';
import { algebra } from '../cases/forgeries.js';
import { golden } from '../cases/goldens.js';
import { jwt } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import { Log } from '../cases/log.js';
import { makeCase, shown, variant, type Work } from '../cases/make-case.js';
import { logAhead } from '../cases/registry.js';
import { STATEMENTS } from '../cases/statements.js';

/** Two trees, which both go on from a golden tree, and what is right. */
interface Story {
  readonly rule: string;
  /** What is shown first, and then. */
  readonly shows: readonly [first: Work, second: Work];
  /** What is right for the second tree, and for the first one when it is shown again. A text is the code of a refusal. */
  readonly right: readonly [second: string, again: string];
  /** Of a registry whose root key signs checkpoints, and whose log has no witnesses, if that is something else. */
  readonly byRoot?: readonly [second: string, again: string];
  /** Default: all golden trees of the table. */
  readonly bases?: readonly string[];
  /** Whether the trust anchor requires the log. Default: if the golden tree has one. */
  readonly pinsLog?: false;
}

const YES = '';
const LIST = 'ERR_LIST_ROLLED_BACK';
const STATEMENT = 'ERR_PUBLICATION_ROLLED_BACK';
const CHECKPOINT = 'ERR_CHECKPOINT_ROLLED_BACK';
/** A tree under a replaced root key, which the chain that is known does not trust. */
const REPLACED = 'ERR_PUBLICATION_INVALID';
const FORK = 'ERR_ROTATION_FORK';

/** A publication that is older than the accepted one. */
const BACK = { right: [STATEMENT, YES] } as const;
const NEWER = { right: [YES, STATEMENT] } as const;
/** The same of a tree before a rotation, and of one after it. */
const HIDDEN = { right: [REPLACED, YES] } as const;
const ROTATED = { right: [YES, REPLACED] } as const;

const nothing: Work = () => undefined;
const next: Work = (registry) => registry.change('beta', { tier: 'founding' }).publish();
const nextButOther: Work = (registry) => registry.change('gamma', { tier: 'founding' }).publish();
const twice: Work = (registry) => {
  next(registry);
  registry.change('beta', { tier: 'registered' }).publish();
};

const rotated: Work = (registry) => registry.rotate('next root');

/** The operator replaces the online key. The list stays. */
const replaced: Work = (registry) => {
  registry.online = key('online 2');
  registry.permit({});
};

/** Stories about any registry. */
const STORIES: Readonly<Record<string, Story>> = {
  'the same': { rule: 'client-memory', shows: [nothing, nothing], right: [YES, YES] },
  'a newer list': { rule: 'statement-rollback', shows: [nothing, next], ...NEWER },
  'an older list': { rule: 'statement-rollback', shows: [next, nothing], ...BACK },
  'two newer lists': { rule: 'statement-rollback', shows: [nothing, twice], ...NEWER },
  'another list under the same sequence': {
    rule: 'statement-rollback',
    shows: [next, nextButOther],
    ...BACK,
  },
  'another list of the same time under a higher sequence': {
    rule: 'list-rollback',
    shows: [
      next,
      (registry) =>
        registry.change('gamma', { tier: 'founding' }).publish({ sequence: registry.sequence + 2 }),
    ],
    right: [LIST, YES],
  },
  'the same list under a higher sequence': {
    rule: 'statement-rollback',
    shows: [nothing, (registry) => registry.publish({ at: registry.now, sequence: registry.sequence + 1 })],
    right: [YES, STATEMENT],
  },
  'the same list under a lower sequence': {
    rule: 'statement-rollback',
    shows: [
      (registry) => registry.publish({ at: registry.now, sequence: registry.sequence + 5 }),
      (registry) => registry.publish({ at: registry.now, sequence: registry.sequence + 1 }),
    ],
    right: [STATEMENT, YES],
  },
  'a newer list under a lower sequence': {
    rule: 'statement-rollback',
    shows: [
      (registry) => registry.publish({ sequence: 20 }),
      (registry) => registry.publish({ at: registry.now + 600, sequence: 19 }),
    ],
    right: [STATEMENT, YES],
  },
  'an older list under a higher sequence': {
    rule: 'list-rollback',
    shows: [
      (registry) => registry.publish({ at: registry.now + 600 }),
      (registry) => registry.publish({ at: registry.now + 60, sequence: 50 }),
    ],
    right: [LIST, YES],
  },
  'the same sequence with another claim': {
    rule: 'statement-rollback',
    shows: [
      nothing,
      (registry) => registry.publish({ at: registry.now, sequence: registry.sequence, claims: { note: 1 } }),
    ],
    right: [STATEMENT, YES],
  },
  'the same sequence and a newer list': {
    rule: 'statement-rollback',
    shows: [
      nothing,
      (registry) => registry.change('beta', { tier: 'founding' }).publish({ sequence: registry.sequence }),
    ],
    right: [STATEMENT, YES],
  },
  'a gap in the sequence': {
    rule: 'statement-claims',
    shows: [nothing, (registry) => registry.publish({ sequence: registry.sequence + 1000 })],
    ...NEWER,
  },
  'no publication any more': {
    rule: 'statements-file',
    shows: [nothing, (registry) => registry.state({ publication: undefined })],
    right: ['ERR_STATEMENTS_INVALID', YES],
  },
  'no checkpoint any more': {
    rule: 'statements-file',
    shows: [nothing, (registry) => registry.state({ checkpoint: undefined })],
    right: ['ERR_STATEMENTS_INVALID', YES],
  },
  'no statements any more': {
    rule: 'statements-file',
    shows: [nothing, (registry) => registry.files.delete(STATEMENTS)],
    right: ['ERR_SOURCE_STATUS', YES],
  },
  'a rotation': {
    rule: 'rotation-replaced',
    shows: [nothing, rotated],
    ...ROTATED,
  },
  'a rotation is hidden': {
    rule: 'rotation-replaced',
    shows: [rotated, nothing],
    ...HIDDEN,
  },
  'a rotation is hidden behind a newer list': {
    rule: 'rotation-replaced',
    shows: [rotated, (registry) => registry.publish({ at: registry.now + 600 })],
    ...HIDDEN,
  },
  'another rotation': {
    rule: 'rotation-fork',
    shows: [rotated, (registry) => registry.rotate('other root')],
    right: [FORK, YES],
  },
  'a rotation to the same key with another commitment': {
    rule: 'commitment-bound',
    shows: [
      (registry) => registry.rotate('next root', ['later root']),
      (registry) => registry.rotate('next root', ['other root']),
    ],
    right: [FORK, YES],
  },
  // No later step of the chain that is known leads there.
  'another way to the key of a rotation': {
    rule: 'rotation-chain',
    shows: [
      rotated,
      (registry) => {
        const claims = { iat: registry.now, next_root: key('next root').jwk, step: 1 };
        const step = jwt(key('stranger'), { typ: 'registry-root-rotation+jwt' }, claims);
        registry.rotate('next root').state({ rotation: [step] });
      },
    ],
    right: ['ERR_ROTATION_GAP', YES],
  },
  'a rotation goes on': {
    rule: 'rotation-fork',
    shows: [rotated, (registry) => registry.rotate('next root').rotate('later root')],
    ...ROTATED,
  },
  'a rotation goes on under a lower sequence': {
    rule: 'statement-rollback',
    shows: [
      (registry) => registry.publish({ sequence: 50 }),
      (registry) => {
        registry.rotate('next root');
        registry.publish({ sequence: 1 });
      },
    ],
    ...ROTATED,
  },
  'a list after a rotation that is older': {
    rule: 'rotation-brings',
    shows: [(registry) => registry.publish({ at: registry.now + 600 }), rotated],
    right: [LIST, REPLACED],
  },
};

const HOLD = ['hold'];

/** Stories about a checkpoint. */
const CHECKPOINT_STORIES: Readonly<Record<string, Story>> = {
  'a newer checkpoint': {
    rule: 'checkpoint-rollback',
    shows: [nothing, sealedWith((now) => ({ iat: now + 60 }))],
    right: [YES, CHECKPOINT],
  },
  'an older checkpoint': {
    rule: 'checkpoint-rollback',
    shows: [sealedWith((now) => ({ iat: now + 60 })), nothing],
    right: [CHECKPOINT, YES],
  },
  'a newer publication by an earlier checkpoint': {
    rule: 'checkpoint-rollback',
    shows: [sealedWith((now) => ({ iat: now + 300 })), nextSealedAt(70)],
    ...NEWER,
  },
  'a newer publication by an earlier checkpoint that keeps every hold': {
    rule: 'checkpoint-rollback',
    shows: [held(290, ['alpha']), nextSealedAt(70, ['alpha', 'beta'])],
    ...NEWER,
  },
  'a newer publication by an earlier checkpoint that loses a hold': {
    rule: 'checkpoint-rollback',
    shows: [held(290, ['alpha', 'beta']), nextSealedAt(70, ['beta'])],
    right: [CHECKPOINT, YES],
  },
  'a newer publication by a checkpoint of the same second that loses a hold': {
    rule: 'checkpoint-rollback',
    shows: [held(290, ['alpha', 'beta']), nextSealedAt(300, ['beta'])],
    right: [CHECKPOINT, YES],
  },
  'a newer publication by a later checkpoint that releases a hold': {
    rule: 'checkpoint-rollback',
    shows: [held(290, ['alpha', 'beta']), nextSealedAt(301, ['beta'])],
    ...NEWER,
  },
  'a rotation by an earlier checkpoint that loses a hold': {
    rule: 'checkpoint-rollback',
    shows: [
      held(290, ['alpha', 'beta']),
      (registry) => {
        registry.hold = ['beta'];
        rotated(registry);
      },
    ],
    right: [CHECKPOINT, REPLACED],
  },
  'another checkpoint of the same second': {
    rule: 'checkpoint-rollback',
    shows: [nothing, sealedWith(() => ({ exp: 1_795_300_000 }))],
    right: [YES, YES],
  },
  'another online key': {
    rule: 'online-keys',
    shows: [nothing, replaced],
    right: [YES, STATEMENT],
    bases: HOLD,
  },
  "a thief's online key after it was replaced": {
    rule: 'checkpoint-signer',
    shows: [
      replaced,
      (registry) => {
        replaced(registry);
        registry.online = key('online');
        registry.hold = [];
        registry.seal({ iat: registry.now + 600 });
      },
    ],
    right: ['ERR_CHECKPOINT_INVALID', YES],
    bases: HOLD,
  },
  "a thief's online key under the publication before": {
    rule: 'statement-rollback',
    shows: [replaced, sealedWith((now) => ({ iat: now + 600 }))],
    right: [STATEMENT, YES],
    bases: HOLD,
  },
  'a permission to hold is withdrawn': {
    rule: 'hold-permission',
    shows: [nothing, (registry) => registry.permit({ hold: false })],
    right: ['ERR_CHECKPOINT_INVALID', YES],
    bases: HOLD,
  },
  'a hold': { rule: 'hold', shows: [nothing, held(60, ['alpha'])], right: [YES, CHECKPOINT] },
  'a hold in the same second': {
    rule: 'checkpoint-rollback',
    shows: [nothing, held(0, ['alpha'])],
    right: [YES, CHECKPOINT],
    bases: ['root-checkpoint'],
  },
  'a hold is released': {
    rule: 'checkpoint-rollback',
    shows: [held(60, ['alpha']), held(61, [])],
    right: [YES, CHECKPOINT],
  },
  'a hold is released in the same second': {
    rule: 'checkpoint-rollback',
    shows: [held(60, ['alpha']), held(60, [])],
    right: [CHECKPOINT, YES],
  },
  'a hold is released by an older checkpoint': {
    rule: 'checkpoint-rollback',
    shows: [held(60, ['alpha']), held(59, [])],
    right: [CHECKPOINT, YES],
  },
  'a hold of another issuer in the same second': {
    rule: 'checkpoint-rollback',
    shows: [held(60, ['alpha']), held(60, ['beta'])],
    right: [CHECKPOINT, YES],
  },
  'a hold of one more in the same second': {
    rule: 'checkpoint-rollback',
    shows: [held(60, ['alpha']), held(60, ['alpha', 'beta'])],
    right: [YES, CHECKPOINT],
  },
  'a hold and a newer list': {
    rule: 'hold',
    shows: [
      held(60, ['alpha']),
      (registry) => {
        registry.change('gamma', { tier: 'founding' }).publish();
        held(300, [])(registry);
      },
    ],
    ...NEWER,
  },
};

function sealedWith(claims: (now: number) => object): Work {
  return (registry) => registry.seal({ ...claims(registry.now) });
}

/** Publishes a newer list, under a checkpoint of a time. @param seconds - after the list before */
function nextSealedAt(seconds: number, hold?: readonly string[]): Work {
  return (registry) => {
    const iat = registry.now + seconds;
    registry.hold = hold ?? registry.hold;
    registry.change('gamma', { tier: 'founding' }).publish({ checkpoint: { iat } });
  };
}

function held(seconds: number, ids: readonly string[]): Work {
  return (registry) => {
    registry.hold = ids;
    registry.seal({ iat: registry.now + 10 + seconds });
  };
}

function cosignedBy(count: number): Work {
  return (registry) => registry.cosign({ by: count }).seal();
}

function cosignedLater(seconds: number): Work {
  return (registry) => registry.cosign({ at: registry.now + seconds }).seal();
}

const INCONSISTENT = 'ERR_LOG_INCONSISTENT';
const NOT_LOGGED = 'ERR_NOT_LOGGED';
const TOO_FEW = 'ERR_TOO_FEW_COSIGNATURES';
const WITNESSED = ['witnessed'];

/** The next publication names no log, and nothing is left of it. */
const withdrawn: Work = (registry) => {
  registry.log = undefined;
  registry.publish();
  for (const path of [...registry.files.keys()]) if (path.startsWith('log/')) registry.files.delete(path);
};

/** The next publication names another log, which begins anew. */
const renamed: Work = (registry) => {
  const { log } = registry;
  if (log === undefined) return;
  registry.log = new Log(log.witnesses);
  registry.log.signer = { ...log.signer, name: 'another.example/log' };
  registry.publish();
};

/** Stories about a log. */
const LOG_STORIES: Readonly<Record<string, Story>> = {
  'a log that is shorter': {
    rule: 'log-rollback',
    shows: [twice, (registry) => registry.publish({ at: registry.now + 600, sequence: 50 })],
    right: [INCONSISTENT, YES],
  },
  'a log that is forked': {
    rule: 'log-rollback',
    shows: [next, (registry) => registry.publish({ at: registry.now + 600, sequence: 50 })],
    right: [INCONSISTENT, YES],
  },
  // A witness that has signed both heads has checked that the larger one contains the other one.
  'a log that is forked and longer': {
    rule: 'log-rollback',
    shows: [
      next,
      (registry) => {
        nextButOther(registry);
        registry.publish();
      },
    ],
    ...NEWER,
    byRoot: [INCONSISTENT, YES],
  },
  'a log that is withdrawn': {
    rule: 'log-proof',
    shows: [nothing, withdrawn],
    right: [NOT_LOGGED, YES],
  },
  'a log of another name': {
    rule: 'log-proof',
    shows: [nothing, renamed],
    right: [NOT_LOGGED, YES],
  },
  ...Object.fromEntries(
    Object.entries({ 'is withdrawn': withdrawn, 'gets another name': renamed }).flatMap(([name, work]) => {
      const story = { rule: 'log-stays', pinsLog: false } as const;
      const over: Work = (registry) => work(registry.rotate('next root'));
      return [
        [`a log that nobody requires ${name}`, { ...story, shows: [nothing, work], right: [STATEMENT, YES] }],
        [
          `a log that nobody requires ${name} over a rotation`,
          { ...story, shows: [nothing, over], right: [STATEMENT, REPLACED] },
        ],
      ] as const;
    }),
  ),
  'a log that nobody requires gets another key': {
    rule: 'log-stays',
    shows: [
      nothing,
      (registry) => {
        if (registry.log) registry.log.signer = { ...registry.log.signer, key: key('next log') };
        registry.publish();
      },
    ],
    ...NEWER,
    pinsLog: false,
  },
  'a head without witnesses': {
    rule: 'log-quorum',
    shows: [nothing, cosignedBy(0)],
    right: [TOO_FEW, YES],
    bases: WITNESSED,
  },
  'a head with one witness': {
    rule: 'log-quorum',
    shows: [nothing, cosignedBy(1)],
    right: [TOO_FEW, YES],
    bases: WITNESSED,
  },
  'a head with two witnesses': {
    rule: 'log-quorum',
    shows: [nothing, cosignedBy(2)],
    right: [YES, YES],
    bases: WITNESSED,
  },
  'a newer list with one witness': {
    rule: 'log-quorum',
    shows: [nothing, (registry) => registry.cosign({ by: 1 }).publish()],
    right: [TOO_FEW, YES],
    bases: WITNESSED,
  },
  'a newer cosignature of the same head': {
    rule: 'log-proof',
    shows: [nothing, cosignedLater(600)],
    right: [YES, YES],
    bases: WITNESSED,
  },
  'an older cosignature of the same head': {
    rule: 'log-proof',
    shows: [cosignedLater(600), nothing],
    right: [YES, YES],
    bases: WITNESSED,
  },
  'a log that is ahead': { rule: 'log-write-order', shows: [nothing, logAhead], right: [YES, YES] },
  'tiles are missing': {
    rule: 'log-rollback',
    shows: [
      nothing,
      (registry) => {
        registry.publish();
        for (const path of [...registry.files.keys()])
          if (path.startsWith('log/tile/0')) registry.files.delete(path);
      },
    ],
    ...NEWER,
    byRoot: [INCONSISTENT, YES],
  },
};

const BY_ROOT = ['stated', 'log'];

const verdict = (code: string): Right => (code === YES ? 'accept' : [code]);

/** The clock is set back, so that what is stored is from the future: it still protects against a rollback. */
function* clockSetBack(role: Role): Generator<Case> {
  const base = 'stated';
  const { registry, now } = golden(base);
  const newer = shown(registry.copy().publish({ at: registry.now + 1200 }), base);
  const older = shown(registry, base);
  const steps: Step[] = [
    { now: now + 1_200_000, sources: [newer], right: 'accept' },
    { now, sources: [older], right: [STATEMENT], restarts: true },
    { now: now + 1_200_000, sources: [newer], right: 'accept', restarts: true },
  ];
  const why = 'What is stored is from the future, because the clock was set back.';
  yield makeCase(role, { id: 'memory/the clock is set back', rule: 'store-times', base, why, steps });
}

/** The clock was ahead, and so were the cosignatures that are stored: they make no list fresh. */
function* clockWasAhead(role: Role): Generator<Case> {
  const base = 'witnessed';
  const { registry } = golden(base);
  const { now } = registry;
  const cosigned = (at: number) =>
    shown(
      registry
        .copy()
        .cosign({ at })
        .seal({ exp: now + 10 + 31 * DAY }),
      base,
    );
  const until = (now + 30 * DAY) * 1000 + HOUR + TOLERANCE;
  const steps: Step[] = [
    { now: (now + 20 * DAY) * 1000, sources: [cosigned(now + 20 * DAY)], right: 'accept' },
    { now: golden(base).now, sources: [cosigned(now)], right: 'accept', restarts: true },
    { now: until, sources: [], right: 'accept' },
    { now: until + 1, sources: [], right: ['ERR_REGISTRY_STALE'] },
  ];
  const why = 'The stored proof has cosignatures from the future, because the clock was ahead.';
  yield makeCase(role, { id: 'memory/the clock was ahead', rule: 'log-proof', base, why, steps });
}

/** A rotation is saved before its list is. Whoever answers before the list is saved, too, forgets it. */
function* rotatedTwiceSaved(role: Role): Generator<Case> {
  const why = 'What is accepted is saved before the answer: the program can end at any time.';
  for (const base of ['checkpoint', 'stated']) {
    const { registry, now } = golden(base);
    const copy = () => registry.copy().rotate('next root');
    const [older, newer] = [copy(), copy().publish()].map((one) => shown(one, base)) as [
      ShownTree,
      ShownTree,
    ];
    const steps: Step[] = [
      { now: now + HOUR, sources: [shown(registry, base)], right: 'accept' },
      { now: now + HOUR, sources: [newer], right: 'accept' },
      { now: now + HOUR, sources: [older], right: [STATEMENT], restarts: true },
      { now: now + HOUR, sources: [newer], right: 'accept', restarts: true },
    ];
    const id = `memory/${base}, a newer list after a rotation, and a restart`;
    yield makeCase(role, { id, rule: 'client-memory', base, why, steps });
  }
}

/** A rotation counts as soon as it is bound, whatever the source shows after it. */
function* rotationBound(role: Role): Generator<Case> {
  const base = 'checkpoint';
  const { registry, now } = golden(base);
  const good = registry.copy().rotate('next root');
  const { publication, checkpoint } = registry;
  const refused = shown(good.copy().state({ publication, checkpoint }), base);
  const before = shown(registry, base);
  const other = shown(registry.copy().rotate('other root'), base);
  const later = now + HOUR;
  // The list of a root key that was replaced expires, and the grace is an hour.
  const past = later + 2 * HOUR;
  const why = 'The source shows a rotation, and then something that is refused.';
  for (const [name, restarts] of [
    ['', undefined],
    [', and a restart', true],
  ] as const) {
    const again = restarts && { restarts };
    const steps: Step[] = [
      { now: later, sources: [before], right: 'accept' },
      { now: later, sources: [refused], right: [REPLACED] },
      ...(role === 'client' && !restarts ? [{ now: past, sources: [], right: UNUSABLE }] : []),
      { now: past, sources: [before], right: [REPLACED], ...again },
      { now: past, sources: [other], right: [FORK], ...again },
      { now: past, sources: [shown(good, base)], right: 'accept', ...again },
    ];
    const id = `memory/a rotation is bound although a later step refuses${name}`;
    yield makeCase(role, { id, rule: 'client-memory', base, why, steps });
  }
}

/** A list under a root key that was replaced is not used. */
const UNUSABLE: Right = ['ERR_REGISTRY_NOT_READY', 'ERR_REGISTRY_STALE'];

/** The root key has signed one publication twice. */
function* signedTwice(role: Role): Generator<Case> {
  const base = 'p256';
  const { registry, now } = golden(base);
  const [header = '', payload = '', signature = ''] = registry.publication.split('.');
  const publication = [header, payload, algebra(base, signature)['the other s']].join('.');
  const steps: Step[] = [
    { now, sources: [shown(registry, base)], right: 'accept' },
    { now, sources: [shown(registry.copy().state({ publication }), base)], right: 'accept' },
  ];
  const why = 'Two signatures over one signing input are one publication.';
  const id = 'memory/a publication that was signed twice';
  yield makeCase(role, { id, rule: 'statement-hash', base, why, steps });
}

/** A part of what was stored is lost. Then nothing protects against old lists, but the program goes on. */
function* storeCut(role: Role): Generator<Case> {
  const base = 'checkpoint';
  const { registry, now } = golden(base);
  const newer = shown(registry.copy().publish(), base);
  const older = shown(registry, base);
  const steps: Step[] = [
    { now: now + HOUR, sources: [newer], right: 'accept' },
    { now: now + HOUR, sources: [older], right: [STATEMENT], restarts: true },
    { now: now + HOUR, sources: [older], right: 'accept', restarts: 'cut' },
    { now: now + HOUR, sources: [newer], right: 'accept' },
    { now: now + HOUR, sources: [older], right: [STATEMENT], restarts: true },
  ];
  const why = 'The second half of what was stored is lost: the program goes on as at a first run.';
  yield makeCase(role, { id: 'memory/the store is cut short', rule: 'store-times', base, why, steps });
}

/** A client that holds a list may update it through the tree of sums. Whatever is wrong there, the whole list decides. */
function* updates(role: Role): Generator<Case> {
  const base = 'levels-1';
  const { files, registry, now } = golden(base);
  const changed = () => registry.copy().change('alpha', { status: 'suspended' });
  const old = (file: string) => ({ file, bytes: base64(bytesIn(files, file)) });
  const placeOfAlpha = `sums/${sha256Hex(utf8('alpha'))[0]}`;
  const mismatch: Right = ['ERR_PUBLICATION_MISMATCH'];
  const shows: readonly (readonly [string, ShownTree, Right])[] = [
    ['as it is', shown(changed().publish(), base), 'accept'],
    [
      'an old record',
      { base, patches: [...shown(changed().publish(), base).patches, old('issuers/alpha')] },
      'accept',
    ],
    [
      'an old sums file',
      { base, patches: [...shown(changed().publish(), base).patches, old(placeOfAlpha)] },
      'accept',
    ],
    ['one issuer more than there are', shown(changed().publish({ claims: { issuers: 71 } }), base), mismatch],
    [
      'another hash of the list',
      shown(changed().publish({ claims: { sha256: '0'.repeat(64) } }), base),
      mismatch,
    ],
  ];
  for (const [name, tree, right] of shows) {
    const trusted = right === 'accept' ? { trusted: ['beta'] } : {};
    const steps: Step[] = [
      { now, sources: [shown(registry, base)], right: 'accept', trusted: ['alpha', 'beta'] },
      { now: now + HOUR, sources: [tree], right, ...trusted },
    ];
    const why = 'The list has changed in one record since.';
    const draft = { id: `memory/an update, ${name}`, rule: 'sums-updates', base, why, steps };
    yield makeCase(role, { ...draft, ask: ['alpha', 'beta'] });
  }
}

/** Trees that are shown one after the other, and then the first one again. */
export function* memoryKit(role: Role): Generator<Case> {
  yield* clockSetBack(role);
  yield* rotatedTwiceSaved(role);
  yield* rotationBound(role);
  yield* signedTwice(role);
  yield* storeCut(role);
  if (role === 'client') yield* updates(role);
  if (role === 'client') yield* clockWasAhead(role);
  const tables = [
    [['stated', 'checkpoint'], STORIES],
    [['hold', 'root-checkpoint'], CHECKPOINT_STORIES],
    [['log', 'witnessed'], LOG_STORIES],
  ] as const;
  for (const [bases, stories] of tables) {
    for (const base of bases) {
      for (const [name, story] of Object.entries(stories)) {
        if (story.bases?.includes(base) !== false) yield* told(role, { base, name, story });
      }
    }
  }
}

interface NamedStory {
  readonly base: string;
  readonly name: string;
  readonly story: Story;
}

/** The cases of a story: without and with a restart between the steps. */
function* told(role: Role, { base, name, story }: NamedStory): Generator<Case> {
  const { rule, shows, right, byRoot = right, pinsLog } = story;
  const { root } = golden(base).anchor;
  const anchor = pinsLog === false ? { anchor: JSON.stringify({ root }) } : {};
  const [second, again] = (BY_ROOT.includes(base) ? byRoot : right).map(verdict);
  const [one, other] = shows.map((work) => ({ base, patches: variant(base, work) }));
  const later = [one, other, one].map((source, at) => ({
    now: golden(base).now + HOUR + at * 1000,
    sources: [source as ShownTree],
    right: ['accept', second, again][at] as Right,
  }));
  const restarted = later.map((step, at) => ({ ...step, ...(at > 0 && { restarts: true as const }) }));
  const why = 'A client remembers what it has accepted.';
  const id = `memory/${base}, ${name}`;
  yield makeCase(role, { id, rule, base, why, steps: later, ...anchor });
  const kept = name === 'an older list' ? 'client-memory' : rule;
  yield makeCase(role, { id: `${id}, after a restart`, rule: kept, base, why, steps: restarted, ...anchor });
}

const HOUR = 60 * 60_000;
const TOLERANCE = 300_000;
/** In seconds. */
const DAY = 24 * 60 * 60;
