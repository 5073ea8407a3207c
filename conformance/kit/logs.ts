import { jcs, sha256Hex, textOf, utf8 } from '../cases/encoding.js';
import { golden } from '../cases/goldens.js';
import { jwt } from '../cases/jwt.js';
import { anchors, heads, lastEntries, logsOfSizes } from '../cases/logs.js';
import { variant } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import type { Registry } from '../cases/registry.js';
import { NOTES } from '../cases/traps.js';
import { adopt } from './adopt.js';
import type { KitCase, KitRole, Right } from './kit-case.js';
import { either, kitCase } from './make.js';

const PROOF = 'log/publication.tlog-proof';
const NOT_LOGGED = 'ERR_NOT_LOGGED';
const TOO_FEW = 'ERR_TOO_FEW_COSIGNATURES';

/** What a verifier of logs must accept and refuse of the proof of a publication (rule log-proof). */
export function* proofKit(role: KitRole): Generator<KitCase> {
  for (const base of ['log', 'witnessed', 'log-rotated', 'pending', 'log-300']) {
    const why = 'A proof shows that the log contains the statement.';
    yield kitCase(role, { id: `good/${base}`, rule: 'log-proof', base, why }, 'accept');
  }
  yield* quorums(role);
  yield* proofForms(role);
  yield* logHeads(role);
  yield* pinned(role);
  yield* wrongBits(role);
}

function* quorums(role: KitRole): Generator<KitCase> {
  const base = 'witnessed';
  const why = 'A quorum of 2 has cosigned, or not.';
  for (const count of [0, 1, 2, 3]) {
    const patches = variant(base, (registry) => {
      if (registry.log) registry.log.cosigning = count;
      registry.seal();
    });
    yield kitCase(
      role,
      { id: `quorum/${count} cosignatures`, rule: 'log-quorum', base, patches, why },
      either(count >= 2, TOO_FEW),
    );
  }
}

/** The forms that a reader accepts. */
const GOOD_NOTES = [
  ...['a signature line twice', 'signature lines in another order', 'a line of a stranger'],
  ...['a wrong cosignature', 'a line extra'],
];

function* proofForms(role: KitRole): Generator<KitCase> {
  for (const base of ['witnessed', 'log-300']) {
    const before = textOf(golden(base).files.get(PROOF) as Uint8Array);
    for (const [name, change] of Object.entries(NOTES)) {
      const text = change(before);
      if (text === before) continue;
      const draft = {
        id: `form/${base}, ${name}`,
        rule: 'log-bytes',
        base,
        patches: [{ file: PROOF, text }],
      };
      yield kitCase(
        role,
        { ...draft, why: 'The proof has another form.' },
        either(GOOD_NOTES.includes(name), NOT_LOGGED),
      );
    }
  }
}

/** Who signs the head, and what is right. */
const HEADS: Readonly<Record<string, Right>> = {
  'a head by a stranger': [NOT_LOGGED],
  'a new key': 'accept',
  'a new key that is not stated': [NOT_LOGGED],
};

function* logHeads(role: KitRole): Generator<KitCase> {
  for (const one of heads(['log', 'witnessed'])) {
    const [, base = '', name = ''] = one.id.split('/');
    const right = HEADS[name];
    if (right === undefined) continue;
    yield adopt(one, { role, id: `head/${base}, ${name}`, rule: 'log-name', right: [right] });
  }
}

const ANCHOR = 'ERR_TRUST_ANCHOR_INVALID';
const DEMANDS: Readonly<Record<string, readonly [rule: string, code: string]>> = {
  'a quorum of 1': ['log-quorum', ''],
  'a quorum of 3': ['log-quorum', ''],
  'one witness': ['trust-anchor', ''],
  'two witnesses': ['log-quorum', ''],
  'another witness': ['log-quorum', TOO_FEW],
  'a witness whose id is not that of its key': ['trust-anchor', ANCHOR],
  'a witness twice': ['trust-anchor', ANCHOR],
  'a quorum that is too large': ['trust-anchor', ANCHOR],
  'a quorum of 0': ['trust-anchor', ANCHOR],
  'a member that nobody knows': ['trust-anchor-closed', ANCHOR],
  'another log': ['log-proof', NOT_LOGGED],
};

/** Trust anchors that demand something else than the registry has. */
function* pinned(role: KitRole): Generator<KitCase> {
  for (const one of anchors()) {
    const [, base = '', name = ''] = one.id.split('/');
    const [rule, code] = DEMANDS[name] ?? [];
    if (rule === undefined || base !== 'witnessed') continue;
    const right = either(code === '', String(code));
    yield adopt(one, {
      role,
      id: `anchor/${name}`,
      rule,
      why: 'The trust anchor demands this.',
      right: [right],
    });
  }
}

function* wrongBits(role: KitRole): Generator<KitCase> {
  const base = 'witnessed';
  const text = textOf(golden(base).files.get(PROOF) as Uint8Array);
  const places = {
    'the inclusion proof': text.indexOf('\n', 30) + 5,
    'the root': text.indexOf('=\n\n—') - 9,
  };
  for (const [name, at] of Object.entries(places)) {
    const patches: Patch[] = [{ file: PROOF, at, xor: 1 }];
    yield kitCase(
      role,
      { id: `bit/${name}`, rule: 'log-proof', base, patches, why: 'One bit of the proof is wrong.' },
      [NOT_LOGGED],
    );
  }
  yield kitCase(
    role,
    {
      id: 'bit/no proof',
      rule: 'log-proof',
      base,
      patches: [{ file: PROOF, removed: true }],
      why: 'There is no proof.',
    },
    [NOT_LOGGED],
  );
}

/** Changes of the log that an auditor accepts. All others of the table break a rule. */
const GOOD_ENTRIES = [
  ...['a gap in the sequence', 'the same list again', 'a delegation again', 'a rotation', 'a testimony'],
];
/** Writing the log anew removes these tiles. */
const REMOVED = ['a narrower tile', 'a wider tile'];
const ENTRY_RULES: readonly (readonly [RegExp, string])[] = [
  [/sequence$|^an earlier|same time|same list|previous|withdrawn|publication twice/, 'log-order'],
  [/stranger|kid|committed|a rotation|statement|publication of a list|publication entry/, 'log-statements'],
  [/^an entry of another type/, 'other-entries'],
  [/^an? (empty )?entry|delegation again/, 'log-entries'],
  [/tile/, 'log-tiles'],
  [/file|kept|proof|testimony/, 'log-kept'],
];

/** A host's file that SHA256SUMS does not list, and a rotation that does not lead to the root key, are faults, too. */
const AUDIT_CODES = ['ERR_AUDIT_LOG', NOT_LOGGED, 'ERR_AUDIT_CHECKSUMS', 'ERR_AUDIT_ROOT_KEY'];

/** What an auditor must accept and refuse of a log (rule log-audit). */
export function* logAuditKit(role: KitRole): Generator<KitCase> {
  for (const one of lastEntries('witnessed')) {
    const [, , name = ''] = one.id.split('/');
    if (REMOVED.includes(name)) continue;
    const rule = ENTRY_RULES.find(([form]) => form.test(name))?.[1] ?? 'log-audit';
    const right = either(GOOD_ENTRIES.includes(name), ...AUDIT_CODES);
    yield adopt(one, {
      role,
      id: `log/${name}`,
      rule,
      why: 'What an auditor checks of a log.',
      right: [right],
    });
  }
  for (const one of logsOfSizes()) {
    const [, name = ''] = one.id.split('/');
    yield adopt(one, { role, id: `log/${name}`, rule: 'log-tiles', right: ['accept'] });
  }
  yield* auditedHeads(role);
}

/** An entry of a type that this version does not know, with its statement. */
function unknownEntry(registry: Registry, typ: string): void {
  const statement = jwt(registry.root, { typ }, { iat: registry.now });
  registry.log?.add(jcs({ sha256: sha256Hex(utf8(statement)), type: 'other' }), statement, registry.files);
  registry.publish();
}

/** Changes of the head of a log, and of its tiles and entries, that an auditor sees. */
const AUDITED: Readonly<Record<string, readonly [(registry: Registry) => unknown, boolean]>> = {
  'a publication that is pending': [
    (registry) => registry.change('beta', { tier: 'founding' }).publish({ isPending: true }),
    true,
  ],
  'an entry of an unknown type': [(registry) => unknownEntry(registry, 'registry-other+jwt'), true],
  'an entry of an unknown type with another typ': [(registry) => unknownEntry(registry, 'other+jwt'), false],
  'a delegation that is not logged': [
    (registry) => {
      const { files, root, online, now } = registry;
      const claims = { iat: now, exp: now + 9_000_000, keys: [online.jwk] };
      files.set('keys/delegation.jwt', utf8(jwt(root, { typ: 'registry-delegation+jwt' }, claims)));
      registry.seal();
    },
    false,
  ],
  'a proof of an earlier publication': [
    ({ files, log, now }) =>
      log && files.set('log/publication.tlog-proof', utf8(log.proof(log.head(now), 1))),
    false,
  ],
  'a proof with an earlier head': [
    ({ files, log, now }) => {
      const { index = 0, entries = [] } = log ?? {};
      if (log) files.set('log/publication.tlog-proof', utf8(log.proof(log.head(now, entries.length), index)));
    },
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
  'no proofs of the past': [
    ({ files }) =>
      [...files.keys()].filter((path) => path.startsWith('log/proofs/')).map((path) => files.delete(path)),
    true,
  ],
  'no head': [({ files }) => files.delete('log/checkpoint'), false],
  'a head without entries': [
    (registry) => {
      const { log, files, now } = registry;
      if (log) files.set('log/checkpoint', new TextEncoder().encode(log.head(now, 0)));
    },
    false,
  ],
  'an earlier head': [
    (registry) => {
      const { log, files, now } = registry;
      if (log) files.set('log/checkpoint', new TextEncoder().encode(log.head(now, log.entries.length - 1)));
    },
    false,
  ],
};

const HEAD_RULES: readonly (readonly [RegExp, string])[] = [
  [/unknown type/, 'other-entries'],
  [/tile/, 'log-tiles'],
  [/^no statement/, 'log-statements'],
  [/proofs of the past/, 'log-kept'],
  [/not logged|^a proof/, 'log-tree'],
];

function* auditedHeads(role: KitRole): Generator<KitCase> {
  const base = 'witnessed';
  for (const [name, [work, isGood]] of Object.entries(AUDITED)) {
    const rule = HEAD_RULES.find(([form]) => form.test(name))?.[1] ?? 'log-head';
    const draft = {
      id: `log/${name}`,
      rule,
      base,
      patches: variant(base, work),
      why: 'The head is another one.',
    };
    const now = golden(base).now + 600_000;
    yield kitCase(role, { ...draft, now }, either(isGood, 'ERR_AUDIT_LOG'));
  }
}
