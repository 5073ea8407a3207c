import type { Case, Right, Role } from '../cases/case.js';
import { jcs, sha256Hex, utf8 } from '../cases/encoding.js';
import { bytesIn, type Files, textIn } from '../cases/files.js';
import { type Anchor, golden, longLog } from '../cases/goldens.js';
import { decodeJwt, jwt, type Members } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import { ORIGIN, publicationEntry } from '../cases/log.js';
import { either, makeCase, shown, topic, variant, type Work } from '../cases/make-case.js';
import { type NoteSigner, verifierKey } from '../cases/note.js';
import type { Patch } from '../cases/patch.js';
import { logAhead, type Registry, witnessesOf } from '../cases/registry.js';
import { LOG_PROOF as PROOF, PUBLICATION, statementHash } from '../cases/statements.js';
import { NOTES } from '../cases/traps.js';

const NOT_LOGGED = 'ERR_NOT_LOGGED';
const TOO_FEW = 'ERR_TOO_FEW_COSIGNATURES';

/** What a verifier of logs must accept and refuse of the proof of a publication (rule log-proof). */
export function* proofKit(role: Role): Generator<Case> {
  for (const base of ['log', 'witnessed', 'log-rotated', 'log-300']) {
    const why = 'A proof shows that the log contains the statement.';
    const rule = base === 'log' ? 'log-entries' : 'log-proof';
    yield makeCase(role, { id: `good/${base}`, rule, base, why }, 'accept');
  }
  const why = 'The proof decides, whatever the files of the log say by now.';
  const patches = variant('witnessed', logAhead);
  const ahead = { id: 'good/a log that is ahead', rule: 'log-write-order', base: 'witnessed', patches, why };
  yield makeCase(role, ahead, 'accept');
  yield* quorums(role);
  yield* proofForms(role);
  yield* logHeads(role);
  yield* oldPublications(role);
  yield* pinned(role);
  yield* wrongBits(role);
}

function* quorums(role: Role): Generator<Case> {
  const base = 'witnessed';
  const why = 'A quorum of 2 has cosigned, or not.';
  const make = topic(role, 'quorum', { rule: 'log-quorum', base, why });
  for (const count of [0, 1, 2, 3]) {
    const patches = variant(base, (registry) => registry.cosign({ by: count }).seal());
    yield make(`${count} cosignatures`, { patches }, either(count >= 2, TOO_FEW));
  }
}

/** The forms that a reader accepts. */
const GOOD_NOTES = [
  ...['a signature line twice', 'signature lines in another order', 'a line of a stranger'],
  ...['a wrong cosignature', 'a line extra'],
];

function* proofForms(role: Role): Generator<Case> {
  for (const base of ['witnessed', 'log-300']) {
    const make = topic(role, 'form', { rule: 'log-bytes', base, why: 'The proof has another form.' });
    const before = textIn(golden(base).files, PROOF);
    for (const [name, change] of Object.entries(NOTES)) {
      const text = change(before);
      if (text === before) continue;
      const right = either(GOOD_NOTES.includes(name), NOT_LOGGED);
      yield make(`${base}, ${name}`, { patches: [{ file: PROOF, text }] }, right);
    }
  }
}

/** Who signs the head, and what is right. */
const HEADS: Readonly<Record<string, readonly [Work, Right]>> = {
  'a head by a stranger': [
    (registry) => {
      if (registry.log) registry.log.signer = logSigner('stranger');
      registry.seal();
    },
    [NOT_LOGGED],
  ],
  'a new key': [
    (registry) => {
      if (registry.log) registry.log.signer = logSigner('next log');
      registry.publish();
    },
    'accept',
  ],
  'a new key that is not stated': [
    (registry) => {
      const { log } = registry;
      if (log === undefined) return;
      const { claim } = log;
      log.signer = logSigner('next log');
      registry.publish({ claims: { log: claim } });
    },
    [NOT_LOGGED],
  ],
};

const OTHER = 'another.example/log';

function logSigner(name: string): NoteSigner {
  return { key: key(name), name: ORIGIN, purpose: 'log' };
}

const BORDER = 'The log breaks a rule, or is at the border of a tile.';

function* logHeads(role: Role): Generator<Case> {
  for (const base of ['log', 'witnessed']) {
    const make = topic(role, 'head', { rule: 'log-name', base, why: BORDER });
    for (const [name, [work, right]] of Object.entries(HEADS))
      yield make(`${base}, ${name}`, { patches: variant(base, work) }, right);
  }
}

/** Whoever can choose what a client sees shows an old publication, and the newest head that all witnesses have cosigned. */
function* oldPublications(role: Role): Generator<Case> {
  for (const base of ['log', 'witnessed']) {
    const why = 'The publication is in the log, and is not its last entry.';
    const make = topic(role, 'old', { rule: 'log-proof', base, why });
    const later = (registry: Registry) => {
      const { publication, checkpoint, files } = registry;
      const index = registry.log?.index ?? 0;
      registry.publish();
      registry.files = new Map([...registry.files, ...files]);
      Object.assign(registry, { publication, checkpoint });
      return underNewestHead(registry, index);
    };
    yield make(`${base}, under a newer head`, { patches: variant(base, later) }, [NOT_LOGGED]);
  }
}

const ANCHOR = 'ERR_TRUST_ANCHOR_INVALID';
/** What trust anchors demand, who have pinned a log with three witnesses, and why it is refused. */
function demands(): Readonly<Record<string, readonly [rule: string, demand: Demand, code?: string]>> {
  const [one = '', two = '', three = ''] = golden('witnessed').anchor.witnesses ?? [];
  const others = witnessesOf({ witnesses: ['four.example'] }).map(verifierKey);
  return {
    'a quorum of 1': ['log-quorum', { quorum: 1 }],
    'a quorum of 3': ['log-quorum', { quorum: 3 }],
    'one witness': ['trust-anchor', { witnesses: [one], quorum: 1 }],
    'another witness': ['log-quorum', { witnesses: others, quorum: 1 }, TOO_FEW],
    'a witness whose id is not that of its key': [
      'trust-anchor',
      { witnesses: [one.replace('one', 'four')], quorum: 1 },
      ANCHOR,
    ],
    'a witness twice': ['trust-anchor', { witnesses: [one, one], quorum: 1 }, ANCHOR],
    'a quorum that is too large': ['trust-anchor', { quorum: 4 }, ANCHOR],
    'a quorum of 0': ['trust-anchor', { quorum: 0 }, ANCHOR],
    'a member that nobody knows': ['trust-anchor-closed', { note: 1 }, ANCHOR],
    'two witnesses': ['log-quorum', { witnesses: [two, three], quorum: 2 }],
    'another log': ['log-proof', { log: OTHER }, NOT_LOGGED],
  };
}

type Demand = Partial<Anchor> & { readonly note?: 1 };

/** Trust anchors that demand something else than the registry has. */
function* pinned(role: Role): Generator<Case> {
  const base = 'witnessed';
  const { root } = golden(base).anchor;
  const make = topic(role, 'anchor', { rule: 'log-quorum', base, why: 'The trust anchor demands this.' });
  for (const [name, [rule, demand, code = '']] of Object.entries(demands())) {
    // A member that nobody knows is refused, whatever else is pinned.
    const anchor = 'note' in demand ? JSON.stringify({ root, ...demand }) : demand;
    yield make(name, { rule, anchor }, either(code === '', code));
  }
}

function* wrongBits(role: Role): Generator<Case> {
  const base = 'witnessed';
  const why = 'One bit of the proof is wrong.';
  const make = topic(role, 'bit', { rule: 'log-proof', base, why });
  const text = textIn(golden(base).files, PROOF);
  const places = {
    'the inclusion proof': text.indexOf('\n', 30) + 5,
    'the root': text.indexOf('=\n\n—') - 9,
  };
  for (const [name, at] of Object.entries(places)) {
    const patches: Patch[] = [{ file: PROOF, at, xor: 1 }];
    yield make(name, { patches }, [NOT_LOGGED]);
  }
  const removed: Patch[] = [{ file: PROOF, removed: true }];
  yield make('no proof', { patches: removed, why: 'There is no proof.' }, [NOT_LOGGED]);
}

/** Changes of the entries, each made before a last publication. */
const ENTRIES: Readonly<Record<string, Work>> = {
  'a lower sequence': (registry) => registry.publish({ sequence: 1 }),
  'the same sequence': (registry) => registry.publish({ sequence: registry.sequence }),
  'a gap in the sequence': (registry) => registry.publish({ sequence: registry.sequence + 5 }),
  'an earlier list': (registry) => registry.publish({ at: registry.now - 30 }),
  'another list of the same time': (registry) =>
    registry.change('beta', { tier: 'founding' }).publish({ at: registry.now }),
  'the same list again': (registry) => registry.publish({ at: registry.now }),
  'another previous': (registry) => registry.publish({ claims: { previous: ['0'.repeat(64)] } }),
  'no previous': (registry) => registry.publish({ claims: { previous: undefined } }),
  'a statement of an unknown type by a stranger': (registry) => registry.note(key('stranger')),
  'a publication by a stranger': (registry) => addStatement(registry, { signer: 'stranger' }),
  'a publication under another kid': (registry) => addStatement(registry, { kid: key('spare').thumbprint }),
  'a publication that names no log': (registry) => addStatement(registry, { log: undefined }),
  'a publication that names another log': (registry) =>
    addStatement(registry, {
      log: { origin: OTHER, vkey: verifierKey({ ...logSigner('next log'), name: OTHER }) },
    }),
  'an entry without a statement': ({ log, files }) =>
    log?.add(
      jcs({ next: key('root 2').thumbprint, sha256: '0'.repeat(64), step: 1, type: 'rotation' }),
      undefined,
      files,
    ),
  'an entry of another type': ({ log, files }) =>
    log?.add(jcs({ sha256: '0'.repeat(64), type: 'other' }), 'x', files),
  'an entry that is no JSON': ({ log, files }) => log?.add('entry', 'x', files),
  'an entry that is not canonical': ({ log, files }) =>
    log?.add(`{ "sha256":"${'0'.repeat(64)}","type":"other"}`, 'x', files),
  'an empty entry': ({ log, files }) => log?.add('', 'x', files),
  'an entry that is too long': ({ log, files }) => log?.add('x'.repeat(4097), 'x', files),
  'an entry with another member': (registry) => addPublication(registry, { note: 1 }),
  'an entry with a fraction': (registry) => addPublication(registry, { sequence: 9.5 }),
  'a publication entry with another sequence': (registry) => addPublication(registry, { sequence: 99 }),
  'a publication entry with another list': (registry) => addPublication(registry, { list: '0'.repeat(64) }),
  'a publication twice': (registry) => addPublication(registry, {}),
  'a rotation that skips a step': (registry) => registry.rotate('root 2', undefined, { step: 2 }),
  'a rotation': (registry) => registry.rotate('root 2'),
  'a rotation to a key that is not committed': (registry) =>
    registry.rotate('root 2', ['root 3']).rotate('root 4'),
  'a statement of another entry': ({ files }) =>
    files.set('log/statements/1.jwt', bytesIn(files, 'log/statements/0.jwt')),
  'a file that does not belong there': ({ files }) => files.set('log/note', utf8('x')),
  'a hidden file': ({ files }) => files.set('log/.htaccess', utf8('x')),
  'a kept list with another name': ({ files }) => files.set(`lists/${'0'.repeat(64)}.json`, utf8('{}')),
};

/** Adds a next publication of the same list. @param odd - claims, and who signs, if not the root key; also another `kid` */
function addStatement(registry: Registry, odd: { signer?: string; kid?: string } & Members): void {
  const { root } = registry;
  const { signer = root.name, kid = root.thumbprint, ...more } = odd;
  const { claims } = decodeJwt(textIn(registry.files, PUBLICATION));
  const sequence = registry.sequence + 1;
  const header = { typ: 'registry-publication+jwt', kid };
  const made = jwt(key(signer), header, { ...claims, sequence, ...more });
  registry.log?.add(publicationEntry(made), made, registry.files);
}

function addPublication(registry: Registry, more: Members): void {
  const text = textIn(registry.files, PUBLICATION);
  registry.log?.add(publicationEntry(text, more), text, registry.files);
}

/** Changes of the log that an auditor accepts. All others of the table break a rule. */
const GOOD_ENTRIES = [...['a gap in the sequence', 'the same list again', 'a rotation']];
const ENTRY_RULES: readonly (readonly [RegExp, string])[] = [
  [/sequence$|^an earlier|same time|same list|previous|publication twice|log$/, 'log-order'],
  [/stranger|kid|committed|a rotation|statement|publication entry/, 'log-statements'],
  [/^an entry of another type/, 'other-entries'],
  [/^an? (empty )?entry/, 'log-entries'],
  [/tile/, 'log-tiles'],
  [/kept list/, 'lists'],
  [/file/, 'log-kept'],
];

/** A host's file that SHA256SUMS does not list, and a rotation that does not lead to the root key, are faults, too. */
const AUDIT_CODES = [
  'ERR_AUDIT_LOG',
  NOT_LOGGED,
  'ERR_AUDIT_CHECKSUMS',
  'ERR_AUDIT_ROOT_KEY',
  'ERR_AUDIT_LISTS',
];

/** What an auditor must accept and refuse of a log (rule log-audit). */
export function* logAuditKit(role: Role): Generator<Case> {
  const base = 'witnessed';
  const why = 'What an auditor checks of a log.';
  const make = topic(role, 'log', { rule: 'log-audit', base, why });
  for (const [name, work] of Object.entries(ENTRIES)) {
    const patches = variant(base, (registry) => {
      work(registry);
      const { log } = registry;
      // A log ends with the publication of the tree.
      if (log !== undefined && log.index < log.entries.length - 1) registry.publish();
      else registry.seal();
    });
    const rule = ENTRY_RULES.find(([form]) => form.test(name))?.[1] ?? 'log-audit';
    yield make(name, { rule, patches }, either(GOOD_ENTRIES.includes(name), ...AUDIT_CODES));
  }
  const { jwk, thumbprint: kid } = key('root 2');
  const patches = variant(base, (registry) => registry.rotate('root 2', ['root 3']).rotate('root 4'));
  const later = { rule: 'log-statements', patches, anchor: { root: { ...jwk, kid } } };
  yield make('a first rotation that commits to another key, pinned root 2', later, 'accept');
  for (const size of [1, 2, 3, 255, 256, 257, 300, 513]) {
    const registry = longLog(size);
    const { base, patches } = shown(registry, 'log-300');
    const now = (registry.now + 600) * 1000;
    yield make(`${size} entries`, { rule: 'log-tiles', base, patches, why: BORDER, now }, 'accept');
  }
  yield* auditedHeads(role);
}

/** An entry of a type that this version does not know, with its statement. */
function unknownEntry(registry: Registry, typ: string): void {
  const statement = jwt(registry.root, { typ }, { iat: registry.now });
  registry.log?.add(jcs({ sha256: statementHash(statement), type: 'other' }), statement, registry.files);
  registry.publish();
}

/** Shows the proof that the newest head contains an entry. */
function underNewestHead(registry: Registry, index: number): Registry {
  const { log, now } = registry;
  return registry.state({ log_proof: log?.proof(now, index, log.entries.length) });
}

/** Removes all lists but the newest. */
function withoutOlderLists(files: Files): void {
  const newest = `lists/${sha256Hex(bytesIn(files, 'issuers.json'))}.json`;
  for (const path of [...files.keys()]) if (path.startsWith('lists/') && path !== newest) files.delete(path);
}

/** Changes of the head of a log, and of its tiles and entries, that an auditor sees. */
const AUDITED: Readonly<Record<string, readonly [Work, boolean]>> = {
  'a log that ends with another publication': [logAhead, false],
  'a head with fewer cosignatures than the proof': [
    (registry) => registry.cosign({ by: 1 }).log?.write(registry.files, registry.now),
    true,
  ],
  'an entry of an unknown type': [(registry) => unknownEntry(registry, 'registry-other+jwt'), true],
  'an entry of an unknown type with another typ': [(registry) => unknownEntry(registry, 'other+jwt'), false],
  'a proof of an earlier publication': [(registry) => underNewestHead(registry, 1), false],
  'a proof with an earlier head': [
    (registry) => registry.state({ log_proof: registry.log?.proof(registry.now) }),
    true,
  ],
  'a narrower tile': [
    ({ files }) => {
      const tile = [...files].find(([path]) => path.startsWith('log/tile/0/000.p/'));
      if (tile) files.set('log/tile/0/000.p/1', tile[1].slice(0, 32));
    },
    true,
  ],
  'a narrower tile with another hash': [
    ({ files }) => files.set('log/tile/0/000.p/1', new Uint8Array(32)),
    false,
  ],
  'a wider tile': [({ files }) => files.set('log/tile/0/000.p/9', new Uint8Array(288)), false],
  'no tile': [
    ({ files }) =>
      [...files.keys()].filter((path) => path.startsWith('log/tile/0')).map((path) => files.delete(path)),
    false,
  ],
  'no statement': [({ files }) => files.delete('log/statements/0.jwt'), false],
  'no older lists': [({ files }) => withoutOlderLists(files), true],
  'no log proof': [(registry) => registry.state({ log_proof: undefined }), false],
  'no head': [({ files }) => files.delete('log/checkpoint'), false],
  'a head without entries': [
    ({ log, files, now }) => log && files.set('log/checkpoint', utf8(log.head(now, 0))),
    false,
  ],
  'an earlier head': [
    ({ log, files, now }) => log && files.set('log/checkpoint', utf8(log.head(now, log.entries.length - 1))),
    false,
  ],
};

const HEAD_RULES: readonly (readonly [RegExp, string])[] = [
  [/another publication/, 'log-write-order'],
  [/^a head with/, 'log-head'],
  [/unknown type/, 'other-entries'],
  [/narrower tile$/, 'log-kept'],
  [/tile/, 'log-tiles'],
  [/^no statement/, 'log-statements'],
  [/older lists/, 'lists'],
  [/proof/, 'log-tree'],
];

function* auditedHeads(role: Role): Generator<Case> {
  const base = 'witnessed';
  const now = golden(base).now + 600_000;
  const make = topic(role, 'log', { rule: 'log-head', base, now, why: 'The head is another one.' });
  for (const [name, [work, isGood]] of Object.entries(AUDITED)) {
    const rule = HEAD_RULES.find(([form]) => form.test(name))?.[1] ?? 'log-head';
    yield make(name, { rule, patches: variant(base, work) }, either(isGood, 'ERR_AUDIT_LOG'));
  }
}
