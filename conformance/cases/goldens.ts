import { jcs, timeText, utf8 } from './encoding.js';
import type { Files } from './files.js';
import { key } from './keys.js';
import { ORIGIN } from './log.js';
import { verifierKey } from './note.js';
import { Registry, witnessesOf } from './registry.js';

/** What a verifier pins (rule trust-anchor). */
export interface Anchor {
  readonly root: object;
  readonly next_roots?: readonly string[];
  readonly log?: string;
  readonly witnesses?: readonly string[];
  readonly quorum?: number;
}

/** A tree that every role accepts. */
export interface Golden {
  readonly name: string;
  readonly registry: Registry;
  readonly files: Files;
  readonly anchor: Anchor;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** A tree and what is pinned of it. By default, only its first root key. */
interface Design {
  readonly registry: Registry;
  readonly anchor?: Partial<Anchor>;
}

const WITNESSES = ['one.example', 'two.example', 'three.example'];
const ONLINE = { checkpoints: 'online' } as const;
const WITNESSED = { ...ONLINE, hasLog: true, witnesses: WITNESSES } as const;

/** Pins the log of a registry, and its witnesses. */
function logAnchor(quorum?: number): Partial<Anchor> {
  if (quorum === undefined) return { log: ORIGIN };
  return { log: ORIGIN, witnesses: witnessesOf(WITNESSED).map(verifierKey), quorum };
}

/** Publishes three lists, all of which are kept. */
function threeLists(registry: Registry): Registry {
  registry.publish();
  registry.change('alpha', { status: 'suspended' }).publish();
  return registry.change('alpha', { status: 'active', tier: 'founding' }).publish();
}

function withRecords(registry: Registry, count: number): Registry {
  for (let number = 0; number < count; number++) registry.change(`issuer-${number}`);
  return registry;
}

const DESIGNS: Readonly<Record<string, () => Design>> = {
  stated: () => ({ registry: new Registry().publish() }),
  empty: () => {
    const registry = new Registry();
    registry.records.clear();
    return { registry: registry.publish() };
  },
  p256: () => ({ registry: threeLists(new Registry({ root: 'p256 root' })) }),
  'levels-1': () => ({ registry: withRecords(new Registry({ levels: 1 }), 70).publish() }),
  'levels-2': () => ({ registry: withRecords(new Registry({ levels: 2 }), 300).publish() }),
  'root-checkpoint': () => ({ registry: threeLists(new Registry()) }),
  checkpoint: () => ({ registry: threeLists(new Registry(ONLINE)) }),
  hold: () => {
    const registry = new Registry({ ...ONLINE, mayHold: true });
    registry.hold = ['beta'];
    return { registry: threeLists(registry) };
  },
  rotated: () => ({ registry: threeLists(new Registry(ONLINE)).rotate('root 2') }),
  'rotated-thrice': () => {
    const registry = new Registry(ONLINE).publish();
    registry.rotate('root 2', ['root 3', 'spare']).rotate('root 3', ['root 4']).rotate('root 4');
    return { registry, anchor: { next_roots: [key('root 2'), key('spare')].map((one) => one.thumbprint) } };
  },
  described: () => ({ registry: described(threeLists(new Registry(ONLINE))) }),
  log: () => ({ registry: threeLists(new Registry({ hasLog: true })), anchor: logAnchor() }),
  witnessed: () => ({ registry: threeLists(new Registry(WITNESSED)), anchor: logAnchor(2) }),
  'log-rotated': () => ({
    registry: threeLists(new Registry(WITNESSED)).rotate('root 2', ['root 3']),
    anchor: logAnchor(2),
  }),
  'log-300': () => ({ registry: longLog(300), anchor: logAnchor(2) }),
};

/** The names of all golden trees. */
export const GOLDEN_NAMES: readonly string[] = Object.keys(DESIGNS);

const made = new Map<string, Golden>();

/** Returns a golden tree. Its files must not be changed. */
export function golden(name: string): Golden {
  const known = made.get(name) ?? makeGolden(name);
  made.set(name, known);
  return known;
}

const MINUTES_LATER = 10;

function makeGolden(name: string): Golden {
  const design = DESIGNS[name];
  if (design === undefined) throw new Error(`there is no golden tree ${name}`);
  const { registry, anchor } = design();
  const [first = registry.root] = registry.chain;
  return {
    ...{ name, registry, files: registry.files, now: (registry.now + MINUTES_LATER * 60) * 1000 },
    anchor: { root: { ...first.jwk, kid: first.thumbprint }, ...anchor },
  };
}

/** Adds what only auditors read: the changes, and a file of a host. */
function described(registry: Registry): Registry {
  const { files, now } = registry;
  const change = {
    updated_at: timeText(now),
    issuer_id: 'alpha',
    field: 'status',
    from: 'suspended',
    to: 'active',
  };
  files.set('changes.json', utf8(jcs({ changes: [change], since: timeText(now - 120) })));
  files.set('serve.json', utf8('{"cleanUrls":false}'));
  return registry.seal();
}

/** A registry whose log has a number of entries: statements of an unknown type, and at last a publication. */
export function longLog(entries: number): Registry {
  const registry = new Registry(WITNESSED);
  for (let number = 0; number < entries - 1; number++) registry.note();
  return registry.publish();
}
