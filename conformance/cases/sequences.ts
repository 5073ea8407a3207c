import type { Case, Role, ShownTree, Step } from './case.js';
import { golden } from './goldens.js';
import { makeCase, rolesOf, shown } from './make-case.js';
import type { Registry } from './registry.js';

/** What a source shows after another thing, made of the registry of a golden tree. */
type Work = (registry: Registry) => unknown;

/** Both trees go on from the golden tree. */
interface Story {
  readonly base: string;
  readonly first: Work;
  readonly second: Work;
}

const nothing: Work = () => undefined;
const next: Work = (registry) => registry.change('beta', { tier: 'founding' }).publish();
const nextButOther: Work = (registry) => registry.change('gamma', { tier: 'founding' }).publish();
const twice: Work = (registry) => {
  next(registry);
  registry.change('beta', { tier: 'registered' }).publish();
};

/** Stories about any registry: what is shown first, and then. */
const STORIES: Readonly<Record<string, readonly [Work, Work]>> = {
  'the same': [nothing, nothing],
  'a newer list': [nothing, next],
  'an older list': [next, nothing],
  'two newer lists': [nothing, twice],
  'another list of the same time': [next, nextButOther],
  'the same list under a higher sequence': [
    nothing,
    (registry) => registry.publish({ at: registry.now, sequence: registry.sequence + 1 }),
  ],
  'the same list under a lower sequence': [
    (registry) => registry.publish({ at: registry.now, sequence: registry.sequence + 5 }),
    (registry) => registry.publish({ at: registry.now, sequence: registry.sequence + 1 }),
  ],
  'a newer list under a lower sequence': [
    (registry) => registry.publish({ sequence: 20 }),
    (registry) => registry.publish({ at: registry.now + 600, sequence: 19 }),
  ],
  'an older list under a higher sequence': [
    (registry) => registry.publish({ at: registry.now + 600 }),
    (registry) => registry.publish({ at: registry.now + 60, sequence: 50 }),
  ],
  'the same sequence with another claim': [
    nothing,
    (registry) => registry.publish({ at: registry.now, sequence: registry.sequence, claims: { note: 1 } }),
  ],
  'the same sequence and a newer list': [
    nothing,
    (registry) => registry.change('beta', { tier: 'founding' }).publish({ sequence: registry.sequence }),
  ],
  'a gap in the sequence': [nothing, (registry) => registry.publish({ sequence: registry.sequence + 1000 })],
  'no publication statement any more': [nothing, (registry) => registry.files.delete('publication.jwt')],
  'no checkpoint any more': [nothing, (registry) => registry.files.delete('checkpoint.jwt')],
  'neither statement nor checkpoint any more': [
    nothing,
    (registry) => {
      registry.files.delete('checkpoint.jwt');
      registry.files.delete('publication.jwt');
    },
  ],
  'checkpoints are withdrawn': [
    nothing,
    (registry) => registry.publish({ claims: { checkpoint: undefined } }),
  ],
  'a rotation': [nothing, (registry) => registry.rotate('next root')],
  'a rotation is hidden': [(registry) => registry.rotate('next root'), nothing],
  'a rotation is hidden behind a newer list': [
    (registry) => registry.rotate('next root'),
    (registry) => registry.publish({ at: registry.now + 600 }),
  ],
  'another rotation': [
    (registry) => registry.rotate('next root'),
    (registry) => registry.rotate('other root'),
  ],
  'a rotation to the same key with another commitment': [
    (registry) => registry.rotate('next root', ['later root']),
    (registry) => registry.rotate('next root', ['other root']),
  ],
  'a rotation goes on': [
    (registry) => registry.rotate('next root'),
    (registry) => registry.rotate('next root').rotate('later root'),
  ],
  'a rotation goes on under a lower sequence': [
    (registry) => registry.publish({ sequence: 50 }),
    (registry) => {
      registry.rotate('next root');
      registry.publish({ sequence: 1 });
    },
  ],
  'a list after a rotation that is older': [
    (registry) => registry.publish({ at: registry.now + 600 }),
    (registry) => registry.rotate('next root'),
  ],
};

/** Stories about a checkpoint. */
const CHECKPOINT_STORIES: Readonly<Record<string, readonly [Work, Work]>> = {
  'a newer checkpoint': [nothing, sealedWith((now) => ({ iat: now + 60 }))],
  'an older checkpoint': [sealedWith((now) => ({ iat: now + 60 })), nothing],
  'an older checkpoint of a newer list': [
    sealedWith((now) => ({ iat: now + 300 })),
    (registry) =>
      registry.change('beta', { tier: 'founding' }).publish({ checkpoint: { iat: registry.now + 70 } }),
  ],
  'another checkpoint of the same second': [nothing, sealedWith(() => ({ exp: 1_795_300_000 }))],
  'a later delegation': [nothing, delegatedAt(30)],
  'an earlier delegation': [delegatedAt(30), delegatedAt(10)],
  'another delegation of the same second': [delegatedAt(30), delegatedAt(30, { hold: true })],
  'an earlier delegation after a rotation': [
    delegatedAt(30),
    (registry) => {
      registry.rotate('next root');
      delegatedAt(-60)(registry);
    },
  ],
  'a hold': [nothing, held(60, ['alpha'])],
  'a hold in the same second': [nothing, held(0, ['alpha'])],
  'a hold is released': [held(60, ['alpha']), held(61, [])],
  'a hold is released in the same second': [held(60, ['alpha']), held(60, [])],
  'a hold is released by an older checkpoint': [held(60, ['alpha']), held(59, [])],
  'a hold of another issuer in the same second': [held(60, ['alpha']), held(60, ['beta'])],
  'a hold of one more in the same second': [held(60, ['alpha']), held(60, ['alpha', 'beta'])],
  'a hold and a newer list': [
    held(60, ['alpha']),
    (registry) => {
      registry.change('gamma', { tier: 'founding' }).publish();
      held(300, [])(registry);
    },
  ],
};

function sealedWith(claims: (now: number) => object): Work {
  return (registry) => registry.seal({ ...claims(registry.now) });
}

function delegatedAt(seconds: number, claims: object = {}): Work {
  return (registry) => {
    registry.delegate({ iat: registry.now - 120 + seconds, ...claims });
    registry.seal();
  };
}

function held(seconds: number, ids: readonly string[]): Work {
  return (registry) => {
    registry.hold = ids;
    registry.seal({ iat: registry.now + 10 + seconds });
  };
}

/** Stories about a log. */
const LOG_STORIES: Readonly<Record<string, readonly [Work, Work]>> = {
  'a log that is shorter': [next, nothing],
  'a log that is forked': [next, nextButOther],
  'a log that is forked and longer': [
    next,
    (registry) => {
      nextButOther(registry);
      registry.publish();
    },
  ],
  'a log that is forked before': [
    nothing,
    (registry) => {
      registry.log?.entries.splice(1, 1);
      registry.log?.add('{}', undefined, registry.files);
      registry.seal();
    },
  ],
  'a log that is withdrawn': [
    nothing,
    (registry) => {
      registry.publish({ claims: { log: undefined } });
      for (const path of [...registry.files.keys()]) if (path.startsWith('log/')) registry.files.delete(path);
      registry.seal = () => registry;
    },
  ],
  'a log of another name': [
    nothing,
    (registry) => {
      if (registry.log) registry.log.signer = { ...registry.log.signer, name: 'another.example/log' };
      registry.publish();
    },
  ],
  'a head without witnesses': [nothing, cosignedBy(0)],
  'a head with one witness': [nothing, cosignedBy(1)],
  'a head with two witnesses': [nothing, cosignedBy(2)],
  'a newer list with one witness': [
    nothing,
    (registry) => {
      if (registry.log) registry.log.cosigning = 1;
      registry.publish();
    },
  ],
  'a newer cosignature of the same head': [nothing, cosignedLater(600)],
  'an older cosignature of the same head': [cosignedLater(600), nothing],
  'a publication that is pending': [
    nothing,
    (registry) => registry.change('beta').publish({ isPending: true }),
  ],
  'a pending publication is completed': [
    (registry) => registry.change('beta', { tier: 'founding' }).publish({ isPending: true }),
    (registry) => {
      registry.change('beta', { tier: 'founding' }).publish({ isPending: true });
      registry.change('beta', { tier: 'registered' }).publish();
    },
  ],
  'tiles are missing': [
    nothing,
    (registry) => {
      registry.publish();
      for (const path of [...registry.files.keys()])
        if (path.startsWith('log/tile/0')) registry.files.delete(path);
    },
  ],
};

function cosignedBy(count: number): Work {
  return (registry) => {
    if (registry.log) registry.log.cosigning = count;
    registry.seal();
  };
}

function cosignedLater(seconds: number): Work {
  return (registry) => {
    if (registry.log) registry.log.cosignedAt = registry.now + seconds;
    registry.seal();
  };
}

const ANY = ['stated', 'root-checkpoint', 'checkpoint', 'hold', 'rotated', 'log', 'witnessed'];

function* stories(): Generator<[string, Story]> {
  for (const base of ANY) {
    for (const [name, [first, second]] of Object.entries(STORIES))
      yield [`${base}/${name}`, { base, first, second }];
  }
  for (const base of ['hold', 'root-checkpoint', 'witnessed']) {
    for (const [name, [first, second]] of Object.entries(CHECKPOINT_STORIES)) {
      yield [`${base}/${name}`, { base, first, second }];
    }
  }
  for (const base of ['log', 'witnessed', 'log-rotated']) {
    for (const [name, [first, second]] of Object.entries(LOG_STORIES)) {
      yield [`${base}/${name}`, { base, first, second }];
    }
  }
}

const HOUR = 60 * 60_000;

/** Trees that are shown one after the other, and then the first one again. */
export function* memories(): Generator<Case> {
  for (const [name, { base, first, second }] of stories()) {
    const [one, other] = [treeAfter(base, first), treeAfter(base, second)];
    const at = (source: ShownTree, later: number, more: Partial<Step> = {}): Step => ({
      ...{ now: golden(base).now + HOUR + later * 1000, sources: [source] },
      ...more,
    });
    const draft = { rule: 'roles', base, why: 'A program remembers what it has accepted.' };
    yield makeCase({ ...draft, id: `memory/${name}`, steps: [at(one, 0), at(other, 1), at(one, 2)] });
    const roles = ['client', 'lookup'] as const;
    const steps = [at(one, 0), at(other, 1, RESTARTED), at(one, 2, RESTARTED)] as const;
    yield makeCase({ ...draft, id: `memory/${name}, after a restart`, roles, steps });
  }
}

const RESTARTED = { restarts: true } as const;

/** Two sources at once that show different trees. Who reads one source has nothing to compare. */
export function* sources(): Generator<Case> {
  for (const [name, { base, first, second }] of stories()) {
    const both: Step = {
      now: golden(base).now + HOUR,
      sources: [treeAfter(base, first), treeAfter(base, second)],
    };
    const roles = rolesOf(golden(base).files).filter((role) => SEVERAL_SOURCES.includes(role));
    const why = 'Two sources show different trees.';
    yield makeCase({ id: `sources/${name}`, rule: 'roles', base, why, roles, steps: [both, both] });
  }
}

const SEVERAL_SOURCES: readonly Role[] = ['client', 'lookup', 'monitor'];

function treeAfter(base: string, work: Work): ShownTree {
  const registry = golden(base).registry.copy();
  work(registry);
  return shown(registry, base);
}
