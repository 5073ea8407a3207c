import type { Case, Role, ShownTree, Step } from '../cases/case.js';
import { golden } from '../cases/goldens.js';
import { key } from '../cases/keys.js';
import { type Draft, either, makeCase, resigned, topic, variant, type Work } from '../cases/make-case.js';
import { CHECKPOINT_SECONDS } from '../cases/registry.js';
import { CHECKPOINT, PUBLICATION, ROTATION, STATEMENTS } from '../cases/statements.js';

const TOLERANCE = 300_000;
const MAX_AGE = 30 * 86_400_000;

/** A limit: from the clock `since` on, or until the clock `until` itself, the verdict is to accept. In milliseconds. */
interface Limit extends Pick<Draft, 'base' | 'patches'> {
  readonly name: string;
  readonly rule?: string;
  readonly since?: number;
  readonly until?: number;
  readonly codes: readonly string[];
}

/** Every limit of the clocks, one millisecond to both sides. */
export function* clockKit(role: Role): Generator<Case> {
  for (const { name, rule = 'clocks', since, until, codes, ...shown } of limits()) {
    const at = since ?? until ?? 0;
    const make = topic(role, 'clock', { ...shown, rule, why: 'The clock is at the limit of a time.' });
    for (const side of [-1, 0, 1]) {
      const isGood = since === undefined ? side <= 0 : side >= 0;
      const right = either(isGood, ...codes, 'ERR_AUDIT_FRESHNESS');
      yield make(`${shown.base}, ${name}, ${side} ms`, { now: at + side }, right);
    }
  }
  yield* onlineEnd(role);
  yield* lifetimes(role);
  yield* stepsInFuture(role);
  if (role === 'client') yield* listsInUse();
}

const FUTURE = ['ERR_NOT_YET_VALID'];

function* limits(): Generator<Limit> {
  const { now: before } = golden('stated').registry;
  yield {
    base: 'stated',
    name: 'the list is in the future',
    since: (before + 1200) * 1000 - TOLERANCE,
    codes: FUTURE,
    patches: variant('stated', (registry) =>
      registry.publish({ at: before + 1200, claims: { iat: before }, checkpoint: { iat: before } }),
    ),
  };
  for (const base of ['checkpoint', 'root-checkpoint']) {
    const issued = golden(base).registry.now * 1000 + 10_000;
    yield { base, name: 'the checkpoint is in the future', since: issued - TOLERANCE, codes: FUTURE };
    const end = issued + CHECKPOINT_SECONDS * 1000 + TOLERANCE - 1;
    yield { base, name: 'the checkpoint expires', until: end, codes: ['ERR_CHECKPOINT_EXPIRED'] };
  }
  const base = 'checkpoint';
  const { registry } = golden(base);
  const iat = registry.now + 40 * 86_400;
  const exp = iat + CHECKPOINT_SECONDS;
  const patches = variant(base, (late) => late.seal({ iat, exp }));
  const name = 'an old list under a new checkpoint';
  const until = exp * 1000 + TOLERANCE - 1;
  yield { base, name, patches, until, codes: ['ERR_CHECKPOINT_EXPIRED'] };
  yield* statementLimits();
}

/** A statement, and whether it expires. */
const STATED = [
  ['stated', PUBLICATION, false],
  ['checkpoint', CHECKPOINT, true],
  ['rotated', ROTATION, false],
] as const;

function* statementLimits(): Generator<Limit> {
  for (const [base, file, expires] of STATED) {
    const soon = Math.floor(golden(base).now / 1000) + 3600;
    const of = file.replace(/^.*#/, '');
    const at = soon * 1000;
    yield {
      base,
      name: `nbf of the ${of}`,
      since: at - TOLERANCE,
      codes: FUTURE,
      patches: resigned(base, file, { nbf: soon }),
    };
    yield {
      base,
      name: `iat of the ${of}`,
      since: at - TOLERANCE,
      codes: FUTURE,
      patches: resigned(base, file, { iat: soon }),
    };
    if (!expires) continue;
    const until = at + TOLERANCE - 1;
    yield {
      base,
      name: `exp of the ${of}`,
      until,
      codes: ['ERR_CHECKPOINT_EXPIRED'],
      patches: resigned(base, file, { exp: soon }),
    };
  }
}

/** `iat` of a checkpoint at the end of the time of its online key: no tolerance. */
function* onlineEnd(role: Role): Generator<Case> {
  const base = 'checkpoint';
  const issued = golden(base).registry.now + 10;
  const make = topic(role, 'clock', {
    ...{ rule: 'checkpoint-online', base, why: 'An online key signs at the end of its time.' },
    // Even long after that time.
    now: (issued + 3600) * 1000,
  });
  for (const side of [-1, 0, 1]) {
    const patches = variant(base, (registry) => registry.permit({ exp: issued + side }));
    yield make(`online exp ${side} s`, { patches }, either(side >= 0, 'ERR_CHECKPOINT_INVALID'));
  }
}

const LONGEST = 31 * 86_400;

/** The lifetime of a checkpoint, whoever has signed it. */
function* lifetimes(role: Role): Generator<Case> {
  for (const base of ['checkpoint', 'root-checkpoint']) {
    const why = 'A checkpoint is valid for a long time.';
    const make = topic(role, 'clock', { rule: 'checkpoint-lifetime', base, why });
    const iat = golden(base).registry.now + 10;
    for (const side of [-1, 0, 1]) {
      const patches = variant(base, (registry) => registry.seal({ exp: iat + LONGEST + side }));
      yield make(`${base} for 31 days, ${side} s`, { patches }, either(side <= 0, 'ERR_CHECKPOINT_INVALID'));
    }
    const before = { patches: variant(base, (registry) => registry.seal({ exp: iat - 1 })), now: iat * 1000 };
    yield make(`${base} with exp before iat`, before, 'accept');
  }
}

/** A step before the pinned key, from the future. A client verifies no such step, and an auditor tells of every one. */
function* stepsInFuture(role: Role): Generator<Case> {
  const base = 'rotated-thrice';
  const { now } = golden(base);
  const why = 'The first step of the rotation is from the future.';
  const make = topic(role, 'clock', { rule: 'audited-rotation', base, now, why });
  const patches = resigned(base, ROTATION, { iat: now / 1000 + 3600 });
  for (const pinned of ['root', 'root 2', 'root 3', 'root 4']) {
    const { jwk, thumbprint: kid } = key(pinned);
    const isGood = pinned !== 'root' && role !== 'auditor';
    const codes = ['ERR_NOT_YET_VALID', 'ERR_AUDIT_FRESHNESS', 'ERR_AUDIT_ROOT_KEY'];
    const anchor = JSON.stringify({ root: { ...jwk, kid } });
    yield make(`a step from the future, pinned ${pinned}`, { patches, anchor }, either(isGood, ...codes));
  }
}

const HOUR = 60 * 60_000;
/** For how long a client uses a list that is no longer fresh, with the tolerance. */
const GRACE = HOUR + TOLERANCE;

/** A client uses a list for so long, and no millisecond longer, unless a source shows something newer. */
function* listsInUse(): Generator<Case> {
  for (const { base, name, freshUntil, works, fails = [] } of uses()) {
    const ask = ['alpha'];
    const accepted = { right: 'accept', trusted: ask } as const;
    const shows = works.map((work, at): Step => {
      const source = { base, patches: variant(base, work) };
      return { now: golden(base).now + at * HOUR, sources: [source], ...accepted };
    });
    const steps: Step[] = [
      ...shows,
      ...fails,
      { now: freshUntil + GRACE, sources: [], ...accepted },
      { now: freshUntil + GRACE + 1, sources: [], right: ['ERR_REGISTRY_STALE'] },
    ];
    const why = 'A client uses the list that it holds, and no source confirms it.';
    yield makeCase('client', { id: `clock/in use, ${name}`, rule: 'other-clocks', base, why, steps, ask });
  }
}

/** A list in use. */
interface Use {
  readonly base: string;
  readonly name: string;
  /** In milliseconds since 1970. */
  readonly freshUntil: number;
  /** What a source shows, one tree after the other. */
  readonly works: readonly Work[];
  /** What is shown after that, and refused. */
  readonly fails?: readonly Step[];
}

function* uses(): Generator<Use> {
  const nothing = () => undefined;
  const base = 'checkpoint';
  const { now } = golden(base).registry;
  const end = (now + 10 + CHECKPOINT_SECONDS) * 1000;
  const since = (name: string) => golden(name).registry.now * 1000;
  yield { base, name: 'until its checkpoint expires', freshUntil: end, works: [nothing] };
  yield {
    ...{ base, name: 'longer than its online key may sign', freshUntil: end },
    works: [(registry) => registry.permit({ exp: now + 3600 })],
  };
  yield {
    ...{ base, name: 'longer than exp of its publication', freshUntil: end },
    works: [(registry) => registry.publish({ at: now, claims: { exp: now + 3600 } })],
  };
  const cosignedAt = golden('witnessed').registry.now + 3600 - MAX_AGE / 1000;
  yield {
    ...{ base: 'witnessed', name: 'until its cosignatures are too old' },
    freshUntil: since('witnessed') + HOUR,
    works: [(registry) => registry.cosign({ at: cosignedAt }).seal()],
  };
  yield {
    ...{ base, name: 'until the newest checkpoint expires', freshUntil: end + HOUR },
    works: [nothing, (registry) => registry.seal({ iat: now + 3610, exp: now + 3610 + CHECKPOINT_SECONDS })],
  };
  const failing: ShownTree = { base, patches: [{ file: STATEMENTS, removed: true }] };
  yield {
    ...{ base, name: 'after a source was refused', freshUntil: end, works: [nothing] },
    fails: [{ now: golden(base).now + HOUR, sources: [failing], right: ['ERR_SOURCE_STATUS'] }],
  };
}

const TOO_FEW = ['ERR_TOO_FEW_COSIGNATURES'];

/** The age of a copy, since its checkpoint. */
function* copyAges(role: Role): Generator<Case> {
  const base = 'checkpoint';
  const iat = golden(base).registry.now + 3600;
  const patches = variant(base, (late) => late.seal({ iat }));
  const why = 'A copy has a maximum age.';
  const make = topic(role, 'clock', { rule: 'other-clocks', base, patches, why });
  for (const side of [-1, 0, 1]) {
    const now = iat * 1000 + MAX_AGE + TOLERANCE + side;
    yield make(`a copy of ${base}, ${side} ms`, { now }, either(side <= 0, 'ERR_LIST_EXPIRED'));
  }
}

/** The times of cosignatures and of copies, against the clock. */
export function* cosignatureClocks(role: Role): Generator<Case> {
  yield* copyAges(role);
  // Cosigned earlier than the list itself, the list is in the future whatever the witnesses say.
  const base = 'witnessed';
  const cosigned = golden(base).registry.now + 3600;
  const patches = variant(base, (registry) => registry.cosign({ at: cosigned }).seal());
  const why = 'The clock is at the limit of a cosignature.';
  const make = topic(role, 'clock', { rule: 'log-quorum', base, patches, why });
  for (const side of [-1, 0, 1]) {
    const now = cosigned * 1000 - TOLERANCE + side;
    yield make(`cosigned in the future, ${side} ms`, { now }, either(side >= 0, ...TOO_FEW));
  }
}
