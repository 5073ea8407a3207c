import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NoUsableSource, RegistryError, type RegistryErrorCode } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import type { Effect, Occurrence } from '../../../verifier/build/client/client-events.js';
import { initialState, type State } from '../../../verifier/build/client/client-state.js';
import { step } from '../../../verifier/build/client/machine.js';
import type { PinnedRoot } from '../../../verifier/build/core/keys/root-key.js';
import type { AcceptedStatements } from '../../../verifier/build/core/publication/statements.js';
import { forkOf, isCurrentRoot, pinnedRoots } from '../../../verifier/build/core/statements/known-roots.js';
import type { RootChain } from '../../../verifier/build/core/statements/root-chain.js';
import fc from '../../support/fast-check.js';
import { ROOT } from '../../support/paths.js';
import { rounds } from '../../support/soak.js';

const SOURCES = ['https://a.example', 'https://b.example', 'https://c.example'];
const DEADLINE = 15_000;

const keyOf = (thumbprint: string) => ({ thumbprint }) as PinnedRoot;
const chainOf = (names: string): RootChain => ({ keys: [...names].map(keyOf), rotation: [...names] });
/** The chains that a source may show: `t` is a thief, who has signed a step, too. */
const CHAINS = ['r', 'rs', 'rsu', 'rt'].map(chainOf);
const namesOf = ({ keys }: RootChain) => keys.map(({ thumbprint }) => thumbprint).join('');
const lastOf = ({ keys }: RootChain) => keys.at(-1) as AcceptedStatements['rootKey'];

/** A list by its day and its content, signed by the last key of a chain. */
interface ListOf {
  readonly day: number;
  readonly content: number;
  readonly chain: number;
  readonly isHolding: boolean;
}

function statementsOf({ day, content, chain, isHolding }: ListOf): AcceptedStatements {
  return {
    rootKey: lastOf(CHAINS[chain] as RootChain),
    updatedAt: `2026-01-0${day}T00:00:00Z`,
    sha256: `${content}`,
    freshUntil: day * 1000,
    checkpoint: {
      text: `${day}`,
      hold: isHolding ? ['a'] : [],
    } as unknown as AcceptedStatements['checkpoint'],
    publication: { text: `${day}` } as AcceptedStatements['publication'],
    logged: undefined,
  };
}

const isOlder = (read: AcceptedStatements, accepted: AcceptedStatements | undefined) =>
  accepted !== undefined &&
  (read.updatedAt < accepted.updatedAt ||
    (read.updatedAt === accepted.updatedAt && read.sha256 !== accepted.sha256));

const NO_LIST: ListOf = { day: 1, content: 0, chain: 0, isHolding: false };
const LIST = fc.record({
  day: fc.integer({ min: 1, max: 5 }),
  content: fc.integer({ min: 0, max: 1 }),
  chain: fc.nat(CHAINS.length - 1),
  isHolding: fc.boolean(),
});
const NO_ERRORS = Array<undefined>(8).fill(undefined);
/** What happens next. `pick` chooses an answer, or at `time` 0 a timer; `isKept` lets it happen again. */
const COMMAND = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      is: fc.constant('answer' as const),
      pick: fc.nat(999),
      time: fc.nat(3),
      isKept: fc.boolean(),
      list: LIST,
      fails: fc.constantFrom(
        ...NO_ERRORS,
        'ERR_SOURCE_UNREACHABLE' as const,
        'ERR_SIGNATURE_INVALID' as const,
      ),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ is: 'refresh' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('clock' as const), by: fc.integer({ min: -1e9, max: 1e9 }) }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ is: 'failed' as const }, { is: 'close' as const }) },
);
const HISTORY = fc.record({
  stored: fc.option(LIST, { nil: undefined }),
  isTimed: fc.boolean(),
  sources: fc.constantFrom(1, 3, 3),
  commands: fc.array(COMMAND, { maxLength: 120 }),
});
type Answer = Extract<typeof COMMAND extends fc.Arbitrary<infer T> ? T : never, { is: 'answer' }>;

/** Makes any change of a value an error, also of a Map or a Set. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || value instanceof Error)
    return value;
  if (value instanceof Map || value instanceof Set) {
    const refuse = () => {
      throw new TypeError('this must not change');
    };
    Object.assign(value, { set: refuse, add: refuse, delete: refuse, clear: refuse });
    for (const member of value.values()) frozen(member);
  }
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}

/** Something that a shell has begun to do, with the state when it began. */
interface Begun {
  readonly effect: Effect<AcceptedStatements>;
  readonly state: State<AcceptedStatements>;
}

/** A shell without a network: answers arrive when a command says so, and also after they were stopped. */
class World {
  state: State<AcceptedStatements>;
  at = 5_000;
  readonly begun: Begun[] = [];
  /** The timers that have neither run nor been stopped. */
  timers: Extract<Effect<AcceptedStatements>, { do: 'wake' }>[] = [];
  /** All statements that were ever verified. */
  readonly verified = new Set<unknown>();
  hasRefreshed = false;
  /** What has happened in this world, and in others that share the set. */
  readonly seen: Set<string>;

  constructor({ isTimed, sources }: { isTimed: boolean; sources: number }, seen = new Set<string>()) {
    this.seen = seen;
    const times = { deadline: DEADLINE, refreshInterval: 60_000, clockTolerance: 0, grace: 10 };
    this.state = initialState({ sources: SOURCES.slice(0, sources), isTimed, ...times });
  }

  tell(occurrence: Occurrence<AcceptedStatements>, random = 0.5): readonly Effect<AcceptedStatements>[] {
    const before = frozen(this.state);
    const { state, effects } = step(before, { ...occurrence, at: this.at, random });
    if (occurrence.is === 'verified') this.verified.add(occurrence.read.sha256 + occurrence.read.updatedAt);
    this.state = state;
    for (const effect of effects) {
      if (effect.do === 'wake') this.timers.push(effect);
      else if (effect.do === 'stop') {
        this.timers = this.timers.filter(({ task }) => effect.task !== undefined && task !== effect.task);
      }
      if (['wake', 'save', 'follow', 'verify'].includes(effect.do)) this.begun.push({ effect, state });
    }
    if (state.round > 0) this.hasRefreshed = true;
    this.check(before, occurrence, effects);
    this.checkLate(before, occurrence, effects);
    this.note(effects);
    return effects;
  }

  /** Notes what the histories of a test show. */
  note(effects: readonly Effect<AcceptedStatements>[]): void {
    for (const effect of effects) {
      this.seen.add(effect.do === 'emit' ? effect.event.type : effect.do);
      if (effect.do !== 'emit' || effect.event.type !== 'refresh-failed') continue;
      for (const { code } of Object.values((effect.event.error as NoUsableSource).errors))
        this.seen.add(code);
    }
    const { isOutdated, roots } = this.state;
    if (isOutdated) this.seen.add('outdated');
    if (forkOf(roots) !== undefined) this.seen.add('fork');
    if (roots.bound.some(({ keys }) => keys.length > 2)) this.seen.add('bound');
  }

  /** What must hold after every event. */
  check(
    before: State<AcceptedStatements>,
    { is }: Occurrence<AcceptedStatements>,
    effects: readonly Effect<AcceptedStatements>[],
  ): void {
    const { state } = this;
    const done = effects.map((effect) => effect.do);
    // Nothing older than what was accepted is accepted, and nothing that was not verified.
    if (state.accepted !== before.accepted && state.accepted !== undefined) {
      expect(isOlder(state.accepted, before.accepted)).toBe(false);
      if (is !== 'loaded') expect(this.verified).toContain(state.accepted.sha256 + state.accepted.updatedAt);
      // Only a current root key counts, and none after a fork.
      if (is !== 'loaded') expect(isCurrentRoot(state.roots, state.accepted.rootKey)).toBe(true);
    }
    // A refusal changes no memory. It can end a round that another source has won.
    if (is === 'refused' && !done.includes('use')) {
      expect([state.current, state.accepted, state.roots]).toEqual([
        before.current,
        before.accepted,
        before.roots,
      ]);
    }
    // What is bound stays bound.
    for (const [index, chain] of before.roots.bound.entries()) {
      expect(namesOf(state.roots.bound[index] as RootChain)).toMatch(new RegExp(`^${namesOf(chain)}`));
    }
    // One refresh at a time, and each one tells its outcome once.
    if (state.round !== before.round)
      expect([before.refresh, state.round]).toEqual([undefined, before.round + 1]);
    const settled = done.filter((one) => one === 'settle').length;
    const hasEnded = before.refresh !== undefined && state.refresh === undefined;
    if (is !== 'close') expect(settled).toBe(hasEnded ? 1 : 0);
    // Nothing happens after close().
    if (before.isClosed) expect(done.filter((one) => one !== 'settle')).toEqual([]);
    if (state.isClosed) expect(this.timers).toEqual([]);
    else this.checkTimers();
  }

  /** What arrives too late changes nothing, or is asked again. */
  checkLate(
    before: State<AcceptedStatements>,
    occurrence: Occurrence<AcceptedStatements>,
    effects: readonly Effect<AcceptedStatements>[],
  ): void {
    if ('of' in occurrence && occurrence.of.round !== before.round) {
      expect(this.state).toBe(before);
      expect(effects).toEqual([]);
    }
    if (occurrence.is === 'verified' && occurrence.chains !== before.roots.longest) {
      const { refresh } = this.state;
      expect(refresh?.found?.answer).not.toBe(occurrence.read);
    }
    if (occurrence.is !== 'rotation' || occurrence.shown instanceof RegistryError) return;
    // It was compared with chains that have been bound further since.
    if (occurrence.shown.bound !== before.roots.bound) expect(this.state).toBe(before);
  }

  /** A wake-up is always scheduled. Each source that is being asked has its deadline. */
  checkTimers(): void {
    const { refresh, settings } = this.state;
    const tasks = this.timers.map(({ task, then }) => `${task} ${'event' in then ? then.event.is : then.is}`);
    if (refresh !== undefined) {
      expect(refresh.asked.size).toBeGreaterThan(0);
      for (const source of refresh.asked.keys()) expect(tasks).toContain(`${source} overdue`);
    } else if (settings.isTimed && this.hasRefreshed) {
      expect(tasks).toContain('next refresh');
    }
  }

  /** Has something happen that was begun before. */
  answer({ pick, time, isKept, list, fails }: Omit<Answer, 'is'>): void {
    const isChosen = ({ effect }: Begun) => (effect.do === 'wake') === (time === 0);
    // What began last happens more often than what is long over.
    const candidates = this.begun.filter(isChosen).slice(pick % 3 === 0 ? 0 : -4);
    const begun = candidates[pick % candidates.length];
    if (begun === undefined) return;
    if (!isKept) this.begun.splice(this.begun.indexOf(begun), 1);
    this.happen(begun, { random: pick / 999, list, fails });
  }

  happen(begun: Begun, { random, list, fails }: Pick<Answer, 'list' | 'fails'> & { random: number }): void {
    const occurrence = occurrenceOf(begun, { state: this.state, list, fails });
    if (occurrence === undefined) return;
    const { effect } = begun;
    if (effect.do === 'wake') this.timers = this.timers.filter((timer) => timer !== effect);
    this.tell(occurrence, random);
  }
}

/** What an honest shell tells once an effect has come to its end. Sources may send anything. */
function occurrenceOf(
  { effect, state }: Begun,
  { list, fails, ...now }: Pick<Answer, 'list' | 'fails'> & { state: State<AcceptedStatements> },
): Occurrence<AcceptedStatements> | undefined {
  const error = fails === undefined ? undefined : new RegistryError(fails, 'the source failed');
  switch (effect.do) {
    case 'wake':
      return effect.then;
    case 'save':
      return {
        is: 'saved',
        failure: error && { type: 'store-failed', error },
      };
    case 'follow': {
      // The shell compares with what is bound when the rotation arrives. It may tell so later.
      const { bound } = list.isHolding ? now.state.roots : state.roots;
      const shown = CHAINS[list.chain] as RootChain;
      const [one] = bound as [RootChain];
      const [short, long] = [one, shown].sort((a, b) => a.keys.length - b.keys.length) as [
        RootChain,
        RootChain,
      ];
      const fork = new RegistryError('ERR_ROTATION_FORK', 'the source departs from the bound chain');
      const departs = !namesOf(long).startsWith(namesOf(short));
      const result = error ?? (departs ? fork : { bound, chains: [long] });
      return { is: 'rotation', of: effect.of, shown: result };
    }
    case 'verify': {
      const { of, chains } = effect;
      const signed = statementsOf(list);
      const [current] = chains as [RootChain];
      // Most lists are signed by the current key.
      const read = list.chain > 1 ? signed : { ...signed, rootKey: lastOf(current) };
      const isSigned = chains.some((chain) => lastOf(chain).thumbprint === read.rootKey.thumbprint);
      const refusal =
        error ??
        (isSigned ? undefined : new RegistryError('ERR_SIGNATURE_INVALID', 'another key signed it')) ??
        (isOlder(read, state.accepted) ? new RegistryError('ERR_LIST_ROLLED_BACK', 'older') : undefined);
      return refusal === undefined
        ? { is: 'verified', of, chains, read }
        : { is: 'refused', of, error: refusal };
    }
    default:
      return undefined;
  }
}

/** A client that has begun its first refresh. */
function refreshing(...pinned: readonly string[]) {
  const world = new World({ isTimed: true, sources: 3 });
  const roots = pinnedRoots(pinned.map(keyOf));
  world.tell({ is: 'loaded', roots, current: undefined, accepted: undefined, failure: undefined });
  world.tell({ is: 'refresh' });
  const of = (source: number) => ({ round: 1, source: SOURCES[source] as string, attempt: 0 });
  return { world, bound: roots.bound, of };
}

describe('a client as a state machine', () => {
  it('keeps its promises in every order of events: late, twice, lies, a clock set back, closed at any moment', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(HISTORY, ({ stored, commands, ...settings }) => {
        const world = new World(settings, seen);
        const current = stored === undefined ? undefined : statementsOf({ ...stored, chain: 0 });
        const roots = pinnedRoots([keyOf('r')]);
        world.tell({ is: 'loaded', roots, current, accepted: current, failure: undefined });
        for (const command of commands) {
          if (command.is === 'answer') world.answer(command);
          else if (command.is === 'clock') world.at += command.by;
          else if (command.is === 'failed') {
            const error = new RegistryError('ERR_SOURCE_STATUS', 'of a look-up');
            world.tell({ is: 'failed', source: SOURCES[0] as string, error });
          } else world.tell({ is: command.is });
        }
        // However it came: once every timer has run, no refresh is left.
        for (let turn = 0; world.state.refresh !== undefined && turn < 500; turn++) {
          const due = world.begun.find(({ effect }) => world.timers.includes(effect as never));
          if (due === undefined) break;
          world.begun.splice(world.begun.indexOf(due), 1);
          world.happen(due, { random: 0, list: NO_LIST, fails: undefined });
        }
        expect(world.state.refresh).toBeUndefined();
      }),
      { numRuns: rounds({ usual: 1000, soak: 50_000 }) },
    );
    // Histories in which nothing happens would show nothing.
    expect([...seen]).toEqual(
      expect.arrayContaining([
        ...['wake', 'stop', 'open', 'follow', 'verify', 'forget', 'use', 'save', 'settle'],
        ...['accepted', 'unchanged', 'source-failed', 'refresh-failed', 'store-failed'],
        ...['outdated', 'fork', 'bound', 'ERR_ROTATION_FORK', 'ERR_LIST_ROLLED_BACK', 'ERR_SOURCE_TIMEOUT'],
      ]),
    );
  });

  it('binds the chain of the accepted list alone, and has rotations compared with it that were compared before', () => {
    const { world, bound, of } = refreshing('r', 'q');
    world.tell({ is: 'rotation', of: of(0), shown: { bound, chains: ['rs', 'qv'].map(chainOf) } });
    const read = statementsOf({ day: 1, content: 0, chain: 1, isHolding: true });
    world.tell({ is: 'verified', of: of(0), chains: world.state.roots.longest, read });
    expect(world.state.current).toBe(read);
    expect(world.state.roots.bound.map(namesOf)).toEqual(['rs', 'q']);

    const shown = { bound, chains: ['rt', 'q'].map(chainOf) };
    expect(world.tell({ is: 'rotation', of: of(1), shown })).toEqual([{ do: 'follow', of: of(1) }]);
    // Only the source that departs from the bound chain is refused.
    const departs = new RegistryError('ERR_ROTATION_FORK', 'the source departs from the bound chain');
    world.tell({ is: 'rotation', of: of(1), shown: departs });
    expect(forkOf(world.state.roots)).toBeUndefined();
  });

  it('verifies anew what another source has shown to be signed by a replaced root key', () => {
    const { world, bound, of } = refreshing('r');
    const [old, longer] = CHAINS as [RootChain, RootChain];
    const read = statementsOf({ day: 1, content: 0, chain: 0, isHolding: false });
    world.tell({ is: 'rotation', of: of(0), shown: { bound, chains: [old] } });
    const chains = world.state.roots.longest;
    world.tell({ is: 'rotation', of: of(2), shown: { bound, chains: [longer] } });
    // The first source is good under the old key alone.
    const effects = world.tell({ is: 'verified', of: of(0), chains, read });
    expect(effects).toEqual([{ do: 'verify', of: of(0), chains: [longer] }]);
    expect(world.state.current).toBeUndefined();
  });

  it('asks a source again, twice, after exactly the errors with ↻ in docs/verifiers/errors.md', () => {
    const document = readFileSync(join(ROOT, 'docs/verifiers/errors.md'), 'utf8');
    const [, ofSources = ''] = /for a moment:\n([\s\S]*?)\nOther codes:/.exec(document) ?? [];
    const marked = [...ofSources.matchAll(/`(ERR_[A-Z_]+)`( ↻)?/g)].map(
      ([, code = '', mark]) => [code as RegistryErrorCode, mark === undefined ? 0 : 2] as const,
    );
    expect(marked.length).toBeGreaterThan(30);
    const retries = marked.map(([code]) => {
      const { world, of } = refreshing('r');
      const error = new RegistryError(code, 'the source failed');
      let attempt = 0;
      const isAskedAgain = () =>
        world
          .tell({ is: 'refused', of: { ...of(0), attempt }, error })
          .some((effect) => effect.do === 'wake' && effect.then.is === 'retry');
      while (attempt < 9 && isAskedAgain()) attempt++;
      return [code, attempt];
    });
    expect(retries).toEqual(marked);
  });
});
