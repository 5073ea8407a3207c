import type { Case, Right, Role } from '../cases/case.js';
import { jcs, textOf } from '../cases/encoding.js';
import { textIn } from '../cases/files.js';
import { type Anchor, golden } from '../cases/goldens.js';
import { decodeJwt, jwt } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import { either } from '../cases/make-case.js';
import type { Registry } from '../cases/registry.js';
import { GOOD_JSON, JSON_TRAPS } from '../cases/traps.js';

/** The members of a history proof (rule history-proof). */
type Proof = Readonly<Record<string, unknown>>;

/** Makes the history proof of the newest publication of a registry. */
function proofOf({ files, log }: Registry, id: string): Proof {
  const text = (path: string) => textIn(files, path);
  const record = files.get(`issuers/${id}`);
  const index = log?.index ?? 0;
  return {
    format: 'registry-history-proof@v1',
    issuer_id: id,
    rotation: files.has('keys/rotation.json') ? JSON.parse(text('keys/rotation.json')) : [],
    publication: text('publication.jwt'),
    sums: [text('sums/root')],
    ...(record && { record: textOf(record) }),
    first_proof: text(`log/proofs/${index}/first.tlog-proof`),
    last_proof: text('log/publication.tlog-proof'),
    later_entries: log?.entries.slice(index + 1).map((entry) => textOf(entry)) ?? [],
  };
}

const MALFORMED = ['ERR_BUNDLE_INVALID'];
const NOT_LOGGED = ['ERR_NOT_LOGGED'];
const MISMATCH = ['ERR_SUMS_MISMATCH'];
const TOO_FEW = ['ERR_TOO_FEW_COSIGNATURES'];
const WITHOUT_QUORUM = ['ERR_OPTIONS_INVALID', 'ERR_TRUST_ANCHOR_INVALID'];

const base = 'witnessed';
const { anchor, registry } = golden(base);

/** The registry after more entries that are no publication. */
function later(): Registry {
  const copy = registry.copy();
  copy.now += 600;
  copy.delegate();
  return copy.seal();
}

function made(
  name: string,
  file: string,
  shown: { right: Right; rule?: string; anchor?: Partial<Anchor> | object },
): Case {
  const { right, rule = 'history-proof' } = shown;
  return {
    ...{ id: `log/history/${name}`, role: 'log', rule, why: 'A proof of the past.' },
    anchor: JSON.stringify(shown.anchor ?? anchor),
    // Nobody compares a time of a history proof with a clock.
    steps: [{ now: 0, proof: file, right }],
  };
}

/** What a reader of history proofs must accept and refuse. */
export function* historyKit(_role: Role): Generator<Case> {
  const good = proofOf(registry, 'alpha');
  const make = (name: string, change: Proof, right: Right) =>
    made(name, jcs({ ...good, ...change }), { right });
  yield made('good', jcs(good), { right: 'accept' });
  yield made('an issuer that is not listed', jcs(proofOf(registry, 'nobody')), { right: 'accept' });
  const more = proofOf(later(), 'alpha');
  yield made('a later entry', jcs(more), { right: 'accept' });
  yield made('after a rotation', jcs(proofOf(golden('log-rotated').registry, 'alpha')), {
    right: 'accept',
    anchor: golden('log-rotated').anchor,
  });
  yield* members(good);
  yield* forms(jcs(good));
  yield make('the record of another issuer', { record: textIn(registry.files, 'issuers/beta') }, MISMATCH);
  yield make('no record', { record: undefined }, MALFORMED);
  yield make('another id', { issuer_id: 'beta' }, MISMATCH);
  yield make('another id that is not listed', { issuer_id: 'nobody' }, MALFORMED);
  yield make('no sums', { sums: [] }, MALFORMED);
  yield make('sums twice', { sums: [...(good['sums'] as string[]), ''] }, MALFORMED);
  yield make('other sums', { sums: [`${(good['sums'] as string[])[0]}\n`] }, MISMATCH);
  yield make(
    'an entry that is not there',
    { later_entries: [`{"iat":1,"sha256":"${'0'.repeat(64)}","type":"delegation"}`] },
    NOT_LOGGED,
  );
  yield made('no later entries', jcs({ ...more, later_entries: [] }), { right: NOT_LOGGED });
  const { claims } = decodeJwt(String(good['publication']));
  const forged = jwt(key('stranger'), { typ: 'registry-publication+jwt' }, claims);
  yield make('a statement by a stranger', { publication: forged }, ['ERR_PUBLICATION_INVALID']);
  const again = jwt(registry.root, { typ: 'registry-publication+jwt' }, { ...claims, sequence: 99 });
  yield make('a statement that is not logged', { publication: again }, NOT_LOGGED);
  yield* proofs(good, more);
  yield* pinned(jcs(good));
  const rotated = proofOf(golden('log-rotated').registry, 'alpha');
  const wants = golden('log-rotated').anchor;
  yield made('no rotation', jcs({ ...rotated, rotation: [] }), {
    right: ['ERR_PUBLICATION_INVALID'],
    anchor: wants,
  });
  yield make('a rotation that leads nowhere', { rotation: rotated['rotation'] }, ['ERR_PUBLICATION_INVALID']);
}

const STRANGE = [null, 1, {}, [1], ''];

function* members(good: Proof): Generator<Case> {
  for (const member of Object.keys(good)) {
    if (member !== 'record')
      yield made(`${member} absent`, jcs({ ...good, [member]: undefined }), { right: MALFORMED });
    for (const value of STRANGE) {
      // A text that is empty has the right type, and is then no statement, no proof, no record.
      if (value === '' && !['format', 'issuer_id', 'rotation', 'sums', 'later_entries'].includes(member))
        continue;
      yield made(`${member} ${JSON.stringify(value)}`, jcs({ ...good, [member]: value }), {
        right: MALFORMED,
      });
    }
  }
  yield made('another member', jcs({ ...good, note: 1 }), { right: MALFORMED });
  yield made('another format', jcs({ ...good, format: 'registry-history-proof@v2' }), { right: MALFORMED });
}

/** What the traps add to the object is a member that no history proof has. */
const GOOD_FORMS = GOOD_JSON.filter((name) => ['white space', 'members in another order'].includes(name));

function* forms(text: string): Generator<Case> {
  for (const [name, trap] of Object.entries(JSON_TRAPS)) {
    // The record is a text with colons of its own.
    const change =
      name === 'white space' ? () => ` \t\r\n${JSON.stringify(JSON.parse(text), null, 2)}\n` : trap;
    yield made(`form with ${name}`, change(text), {
      right: either(GOOD_FORMS.includes(name), ...MALFORMED),
      rule: 'strict-json',
    });
  }
  const room = 1_048_576 - new TextEncoder().encode(text).length;
  for (const size of [0, 1]) {
    const right = either(size === 0, ...MALFORMED);
    yield made(`of ${1_048_576 + size} bytes`, text + ' '.repeat(room + size), {
      right,
      rule: 'other-limits',
    });
  }
}

function* proofs(good: Proof, more: Proof): Generator<Case> {
  const make = (name: string, change: Proof, right: Right) =>
    made(name, jcs({ ...good, ...change }), { right, rule: 'history-period' });
  const proof = (by: number, at: number) =>
    textIn(registry.copy().cosign({ by, at }).seal().files, 'log/publication.tlog-proof');
  for (const count of [0, 1, 2]) {
    yield make(
      `a first proof with ${count} cosignatures`,
      { first_proof: proof(count, registry.now) },
      either(count === 2, ...TOO_FEW),
    );
    yield make(
      `a last proof with ${count} cosignatures`,
      { last_proof: proof(count, registry.now + 60) },
      either(count === 2, ...TOO_FEW),
    );
  }
  const [early, late] = [proof(3, registry.now), proof(3, registry.now + 1)];
  yield make('a period of one instant', { first_proof: early, last_proof: early }, 'accept');
  yield make('a period of one second', { first_proof: early, last_proof: late }, 'accept');
  yield make('a period that ends before it begins', { first_proof: late, last_proof: early }, TOO_FEW);
  const swapped = {
    first_proof: more['last_proof'],
    last_proof: good['last_proof'],
    later_entries: more['later_entries'],
  };
  yield make('the first head is larger', swapped, ['ERR_LOG_INCONSISTENT']);
  yield make(
    'a first proof of another format',
    { first_proof: String(good['first_proof']).replace('@v1', '@v2') },
    NOT_LOGGED,
  );
  yield make(
    'another index',
    { last_proof: String(good['last_proof']).replace(/index \d+/, 'index 0') },
    NOT_LOGGED,
  );
}

function* pinned(file: string): Generator<Case> {
  const { root, log, witnesses = [], quorum } = anchor;
  const [one = '', two = ''] = witnesses;
  yield made('a trust anchor without a log', file, { anchor: { root }, right: WITHOUT_QUORUM });
  yield made('a trust anchor without witnesses', file, { anchor: { root, log }, right: WITHOUT_QUORUM });
  yield made('another log', file, { anchor: { ...anchor, log: 'another.example/log' }, right: NOT_LOGGED });
  yield made('two witnesses', file, {
    anchor: { root, log, witnesses: [one, two], quorum },
    right: 'accept',
  });
  yield made('another root key', file, {
    anchor: { ...anchor, root: key('stranger').jwk },
    right: ['ERR_PUBLICATION_INVALID'],
  });
}
