import { importRootKey } from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { naiveRoot } from './merkle.js';
import { headText, type KeyPair, pairOf } from './note-keys.js';
import { type Files, issuer, sha256, type TestKey } from './publication.js';
import { signedJwt } from './summed-registry.js';
import { proofPaths } from './sums.js';
import { vectorKey } from './sums-vectors.js';
import {
  type Cosigning,
  entryText,
  fillerEntry,
  fillers,
  KEYS,
  leavesOf,
  MADE,
  ORIGIN,
  publicationEntry,
  shownKeys,
  type VectorPublication,
  vectorHead,
  vectorProof,
  vectorPublication,
  withLines,
} from './vector-log.js';

const { next_log, other_log, w1, w2, w3, w1_renamed, stranger } = KEYS;
const INDEX = 2;
/** When witnesses cosign the first head, and the last one: seconds since 1970. */
const [EARLY, LATE] = [MADE + 10, MADE + 86_400];
const EARLY_PAIR: readonly Cosigning[] = [
  [w1, EARLY],
  [w2, EARLY + 2],
];
const AT_ONCE: readonly Cosigning[] = [
  [w1, EARLY],
  [w2, EARLY],
];
const LATE_PAIR: readonly Cosigning[] = [
  [w1, LATE],
  [w3, LATE + 3],
];

/** The content of a history proof. */
interface Content {
  readonly rotation: readonly string[];
  readonly publication: string;
  readonly sums: readonly string[];
  readonly record?: string | undefined;
  readonly first_proof: string;
  readonly last_proof: string;
  readonly later_entries: readonly string[];
}

/** A content, or a file that is not canonical, and what a reader says: the code, or null. */
type HistoryCase = readonly [
  name: string,
  file: Partial<Content> | string,
  code: string | null,
  more?: {
    readonly id?: string;
    readonly anchor?: 'first_root' | 'next_root' | 'committed' | 'committed_to_another';
    readonly proven?: object;
  },
];

/** Creates test/vectors/history.json. Everything is computed without the code that the vectors test. */
export async function historyVectors() {
  const key = await vectorKey();
  const seed = sha256(Buffer.from('next root'));
  const next = await rootKeyOf(pairOf(Buffer.from(seed, 'hex')));
  const other = await rootKeyOf(stranger.pair);
  const anchorOf = ({ rootKey }: TestKey) => ({
    ...{ root: rootKey.jwk, log: ORIGIN, quorum: 2 },
    witnesses: [w1, w2, w3].map(({ vkey }) => vkey),
  });
  return {
    description:
      'Proofs of the past, with the keys of log.json. test/vectors/README.md says what each member means.',
    keys: shownKeys(),
    next_root_seed: seed,
    trust_anchors: {
      first_root: anchorOf(key),
      next_root: anchorOf(next),
      committed: { ...anchorOf(key), next_roots: [next.rootKey.thumbprint] },
      committed_to_another: { ...anchorOf(key), next_roots: [other.rootKey.thumbprint] },
    },
    proofs: cases(key, next, other),
  };
}

async function rootKeyOf({ privateKey, publicKey }: KeyPair): Promise<TestKey> {
  return { privateKey, rootKey: await importRootKey(publicKey.export({ format: 'jwk' })) };
}

function cases(key: TestKey, next: TestKey, other: TestKey) {
  const issuers = [issuer('alpha'), issuer('beta', { status: 'suspended' })];
  const publish = (options: VectorPublication = {}, by = key) => vectorPublication(by, issuers, options);
  const files = publish();
  const entriesOf = (published: Files) => [...fillers(INDEX), entryOf(published)];
  const entries = entriesOf(files);
  const later = fillerEntry(INDEX);
  const whole = (id: string, published = files, levels = 0): Content => ({
    ...provenBy(published, id, levels),
    ...{ rotation: [], later_entries: [] },
    first_proof: vectorProof(INDEX, entriesOf(published), EARLY_PAIR),
    last_proof: vectorProof(INDEX, entriesOf(published), LATE_PAIR),
  });
  const file = (id: string, content: Partial<Content>) =>
    Buffer.from(
      canonicalBytes(
        JSON.parse(
          JSON.stringify({ ...whole(id), ...content, format: 'registry-history-proof@v1', issuer_id: id }),
        ),
      ),
    ).toString();
  const good = file('alpha', {});
  const first = (cosigning: readonly Cosigning[]) => ({
    first_proof: vectorProof(INDEX, entries, cosigning),
  });
  const last = (cosigning: readonly Cosigning[]) => ({ last_proof: vectorProof(INDEX, entries, cosigning) });
  const grown = [...entries, later];
  const lastOf = (all: readonly string[]) => vectorProof(INDEX, all, LATE_PAIR);
  const afterwards = [...entries, entryOf(publish({ claims: { sequence: 2 } })), later];

  const step = (from: TestKey, to: TestKey, more: object = {}) =>
    signedJwt(
      from,
      { iat: MADE, next_root: to.rootKey.jwk, step: 1, ...more },
      { typ: 'registry-root-rotation+jwt' },
    );
  const toNext = step(key, next);
  const underNext = whole('alpha', publish({}, next));
  const expiring = (exp: number) => whole('alpha', publish({ claims: { exp } }));
  const levels = 2;
  const deep = publish({ levels });
  const deepContent = whole('alpha', deep, levels);
  const deepAbsent = whole('gamma', deep, levels);

  const sums = String(files.get('sums/root'));
  const record = String(files.get('issuers/alpha'));
  /** Signs a publication whose only sums file has another content. */
  const withSums = (text: string, more: Partial<Content> = {}): Partial<Content> => {
    const changed = publish({ claims: { sums_sha256: sha256(Buffer.from(text)) } });
    return { ...whole('alpha', changed), sums: [text], ...more };
  };
  const withRecord = (text: string) =>
    withSums(sums.replace(sha256(Buffer.from(record)), sha256(Buffer.from(text))), { record: text });

  const [INVALID, NOT_LOGGED] = ['ERR_BUNDLE_INVALID', 'ERR_NOT_LOGGED'];
  const [TOO_FEW, INCONSISTENT] = ['ERR_TOO_FEW_COSIGNATURES', 'ERR_LOG_INCONSISTENT'];
  const root = naiveRoot(leavesOf(entries));
  const [firstProof, lastProof] = [whole('alpha').first_proof, whole('alpha').last_proof];
  const otherOrigin = headText({ origin: 'other.example/log', size: entries.length, root });
  const all: HistoryCase[] = [
    ['a listed issuer', {}, null],
    ['a suspended issuer', {}, null, { id: 'beta' }],
    ['an issuer that is not listed', {}, null, { id: 'gamma' }],
    ['two levels', deepContent, null],
    ['two levels, not listed', deepAbsent, null, { id: 'gamma' }],
    ['white space in the file', good.replace(',', ', '), null],
    ['a later entry', { last_proof: lastOf(grown), later_entries: [later] }, null],
    [
      'both proofs in one head',
      { ...first(AT_ONCE), ...last(AT_ONCE) },
      null,
      { proven: { from: EARLY, until: EARLY } },
    ],
    [
      'more cosignatures than the quorum in the first head: the earliest count',
      first([...EARLY_PAIR, [w3, EARLY - 5]]),
      null,
      { proven: { from: EARLY } },
    ],
    [
      'more cosignatures than the quorum in the last head: the newest count',
      last([...LATE_PAIR, [w2, LATE + 9]]),
      null,
      { proven: { until: LATE + 3 } },
    ],
    ['a statement that expires later', expiring(LATE + 1), null],
    ['a statement that expires earlier', expiring(LATE - 1), null, { proven: { until: LATE - 1 } }],
    ['after a rotation', { ...underNext, rotation: [toNext] }, null],
    [
      'after a rotation, with the next root key',
      { ...underNext, rotation: [toNext] },
      null,
      { anchor: 'next_root' },
    ],
    ['after a rotation, with the next root key, without the step', underNext, null, { anchor: 'next_root' }],

    [
      'after a rotation to a committed key',
      { ...underNext, rotation: [toNext] },
      null,
      { anchor: 'committed' },
    ],
    [
      'after a rotation that commits the next root key',
      { ...underNext, rotation: [step(key, next, { next_roots: [other.rootKey.thumbprint] })] },
      null,
    ],

    ['not JSON', 'proof', INVALID],
    ['an array', `[${good}]`, INVALID],
    ['another version', good.replace('history-proof@v1', 'history-proof@v2'), INVALID],
    ['one more member', good.replace('{', '{"note":"",'), INVALID],
    ['a member twice', good.replace('{', '{"sums":[],'), INVALID],
    ['no later_entries', good.replace('"later_entries":[],', ''), INVALID],
    ['an id that is none', good.replace('"issuer_id":"alpha"', '"issuer_id":"../alpha"'), INVALID],
    ['later entries that are objects', good.replace('"later_entries":[]', '"later_entries":[{}]'), INVALID],
    ['a byte order mark', `\uFEFF${good}`, INVALID],

    ['another root key', underNext, 'ERR_PUBLICATION_INVALID'],
    ['an older root key than the pinned one', {}, 'ERR_PUBLICATION_INVALID', { anchor: 'next_root' }],
    ['a rotation that begins elsewhere', { ...underNext, rotation: [step(next, other)] }, 'ERR_ROTATION_GAP'],
    [
      'a rotation to a key that is not committed',
      { ...underNext, rotation: [toNext] },
      'ERR_ROTATION_NOT_COMMITTED',
      { anchor: 'committed_to_another' },
    ],
    [
      'a step that commits the next root key to itself',
      { ...underNext, rotation: [step(key, next, { next_roots: [next.rootKey.thumbprint] })] },
      'ERR_ROTATION_INVALID',
    ],
    [
      'a step that commits to four keys',
      {
        ...underNext,
        rotation: [
          step(key, next, { next_roots: ['A', 'E', 'I', 'M'].map((last) => `${'A'.repeat(42)}${last}`) }),
        ],
      },
      'ERR_ROTATION_INVALID',
    ],
    [
      'a step with another signature',
      { ...underNext, rotation: [`${toNext.slice(0, -2)}${toNext.endsWith('AA') ? 'BA' : 'AA'}`] },
      'ERR_ROTATION_SIGNATURE',
    ],
    ['a step that is no JWT', { ...underNext, rotation: ['step'] }, 'ERR_ROTATION_INVALID'],
    [
      'a statement with another payload',
      {
        publication: whole('alpha').publication.replace(
          /\.[^.]+\./,
          `.${underNext.publication.split('.')[1]}x.`,
        ),
      },
      'ERR_PUBLICATION_INVALID',
    ],

    ['a statement without a log', whole('alpha', publish({ claims: { log: undefined } })), NOT_LOGGED],
    [
      'a statement of another log',
      whole('alpha', publish({ claims: { log: { origin: other_log.key.name, vkey: other_log.vkey } } })),
      NOT_LOGGED,
    ],
    [
      'a first head by another key',
      { first_proof: vectorProof(INDEX, entries, vectorHead(entries, EARLY_PAIR, next_log)) },
      NOT_LOGGED,
    ],
    [
      'a last head by another key',
      { last_proof: vectorProof(INDEX, entries, vectorHead(entries, LATE_PAIR, next_log)) },
      NOT_LOGGED,
    ],
    [
      'the proofs of another publication',
      { first_proof: whole('alpha', deep).first_proof, last_proof: whole('alpha', deep).last_proof },
      NOT_LOGGED,
    ],
    [
      'an altered head',
      { last_proof: lastProof.replace(`\n${entries.length}\n`, `\n${entries.length + 1}\n`) },
      NOT_LOGGED,
    ],
    ['one cosignature in the first head', first(EARLY_PAIR.slice(1)), TOO_FEW],
    ['one cosignature in the last head', last(LATE_PAIR.slice(1)), TOO_FEW],
    [
      'one witness twice in the last head',
      last([
        [w1, LATE],
        [w1, LATE + 1],
      ]),
      TOO_FEW,
    ],
    [
      'one key under two names in the last head',
      last([
        [w1, LATE],
        [w1_renamed, LATE],
      ]),
      TOO_FEW,
    ],
    [
      'a stranger in the last head',
      last([
        [w1, LATE],
        [stranger, LATE],
      ]),
      TOO_FEW,
    ],
    [
      'a cosignature of another origin in the last head',
      { last_proof: withLines(vectorProof(INDEX, entries, [[w1, LATE]]), otherOrigin, [[w2, LATE]]) },
      TOO_FEW,
    ],
    ['the first head is larger', { first_proof: vectorProof(INDEX, grown, EARLY_PAIR) }, INCONSISTENT],
    [
      'the proofs have different indexes',
      { last_proof: vectorProof(INDEX + 1, [fillerEntry(9), ...entries], LATE_PAIR) },
      INCONSISTENT,
    ],

    ['a later entry that is left out', { last_proof: lastOf(grown) }, NOT_LOGGED],
    ['a later entry that the head does not have', { later_entries: [later] }, NOT_LOGGED],
    ['another later entry', { last_proof: lastOf(grown), later_entries: [fillerEntry(9)] }, NOT_LOGGED],
    [
      'later entries in another order',
      { last_proof: lastOf([...grown, fillerEntry(9)]), later_entries: [fillerEntry(9), later] },
      NOT_LOGGED,
    ],
    [
      'a later publication',
      { last_proof: lastOf(afterwards), later_entries: afterwards.slice(INDEX + 1) },
      NOT_LOGGED,
    ],
    [
      'a later publication that is left out',
      { last_proof: lastOf(afterwards), later_entries: [later] },
      NOT_LOGGED,
    ],
    [
      'a later entry that is not canonical',
      { last_proof: lastOf([...entries, ` ${later}`]), later_entries: [` ${later}`] },
      NOT_LOGGED,
    ],
    [
      'a later entry of no known type',
      {
        last_proof: lastOf([...entries, entryText({ type: 'note' })]),
        later_entries: [entryText({ type: 'note' })],
      },
      NOT_LOGGED,
    ],

    [
      'the last head is cosigned before the first',
      { first_proof: lastProof, last_proof: firstProof },
      TOO_FEW,
    ],
    ['one head, cosigned at different times', { ...first(EARLY_PAIR), ...last(EARLY_PAIR) }, TOO_FEW],
    ['a statement that expired before the first head was cosigned', expiring(EARLY), TOO_FEW],

    ['another record', { record: record.replace('certified', 'founding') }, 'ERR_SUMS_MISMATCH'],
    ['the record of another issuer', { record: String(files.get('issuers/beta')) }, 'ERR_SUMS_MISMATCH'],
    ['another sums file', { sums: [sums.replace('alpha', 'omega')] }, 'ERR_SUMS_MISMATCH'],
    [
      'sums files in another order',
      { ...deepContent, sums: deepContent.sums.toReversed() },
      'ERR_SUMS_MISMATCH',
    ],
    [
      'the leaf of another issuer',
      { ...deepContent, sums: whole('beta', deep, levels).sums },
      'ERR_SUMS_MISMATCH',
    ],
    ['no record', { record: undefined }, INVALID],
    ['a record of an issuer that is not listed', { record }, INVALID, { id: 'gamma' }],
    ['no leaf', { ...deepContent, sums: deepContent.sums.slice(0, -1) }, INVALID],
    ['no sums file', { sums: [] }, INVALID],
    ['a surplus sums file', { sums: [sums, sums] }, INVALID],
    ['a sums file that is malformed, signed', withSums(sums.trimEnd()), 'ERR_SUMS_INVALID'],
    ['a record that is not canonical, signed', withRecord(`${record} `), 'ERR_RECORD_INVALID'],
    [
      'a record of another issuer, signed',
      withRecord(String(files.get('issuers/beta'))),
      'ERR_RECORD_INVALID',
    ],
    [
      'a record that breaks the schema, signed',
      withRecord(record.replace('"certified"', '"other"')),
      'ERR_RECORD_INVALID',
    ],
  ];
  return all.map(([name, content, code, { id = 'alpha', anchor = 'first_root', proven } = {}]) => {
    const text = typeof content === 'string' ? content : file(id, content);
    const outcome = code === null ? { ...outcomeOf(text), ...proven } : undefined;
    return { name, trust_anchor: anchor, file: text, code, ...(outcome && { proven: outcome }) };
  });
}

const entryOf = (published: Files) => publicationEntry(String(published.get('publication.jwt')));

/** What a tree proves of an id. */
function provenBy(published: Files, id: string, levels: number) {
  const [paths, recordPath] = [proofPaths(id, levels).slice(0, -1), `issuers/${id}`];
  const sums = paths.flatMap((path) => (published.has(path) ? [String(published.get(path))] : []));
  const record = published.has(recordPath) ? String(published.get(recordPath)) : undefined;
  return { publication: String(published.get('publication.jwt')), sums, record };
}

/** What a proof proves if the usual pairs have cosigned its heads. */
function outcomeOf(file: string) {
  const { record = null, publication } = JSON.parse(file) as Content;
  const claims = JSON.parse(Buffer.from(publication.split('.')[1] ?? '', 'base64url').toString());
  const { updated_at, sha256: list, sequence } = claims;
  return {
    ...{ record, from: EARLY + 2, until: LATE, updated_at, sha256: list, sequence },
  };
}
