import type { Case } from './case.js';
import { jcs, sha256Hex, textOf, utf8 } from './encoding.js';
import { golden, longLog } from './goldens.js';
import { decodeJwt, jwt, type Members } from './jwt.js';
import { key } from './keys.js';
import { delegationEntry, ORIGIN, publicationEntry } from './log.js';
import { makeCase, shown, variant } from './make-case.js';
import { type NoteSigner, verifierKey } from './note.js';
import { type Registry, witnessesOf } from './registry.js';

/** Logs of many entries, and logs whose entries, heads or statements break a rule of logs (rule public-log). */
export function* logs(): Generator<Case> {
  yield* logsOfSizes();
  yield* growing();
  yield* entries();
  yield* heads();
}

const draft = { rule: 'log-audit', why: 'The log breaks a rule, or is at the border of a tile.' };

/** Logs of so many entries. */
export function* logsOfSizes(): Generator<Case> {
  for (const size of [1, 2, 3, 255, 256, 257, 300, 513]) {
    const base = 'log-300';
    const registry = longLog(size);
    const sources = [shown(registry, base)] as const;
    const steps = [{ now: (registry.now + 600) * 1000, sources }] as const;
    yield makeCase({ ...draft, id: `log/${size} entries`, base, steps });
  }
}

function* growing(): Generator<Case> {
  for (const [older, newer] of [
    [1, 2],
    [255, 256],
    [256, 257],
    [255, 300],
    [2, 257],
  ] as const) {
    const base = 'log-300';
    const [one, other] = [longLog(older), longLog(older)];
    while ((other.log?.entries.length ?? 0) < newer - 1) other.delegate({ iat: other.now + newer });
    other.publish({ at: other.now + 600 });
    const at = (registry: Registry) => ({
      now: (other.now + 600) * 1000,
      sources: [shown(registry, base)] as const,
    });
    yield makeCase({
      ...draft,
      id: `log/from ${older} to ${newer} entries`,
      base,
      steps: [at(one), at(other), at(one)],
    });
  }
}

/** Changes of the entries, each made before a last publication. */
const ENTRIES: Readonly<Record<string, (registry: Registry) => unknown>> = {
  'a lower sequence': (registry) => registry.publish({ sequence: 1 }),
  'the same sequence': (registry) => registry.publish({ sequence: registry.sequence }),
  'a gap in the sequence': (registry) => registry.publish({ sequence: registry.sequence + 5 }),
  'an earlier list': (registry) => registry.publish({ at: registry.now - 30 }),
  'another list of the same time': (registry) =>
    registry.change('beta', { tier: 'founding' }).publish({ at: registry.now }),
  'the same list again': (registry) => registry.publish({ at: registry.now }),
  'another previous': (registry) => registry.publish({ claims: { previous: '0'.repeat(64) } }),
  'no previous': (registry) => registry.publish({ claims: { previous: undefined } }),
  'checkpoints are withdrawn': (registry) => registry.publish({ claims: { checkpoint: undefined } }),
  'an earlier delegation': (registry) => registry.delegate({ iat: 1_795_000_000 }),
  'a delegation again': (registry) => registry.delegate().delegate(),
  'a delegation by a stranger': (registry) => {
    const claims = { iat: registry.now, exp: registry.now + 9000, keys: [registry.online.jwk] };
    const text = jwt(
      key('stranger'),
      { typ: 'registry-delegation+jwt', kid: registry.root.thumbprint },
      claims,
    );
    registry.log?.add(delegationEntry(text), text, registry.files);
  },
  'a publication by a stranger': (registry) => addStatement(registry, { signer: 'stranger' }),
  'a publication of a list that nobody has': (registry) => addStatement(registry, { sha256: '0'.repeat(64) }),
  'a publication under another kid': (registry) =>
    addStatement(registry, { kid: { kid: key('spare').thumbprint } }),
  'an entry without a statement': (registry) =>
    registry.log?.add(
      jcs({ iat: registry.now, sha256: '0'.repeat(64), type: 'delegation' }),
      undefined,
      registry.files,
    ),
  'an entry of another type': (registry) =>
    registry.log?.add(jcs({ sha256: '0'.repeat(64), type: 'other' }), 'x', registry.files),
  'an entry that is no JSON': (registry) => registry.log?.add('entry', 'x', registry.files),
  'an entry that is not canonical': (registry) =>
    registry.log?.add(`{ "iat":1,"sha256":"${'0'.repeat(64)}","type":"delegation"}`, 'x', registry.files),
  'an empty entry': (registry) => registry.log?.add('', 'x', registry.files),
  'an entry that is too long': (registry) => registry.log?.add('x'.repeat(4097), 'x', registry.files),
  'an entry with another member': (registry) => addDelegation(registry, { note: 1 }),
  'an entry with another iat': (registry) => addDelegation(registry, { iat: 1 }),
  'an entry with a fraction': (registry) => addDelegation(registry, { iat: 1.5 }),
  'a publication entry with another sequence': (registry) => addPublication(registry, { sequence: 99 }),
  'a publication entry with another list': (registry) => addPublication(registry, { list: '0'.repeat(64) }),
  'a publication twice': (registry) => addPublication(registry, {}),
  'a rotation that skips a step': (registry) => registry.rotate('root 2', undefined, { step: 2 }),
  'a rotation': (registry) => registry.rotate('root 2'),
  'a rotation to a key that is not committed': (registry) => {
    registry.rotate('root 2', ['root 3']);
    registry.rotate('root 4');
  },
  'a statement of another entry': (registry) => {
    registry.files.set('log/statements/1.jwt', registry.files.get('log/statements/0.jwt') as Uint8Array);
  },
  'a file that does not belong there': (registry) => registry.files.set('log/note', utf8('x')),
  'a hidden file': (registry) => registry.files.set('log/.htaccess', utf8('x')),
  'a kept list with another name': (registry) =>
    registry.files.set(`log/lists/${'0'.repeat(64)}.json`, utf8('{}')),
  'a narrower tile': (registry) => {
    const tile = [...registry.files].find(([path]) => /^log\/tile\/0\/000\.p\//.test(path));
    if (tile) registry.files.set('log/tile/0/000.p/1', tile[1].slice(0, 32));
  },
  'a wider tile': (registry) => registry.files.set('log/tile/0/000.p/9', new Uint8Array(288)),
  'a proof of an entry that is no publication': (registry) => {
    registry.files.set(
      'log/proofs/0/first.tlog-proof',
      registry.files.get('log/publication.tlog-proof') as Uint8Array,
    );
  },
  'a testimony': (registry) =>
    registry.files.set(WITNESS_FILE, registry.files.get('log/checkpoint') as Uint8Array),
  'a testimony that is no head': (registry) => registry.files.set(WITNESS_FILE, utf8('x\n')),
};

const WITNESS_FILE = `witness/${sha256Hex(utf8(ORIGIN))}/checkpoint`;

/** Adds a next publication of the same list. @param more - claims, and who signs, if not the root key; also another `kid` */
function addStatement(
  registry: Registry,
  { signer = registry.root.name, kid = {}, ...more }: { signer?: string; kid?: { kid?: string } } & Members,
): void {
  const { claims } = decodeJwt(textOf(registry.files.get('publication.jwt') as Uint8Array));
  const sequence = registry.sequence + 1;
  const header = { typ: 'registry-publication+jwt', kid: registry.root.thumbprint, ...kid };
  const made = jwt(key(signer), header, { ...claims, sequence, ...more });
  registry.log?.add(publicationEntry(made), made, registry.files);
}

function addDelegation(registry: Registry, more: Members): void {
  const claims = { iat: registry.now, exp: registry.now + 9000, keys: [registry.online.jwk] };
  const text = jwt(registry.root, { typ: 'registry-delegation+jwt' }, claims);
  registry.log?.add(delegationEntry(text, more), text, registry.files);
}

function addPublication(registry: Registry, more: Members): void {
  const text = textOf(registry.files.get('publication.jwt') as Uint8Array);
  registry.log?.add(publicationEntry(text, more), text, registry.files);
}

/** Logs that end with an odd entry. */
export function* lastEntries(base: string): Generator<Case> {
  for (const [name, work] of Object.entries(ENTRIES)) {
    const last = variant(base, (registry) => {
      work(registry);
      registry.seal();
    });
    yield makeCase({ ...draft, id: `log/${base}/${name}`, base, patches: last });
  }
}

function* entries(): Generator<Case> {
  for (const base of ['log', 'witnessed', 'log-rotated']) {
    yield* lastEntries(base);
    for (const [name, work] of Object.entries(ENTRIES)) {
      const between = variant(base, (registry) => {
        work(registry);
        registry.publish();
      });
      yield makeCase({ ...draft, id: `log/${base}/${name}, and a publication`, base, patches: between });
    }
  }
}

/** Changes of who signs the head. */
export function* heads(bases = ['log', 'witnessed', 'log-rotated', 'pending']): Generator<Case> {
  const signer = (name: string, origin = 'registry.example/log'): NoteSigner => ({
    ...{ key: key(name), name: origin, purpose: 'log' },
  });
  const works: Readonly<Record<string, (registry: Registry) => unknown>> = {
    'a head by a stranger': (registry) => {
      if (registry.log) registry.log.signer = signer('stranger');
      registry.seal();
    },
    'a new key': (registry) => {
      if (registry.log) registry.log.signer = signer('next log');
      registry.publish();
    },
    'a new key that is not stated': (registry) => {
      const { log } = registry;
      if (log === undefined) return;
      const { claim } = log;
      log.signer = signer('next log');
      registry.publish({ claims: { log: claim } });
    },
    'a new key and then a pending publication': (registry) => {
      if (registry.log) registry.log.signer = signer('next log');
      registry.change('beta').publish({ isPending: true });
    },
    'an earlier head': (registry) => {
      const { log, files, now } = registry;
      if (log) files.set('log/checkpoint', utf8(log.head(now, log.entries.length - 1)));
    },
    'a head without entries': (registry) => {
      if (registry.log) registry.files.set('log/checkpoint', utf8(registry.log.head(registry.now, 0)));
    },
    'a proof of an earlier publication': (registry) => {
      const { log, files, now } = registry;
      if (log) files.set('log/publication.tlog-proof', utf8(log.proof(log.head(now), 0)));
    },
    ...Object.fromEntries(
      [0, 1, 2, 3].map((count) => [
        `${count} cosignatures`,
        (registry: Registry) => {
          if (registry.log) registry.log.cosigning = count;
          registry.seal();
        },
      ]),
    ),
  };
  for (const base of bases) {
    for (const [name, work] of Object.entries(works)) {
      yield makeCase({ ...draft, id: `log/${base}/${name}`, base, patches: variant(base, work) });
    }
  }
}

/** Trust anchors that demand other things than the registry has. */
export function* anchors(): Generator<Case> {
  const { anchor } = golden('witnessed');
  const [one = '', two = '', three = ''] = anchor.witnesses ?? [];
  const demands = {
    'a quorum of 1': { quorum: 1 },
    'a quorum of 3': { quorum: 3 },
    'one witness': { witnesses: [one], quorum: 1 },
    'another witness': {
      witnesses: witnessesOf({ witnesses: ['four.example'] }).map(verifierKey),
      quorum: 1,
    },
    'a witness whose id is not that of its key': { witnesses: [one.replace('one', 'four')], quorum: 1 },
    'a witness twice': { witnesses: [one, one], quorum: 1 },
    'a quorum that is too large': { quorum: 4 },
    'a quorum of 0': { quorum: 0 },
    'a member that nobody knows': { note: 1 },
    'two witnesses': { witnesses: [two, three], quorum: 2 },
    'a checkpoint': { checkpoint: 'required' },
    'a publication': { publication: 'required' },
    'another log': { log: 'another.example/log' },
  } as const;
  for (const base of ['plain', 'stated', 'checkpoint', 'log', 'witnessed', 'log-rotated']) {
    for (const [name, demand] of Object.entries(demands)) {
      const { root } = golden(base).anchor;
      const pinned = name.startsWith('a ') && !('quorum' in demand) ? { root } : { ...anchor, root };
      yield makeCase({ ...draft, id: `anchor/${base}/${name}`, base, anchor: { ...pinned, ...demand } });
    }
  }
}
