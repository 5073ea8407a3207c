import type { Case, Role } from '../cases/case.js';
import { jcs, sha256Hex, utf8 } from '../cases/encoding.js';
import { bytesIn, type Files, textIn } from '../cases/files.js';
import { GOLDEN_NAMES, golden } from '../cases/goldens.js';
import type { Members } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import {
  either,
  filesOf,
  makeCase,
  resigned,
  sealing,
  signerOf,
  topic,
  variant,
  type Work,
} from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import type { Registry } from '../cases/registry.js';
import { CHECKPOINT, PUBLICATION, STATEMENTS } from '../cases/statements.js';
import { LINES } from '../cases/traps.js';

/** What a golden tree shows besides. */
const GOOD: Readonly<Record<string, string>> = {
  stated: 'statement-form',
  'root-checkpoint': 'statement-checkpoint',
  'levels-1': 'sums-whole',
  'rotated-thrice': 'commitment-followed',
};

/** Trees as they are, and statements by keys that may not sign them: for clients and auditors. */
export function* treeKit(role: Role): Generator<Case> {
  for (const base of GOLDEN_NAMES) {
    const why = 'A tree with the files that the protocol specifies.';
    yield makeCase(role, { id: `good/${base}`, rule: GOOD[base] ?? 'tree-files', base, why }, 'accept');
  }
  yield* signers(role);
  yield* holds(role);
  yield* missing(role);
}

const SIGNED = [
  ['publication', PUBLICATION, 'statement-form', 'ERR_PUBLICATION_INVALID'],
  ['checkpoint', CHECKPOINT, 'checkpoint-signer', 'ERR_CHECKPOINT_INVALID'],
] as const;
const SIGNERS = ['stranger', 'p256 stranger', 'root', 'root 2', 'online', 'log'];

function* signers(role: Role): Generator<Case> {
  for (const base of ['checkpoint', 'rotated']) {
    const tree = golden(base);
    for (const [name, file, rule, code] of SIGNED) {
      const why = 'Another key has signed a statement.';
      const make = topic(role, 'signer', { rule, base, why });
      for (const signer of SIGNERS.filter((one) => one !== signerOf(tree, file))) {
        for (const own of [false, true]) {
          const { thumbprint, alg } = key(signer);
          const patch: Patch = { file, key: signer, header: own ? { kid: thumbprint, alg } : {} };
          const patches = file === CHECKPOINT ? [patch] : [patch, sealing(tree)];
          // The root key may sign checkpoints, too.
          const isGood = file === CHECKPOINT && signer === tree.registry.root.name && own;
          const id = `${base}, ${name} by ${signer} with ${own ? 'its own kid' : 'the right kid'}`;
          yield make(id, { patches }, either(isGood, code));
        }
      }
    }
  }
}

const ids = (count: number) =>
  Array.from({ length: count }, (_one, at) => `issuer-${String(at).padStart(3, '0')}`);

/** What `hold` may be, and what not. */
const HOLDS: readonly (readonly [string, unknown, boolean])[] = [
  ['one issuer', ['alpha'], true],
  ['an issuer that is not listed', ['no-such-issuer'], true],
  ['64 issuers', ids(64), true],
  ['65 issuers', ids(65), false],
  ['nobody', [], false],
  ['null', null, false],
  ['a text', 'alpha', false],
  ['an issuer twice', ['alpha', 'alpha'], false],
  ['another order', ['beta', 'alpha'], false],
  ['an id that is none', ['ALPHA'], false],
  ['a number', [1], false],
  ['the order of code units', ['a-b', 'a.b', 'a0', 'a_b', 'aa'], true],
  ['digits by code units', ['1', '10', '2'], true],
  ['digits by number', ['2', '10'], false],
  ['an underscore before a digit', ['a_b', 'a0'], false],
  ['64 of the longest ids', ids(64).map((id) => id.padEnd(128, 'x')), true],
  ['an id that is too long', ['x'.repeat(129)], false],
  ['an empty id', [''], false],
  ['an id with a path', ['../a'], false],
  ['a reserved id', ['index'], false],
  ['an object', { 0: 'alpha', length: 1 }, false],
  ['true', true, false],
  ['null in the array', [null], false],
  ['an array in the array', [['alpha']], false],
];

function* holds(role: Role): Generator<Case> {
  const invalid = ['ERR_CHECKPOINT_INVALID'];
  const ask = ['alpha', 'beta'];
  const base = 'root-checkpoint';
  const why = 'The checkpoint holds issuers.';
  const make = topic(role, 'hold', { rule: 'checkpoint-form', base, why, ask });
  const seal = (of: string, hold: unknown) => variant(of, (registry) => registry.seal({ hold }));
  for (const [name, hold, isGood] of HOLDS) {
    const trusted = ask.filter((id) => !(Array.isArray(hold) && hold.includes(id)));
    yield make(name, { patches: seal(base, hold), trusted }, either(isGood, ...invalid));
  }
  const permission = { rule: 'hold-permission', why: 'The publication permits holds, or does not.' };
  const held = (of: string) => ({ ...permission, base: of, patches: seal(of, ['alpha']) });
  yield make('with permission', { ...held('hold'), trusted: ['beta'] }, 'accept');
  yield make('without permission', held('checkpoint'), invalid);
  yield make('as it is', { ...permission, base: 'hold', trusted: ['alpha'] }, 'accept');
}

/** The changes of status and tier, which are signed by nobody. */
function* changes(role: Role): Generator<Case> {
  const base = 'described';
  const text = textIn(golden(base).files, 'changes.json');
  const odd: readonly (readonly [string, Patch[], boolean])[] = [
    ['as they are', [], true],
    [
      'another field',
      [{ file: 'changes.json', text: text.replace('"field":"status"', '"field":"contact"') }],
      false,
    ],
    ['another form', [{ file: 'changes.json', text: '[]' }], false],
    ['no JSON', [{ file: 'changes.json', text: text.slice(0, -1) }], false],
    ['a member twice', [{ file: 'changes.json', text: text.replace('{', '{"since":"",') }], false],
    ['a final newline', [{ file: 'changes.json', text: `${text}\n` }], false],
  ];
  const why = 'The changes are in another form.';
  const make = topic(role, 'changes', { rule: 'changes-checked', base, why });
  for (const [name, patches, isGood] of odd)
    yield make(name, { patches: [...patches, sealing(golden(base))] }, either(isGood, 'ERR_AUDIT_CHANGES'));
}

/** Files that a client does not need, or does. */
function* missing(role: Role): Generator<Case> {
  const base = 'checkpoint';
  const isAuditor = role === 'auditor';
  const parts = topic(role, 'missing', {
    ...{ rule: 'statements-file', base, why: 'A registry always has this part.' },
  });
  const absent = [isAuditor ? 'ERR_AUDIT_STATEMENTS' : 'ERR_SOURCE_STATUS'];
  yield parts('no statements', { patches: [{ file: STATEMENTS, removed: true }] }, absent);
  yield parts('only list, signature, root key and records', { patches: partAlone(base) }, absent);
  const sig: Patch[] = [{ file: 'issuers.sig', removed: true }];
  const signature = { rule: 'verify-before-parse', why: 'Only a list verifier reads it.', patches: sig };
  yield parts('the signature', signature, either(!isAuditor, 'ERR_AUDIT_SIGNATURE'));
  const make = topic(role, 'missing', {
    ...{ rule: 'tree-files', base, why: 'A file is missing, or is not needed.' },
  });
  const sealed = (patch: Patch) => [patch, sealing(golden(base))];
  const record: Patch[] = [{ file: 'issuers/alpha', removed: true }];
  yield make('a record', { base: 'stated', patches: record }, either(!isAuditor, 'ERR_AUDIT_RECORDS'));
  yield make(
    'the root key',
    { rule: 'root-key-file', patches: sealed({ file: 'keys/root.json', removed: true }) },
    either(!isAuditor, 'ERR_AUDIT_ROOT_KEY'),
  );
  const tree: Patch[] = [{ file: CHECKPOINT, key: 'online', claims: { tree_sha256: '0'.repeat(64) } }];
  yield make(
    'another tree_sha256',
    { rule: 'tree-hash', patches: tree },
    either(!isAuditor, 'ERR_AUDIT_FRESHNESS'),
  );
}

/** Takes everything away that part A of the specification does not name: what any registry has. */
export function partAlone(base: string): Patch[] {
  const others = [...golden(base).files.keys()].filter((file) => !/^(issuers|keys\/root)/.test(file));
  return others.map((file): Patch => ({ file, removed: true }));
}

/** What an auditor sees besides: every file of a tree. */
export function* auditKit(role: Role): Generator<Case> {
  yield* wrongFiles(role);
  yield* sumsOfFiles(role);
  yield* otherFiles(role);
  yield* treeOfSums(role);
  yield* described(role);
  yield* changes(role);
}

/** Files without which a tree is whole. */
const isFree = (files: Files, file: string) =>
  file.startsWith('lists/') && file !== `lists/${sha256Hex(bytesIn(files, 'issuers.json'))}.json`;

/** Files with signatures of witnesses, which do not count if they are wrong. */
const SIGNED_TEXTS = ['log/checkpoint', STATEMENTS];

function* wrongFiles(role: Role): Generator<Case> {
  for (const base of ['described', 'witnessed']) {
    const make = topic(role, 'file', { rule: 'checksums-whole', base });
    for (const [file, bytes] of golden(base).files) {
      const removed: Patch[] = [{ file, removed: true }];
      const gone = { patches: removed, why: 'A file is missing.' };
      yield make(`${base}, no ${file}`, gone, either(isFree(golden(base).files, file), ...ANY_AUDIT));
      const wrong: Patch[] = [{ file, at: SIGNED_TEXTS.includes(file) ? 5 : bytes.length >> 1, xor: 1 }];
      const why = 'One bit of a file is wrong.';
      yield make(`${base}, a wrong bit in ${file}`, { patches: wrong, why }, ANY_AUDIT);
    }
  }
}

/** A checkpoint for the tree `stated` with another SHA256SUMS. */
function sealedFor(patches: readonly Patch[]): Patch {
  const files = filesOf({ base: 'stated', patches });
  const tree_sha256 = sha256Hex(bytesIn(files, 'SHA256SUMS'));
  return { file: CHECKPOINT, key: 'root', claims: { tree_sha256 } };
}

/** Several checks may find such a fault first. */
const ANY_AUDIT = [
  ...['ERR_AUDIT_CHECKSUMS', 'ERR_AUDIT_LISTS', 'ERR_AUDIT_RECORDS', 'ERR_AUDIT_SUMS', 'ERR_AUDIT_LOG'],
  ...['ERR_AUDIT_ROOT_KEY', 'ERR_AUDIT_SIGNATURE', 'ERR_AUDIT_PUBLICATION'],
  ...['ERR_AUDIT_FRESHNESS', 'ERR_AUDIT_STATEMENTS', 'ERR_STATEMENTS_INVALID'],
  ...['ERR_CHECKPOINT_INVALID', 'ERR_PUBLICATION_INVALID', 'ERR_NOT_LOGGED', 'ERR_SIGNATURE_INVALID'],
];

function* sumsOfFiles(role: Role): Generator<Case> {
  const base = 'stated';
  const make = topic(role, 'checksums', { rule: 'checksums-form', base, why: 'SHA256SUMS has other lines.' });
  const before = textIn(golden(base).files, 'SHA256SUMS');
  for (const [name, change] of Object.entries(LINES)) {
    const patches: Patch[] = [{ file: 'SHA256SUMS', text: change(before) }];
    patches.push(sealedFor(patches));
    const right = either(name === 'another order', 'ERR_AUDIT_CHECKSUMS', 'ERR_IO_FAILED');
    yield make(name, { patches }, right);
  }
}

/** Paths of files that are added and listed, and whether an auditor passes them. */
const PATHS: readonly (readonly [string, boolean])[] = [
  ['a-later-file.json', true],
  ['later.jwt', true],
  ['later.txt', true],
  [`${'a'.repeat(64)}.json`, true],
  [`${'a'.repeat(65)}.json`, false],
  ['-later.json', false],
  ['Later.json', false],
  ['later.exe', false],
  ['later', false],
  ['later.html', false],
  ['folder/later.json', false],
  ['ISSUERS.JSON', false],
  ['issuers/nobody', false],
  ['sums/0', false],
  ['log/checkpoint', false],
  ['.htaccess', true],
  ['issuers/.htaccess', true],
  ['.env', false],
  ['schemas/other.schema.json', true],
  ['schemas/Other.schema.json', false],
  ['assets/page.css', true],
  ['assets/page.exe', false],
];

function* otherFiles(role: Role): Generator<Case> {
  const base = 'stated';
  const why = 'A file that the table does not name.';
  const make = topic(role, 'other', { rule: 'later-versions', base, why });
  for (const [path, isGood] of PATHS) {
    const patches = variant(base, ({ files }) => {
      const sums = `${textIn(files, 'SHA256SUMS')}${sha256Hex(utf8('{}'))}  ${path}\n`;
      files.set('SHA256SUMS', utf8(sums));
      files.set(path, utf8('{}'));
    });
    patches.push(sealedFor(patches));
    const rule = path.startsWith('.') || path.includes('/.') ? 'host-files' : 'later-versions';
    yield make(path, { rule, patches }, either(isGood, ...ANY_AUDIT));
  }
  const unlisted = (file: string) => ({
    ...{ patches: [{ file, text: '{}' }], why: 'SHA256SUMS does not list it.' },
  });
  yield make('a later file that is not listed', unlisted('later.json'), 'accept');
  yield make('an odd file that is not listed', unlisted('later.exe'), ANY_AUDIT);
}

function* treeOfSums(role: Role): Generator<Case> {
  const sums = ['ERR_AUDIT_SUMS'];
  const base = 'stated';
  const why = 'The auditor makes the tree of sums from the list.';
  const make = topic(role, 'sums', { rule: 'sums-whole', base, why });
  for (const levels of [1, 2, 8]) {
    const patches = resigned(base, PUBLICATION, { levels });
    yield make(`levels ${levels}`, { patches }, sums);
  }
  const other = variant(base, (registry) => registry.publish({ claims: { sums_sha256: '0'.repeat(64) } }));
  yield make('another root', { patches: other }, sums);
  const [file = ''] = [...golden('levels-1').files.keys()].filter((name) => /^sums\/[0-9a-f]$/.test(name));
  const ofLevels = (patch: Patch) => ({ base: 'levels-1', patches: [patch] });
  yield make('a sums file is missing', ofLevels({ file, removed: true }), sums);
  yield make('a sums file has other lines', ofLevels({ file, at: 1, xor: 1 }), sums);
  yield make('a sums file too many', ofLevels({ file: 'sums/00', text: '' }), sums);
  for (const [count, isGood] of [
    [64, true],
    [65, false],
  ] as const) {
    const patches = variant(base, (registry) => {
      for (let number = registry.records.size; number < count; number++) registry.change(`issuer-${number}`);
      registry.publish();
    });
    const own = { rule: 'sums-levels', patches, why: 'A leaf is too full, or not.' };
    yield make(`${count} records without levels`, own, either(isGood, ...sums));
  }
  const record = variant(base, (registry) => registry.publish({ records: new Map([['alpha', utf8('{}')]]) }));
  const own = { rule: 'tree-files', patches: record, why: 'A record is not its entry in the list.' };
  yield make('another record', own, ['ERR_AUDIT_RECORDS']);
}

const ABOUT = { issuers: { alpha: { name: 'Alpha' } } };

/** A file that says something of one issuer. */
const said = (members: Members) => jcs({ issuers: { alpha: members } });

/** What is said of a registry besides the list. */
function* described(role: Role): Generator<Case> {
  const base = 'checkpoint';
  const about =
    (text: string, hash: unknown = sha256Hex(utf8(text))) =>
    (registry: Registry) => {
      registry.publish({ claims: { about_sha256: hash } });
      registry.files.set('about.json', utf8(text));
      registry.seal();
    };
  const named: readonly (readonly [string, Work, boolean])[] = [
    ['a name', about(jcs(ABOUT)), true],
    ['another hash', about(jcs(ABOUT), '0'.repeat(64)), false],
    ['its hash in an array', about(jcs(ABOUT), [sha256Hex(utf8(jcs(ABOUT)))]), false],
    ['no form', about('{}'), false],
    ['not canonical', about(JSON.stringify(ABOUT, null, 2)), false],
    ['another member', about(jcs({ issuers: { alpha: { name: 'Alpha', tier: 'certified' } } })), false],
    ['when a suspension ended', about(said({ reinstated: '2026-02-01T01:00:00.5+01:00' })), true],
    ['when a suspension ended, on no day', about(said({ reinstated: '2026-02-30T00:00:00Z' })), false],
    ['a name with a line break', about(jcs({ issuers: { alpha: { name: 'a\nb' } } })), false],
    ['a name of 100 characters', about(jcs({ issuers: { alpha: { name: 'x'.repeat(100) } } })), true],
    ['a name of 101 characters', about(jcs({ issuers: { alpha: { name: 'x'.repeat(101) } } })), false],
    [
      'nothing names it',
      (registry) => registry.files.set('about.json', utf8(jcs(ABOUT))) && registry.seal(),
      false,
    ],
    ['it is missing', (registry) => registry.publish({ claims: { about_sha256: '0'.repeat(64) } }), false],
  ];
  const now = golden(base).now + 600_000;
  const names = topic(role, 'about', {
    rule: 'about-file',
    base,
    now,
    why: 'Names and reasons, for people.',
  });
  for (const [name, work, isGood] of named)
    yield names(name, { patches: variant(base, work) }, either(isGood, 'ERR_AUDIT_ABOUT'));
  const stopped = (status: string, text: string | undefined) => (registry: Registry) => {
    registry.change('alpha', { status });
    if (text === undefined) registry.publish();
    else about(text)(registry);
  };
  const since = said({ status_since: '2026-11-21T08:00:00Z' });
  const times: readonly (readonly [string, Work, boolean])[] = [
    ['suspended since', stopped('suspended', since), true],
    ['revoked since', stopped('revoked', since), true],
    ['active since', stopped('active', since), false],
    ['suspended, and no file', stopped('suspended', undefined), false],
    ['suspended, and only a name', stopped('suspended', jcs(ABOUT)), false],
    ['with an offset', stopped('suspended', since.replace('Z', '+00:00')), false],
    ['with a fraction', stopped('suspended', since.replace('Z', '.0Z')), false],
  ];
  const dated = { rule: 'status-since', why: 'Since when an issuer is not active.' };
  for (const [name, work, isGood] of times)
    yield names(name, { ...dated, patches: variant(base, work) }, either(isGood, 'ERR_AUDIT_ABOUT'));
}
