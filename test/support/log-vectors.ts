import { naiveConsistency, naivePath, naiveRoot } from './merkle.js';
import { cosignatureBy, headText, lineOf, signatureBy } from './note-keys.js';
import { issuer, sha256, type TestKey } from './publication.js';
import { vectorKey } from './sums-vectors.js';
import { placeOf, tilesOf } from './tiles.js';
import {
  base64,
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
  UPDATED_AT,
  vectorHead,
  vectorProof,
  vectorPublication,
  withLines,
} from './vector-log.js';

/**
 * Makes the vectors of the log, which are in test/vectors as data. Everything is computed without the code that the vectors
 * test, and Ed25519 is deterministic, so they are always the same.
 */

const HASH = 'ab'.repeat(32);
const SIZES = [1, 2, 255, 256, 257];
/** The clock of the verifier. */
const NOW = MADE + 10 * 86_400;
/** The default maximum age and the default tolerance, in seconds. */
const [MAX_AGE, TOLERANCE] = [30 * 86_400, 300];

/** Creates test/vectors/log.json. */
export async function logVectors() {
  const key = await vectorKey();
  return {
    description:
      'The log, under the root key of ed25519.json. test/vectors/README.md says what each member means.',
    root: key.rootKey.jwk,
    keys: shownKeys(),
    verifier_keys: verifierKeys(),
    entries: entries(),
    heads: heads(),
    paths: paths(),
    trees: SIZES.map(tree),
    inclusion: inclusion(),
    consistency: consistency(),
    trust_anchors: trustAnchors(key),
    sources: sources(key),
  };
}

function verifierKeys() {
  const { log, w1 } = KEYS;
  const [name = '', id = '', encoded = ''] = log.vkey.split('+');
  const digit = id.startsWith('0') ? '1' : '0';
  const cases: [name: string, purpose: 'log' | 'witness', vkey: string, isValid: boolean][] = [
    ['a log', 'log', log.vkey, true],
    ['a witness', 'witness', w1.vkey, true],
    ['a log, where a witness is needed', 'witness', log.vkey, false],
    ['a witness, where a log is needed', 'log', w1.vkey, false],
    ['an id of another key', 'log', `${name}+${digit}${id.slice(1)}+${encoded}`, false],
    ['an id in upper case', 'log', `${name}+${id.toUpperCase()}+${encoded}`, false],
    ['another name', 'log', `other.example/log+${id}+${encoded}`, false],
    ['no name', 'log', `+${id}+${encoded}`, false],
    ['a space in the name', 'log', `registry example+${id}+${encoded}`, false],
    ['base64url', 'log', `${name}+${id}+${encoded.replaceAll('+', '-').replaceAll('/', '_')}-`, false],
    ['a newline at the end', 'log', `${log.vkey}\n`, false],
    ['31 bytes', 'log', `${name}+${id}+${encoded.slice(0, -4)}`, false],
  ];
  return cases.map(([one, purpose, vkey, valid]) => ({ name: one, purpose, vkey, valid }));
}

function entries() {
  const publication = { list: HASH, sequence: 7, sha256: HASH, type: 'publication', updated_at: UPDATED_AT };
  const delegation = { iat: MADE, sha256: HASH, type: 'delegation' };
  const next = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
  const rotation = { next, sha256: HASH, step: 1, type: 'rotation' };
  const of = (entry: object, more: object = {}) => entryText({ ...entry, ...more });
  const text = of(publication);
  const cases: [name: string, text: string, isValid: boolean][] = [
    ['a publication', text, true],
    ['a delegation', of(delegation), true],
    ['a rotation', of(rotation), true],
    ['the largest sequence', of(publication, { sequence: 2 ** 53 - 1 }), true],
    ['a sequence of 0', of(publication, { sequence: 0 }), true],
    ['white space', text.replace(',', ', '), false],
    ['a newline at the end', `${text}\n`, false],
    ['another order', JSON.stringify(Object.fromEntries(Object.entries(publication).reverse())), false],
    ['a number in another spelling', text.replace(':7', ':7.0'), false],
    ['an escape that is not needed', text.replace('publication', '\\u0070ublication'), false],
    ['a member twice', text.replace('{', `{"list":"${HASH}",`), false],
    ['one more member', of(publication, { note: 'x' }), false],
    ['one member less', of(publication).replace('"sequence":7,', ''), false],
    ['another type', of(publication, { type: 'checkpoint' }), false],
    ['a hash in upper case', of(publication, { list: HASH.toUpperCase() }), false],
    ['a negative sequence', of(publication, { sequence: -1 }), false],
    ['a fraction', of(delegation, { iat: 1.5 }), false],
    ['a time with an offset', of(publication, { updated_at: '2026-11-21T08:00:00+00:00' }), false],
    ['step 0', of(rotation, { step: 0 }), false],
    ['step 64', of(rotation, { step: 64 }), true],
    ['step 65, which no rotation has', of(rotation, { step: 65 }), false],
    ['a thumbprint that is too short', of(rotation, { next: next.slice(1) }), false],
    ['an array', `[${text}]`, false],
    ['nothing', '', false],
  ];
  return cases.map(([name, one, valid]) => ({
    ...{ name, text: one, valid },
    leaf_hash: base64(leavesOf([one])[0] as Uint8Array),
  }));
}

function heads() {
  const size = 5;
  const root = naiveRoot(leavesOf(fillers(size)));
  const text = headText({ origin: ORIGIN, size, root });
  const signed = (changed: string, by = KEYS.log) => `${changed}\n${lineOf(signatureBy(by, changed))}`;
  const note = signed(text);
  const encoded = base64(root);
  const unused = `${encoded.slice(0, -2)}${String.fromCharCode(encoded.charCodeAt(42) + 1)}=`;
  const line = lineOf(signatureBy(KEYS.log, text));
  const broken = lineOf(signatureBy(KEYS.log, headText({ origin: ORIGIN, size: 6, root })));
  const empty = headText({ origin: ORIGIN, size: 0, root: naiveRoot([]) });
  const cosigned = lineOf(cosignatureBy(KEYS.w1, text, MADE));
  const cases: [name: string, note: string, isValid: boolean][] = [
    ['a head', note, true],
    ['a cosigned head', note + cosigned, true],
    ['the signature of the log last', `${text}\n${cosigned}${line}`, true],
    ['a line by a key that nobody knows', note + lineOf(signatureBy(KEYS.stranger, text)), true],
    ['the signature of the log twice', note + line, true],
    ['the largest size', signed(headText({ origin: ORIGIN, size: 2 ** 53 - 1, root })), true],
    ['no entries', signed(empty), true],
    ['one more line in the text', signed(`${text}more\n`), true],
    ['another origin', signed(headText({ origin: 'other.example/log', size, root }), KEYS.other_log), false],
    [
      'another origin, with the name of the log in the signature',
      signed(text.replace('registry', 'other')),
      false,
    ],
    ['another key with the name of the log', signed(text, KEYS.next_log), false],
    ['only cosigned', `${text}\n${cosigned}`, false],
    ['a second signature of the log that is not valid', note + broken, false],
    ['another size than the signed one', note.replace('\n5\n', '\n6\n'), false],
    [
      'another root than the signed one',
      note.replace(encoded, base64(naiveRoot(leavesOf(fillers(6))))),
      false,
    ],
    ['a size with a zero before it', signed(text.replace('\n5\n', '\n05\n')), false],
    ['a size with a sign', signed(text.replace('\n5\n', '\n+5\n')), false],
    ['a size of 2^53', signed(text.replace('\n5\n', '\n9007199254740992\n')), false],
    ['a root of 31 bytes', signed(headText({ origin: ORIGIN, size, root: root.subarray(1) })), false],
    ['a root with unused bits', signed(text.replace(encoded, unused)), false],
    ['a root without padding', signed(text.replace('=', '')), false],
    ['two lines', signed(`${ORIGIN}\n${size}\n`), false],
    ['carriage returns', signed(text.replaceAll('\n', '\r\n')), false],
    ['no signature', `${text}\n`, false],
    ['no empty line', text + line, false],
    ['no newline at the end', note.trimEnd(), false],
    ['a hyphen in place of the dash', note.replace('—', '-'), false],
    ['a text behind the signatures', `${note}more\n`, false],
  ];
  const expected = (signedNote: string) => {
    const [origin, count, hash] = signedNote.split('\n');
    return { origin, size: Number(count), root: hash };
  };
  return cases.map(([name, one, isValid]) => ({ name, note: one, head: isValid ? expected(one) : null }));
}

function paths() {
  const places = [
    [0, 256],
    [1, 1],
    [255, 255],
    [999, 256],
    [1000, 256],
    [1000, 7],
    [123_045, 256],
    [999_999, 1],
  ] as const;
  return places.map(([index, width]) => ({
    ...{ index, width },
    tile: `log/tile/1/${placeOf(index, width)}`,
    bundle: `log/tile/entries/${placeOf(index, width)}`,
  }));
}

/** The root at a size, and each tile and bundle in its largest width. */
function tree(size: number) {
  const all = fillers(size);
  const leaves = leavesOf(all);
  const files = new Map([...tilesOf(leaves)].map(([path, bytes]) => [`log/${path}`, Buffer.from(bytes)]));
  for (let index = 0; index * 256 < size; index++) {
    const some = all.slice(index * 256, (index + 1) * 256).map((text) => Buffer.from(text));
    const bundle = some.flatMap((text) => [Buffer.from([text.length >> 8, text.length & 255]), text]);
    files.set(`log/tile/entries/${placeOf(index, some.length)}`, Buffer.concat(bundle));
  }
  const shown: Record<string, { length: number; sha256: string; base64?: string }> = {};
  for (const [path, bytes] of files) {
    const isShort = bytes.length < 300;
    shown[path] = {
      ...{ length: bytes.length, sha256: sha256(bytes) },
      ...(isShort && { base64: base64(bytes) }),
    };
  }
  return { size, root: base64(naiveRoot(leaves)), files: shown };
}

function inclusion() {
  const cases = [
    [0, 1],
    [0, 2],
    [1, 2],
    [0, 3],
    [2, 3],
    [4, 5],
    [3, 7],
    [0, 255],
    [254, 255],
    [255, 256],
    [255, 257],
    [256, 257],
  ] as const;
  const good = cases.map(([index, size]) => {
    const leaves = leavesOf(fillers(size));
    return { index, size, leaf: leaves[index], root: naiveRoot(leaves), path: naivePath(index, leaves) };
  });
  const one = good[6] as (typeof good)[number];
  const [first, ...others] = one.path as [Uint8Array, ...Uint8Array[]];
  const extra = leavesOf(['x'])[0] as Uint8Array;
  const bad = [
    { ...one, name: 'another index', index: 2 },
    { ...one, name: 'the index behind the last one', index: 7 },
    { ...one, name: 'another size', size: 9 },
    { ...one, name: 'another leaf', leaf: extra },
    { ...one, name: 'another root', root: extra },
    { ...one, name: 'no hash', path: [] },
    { ...one, name: 'a hash less', path: others },
    { ...one, name: 'a hash more', path: [...one.path, extra] },
    { ...one, name: 'two hashes swapped', path: [others[0] as Uint8Array, first, ...others.slice(1)] },
    { ...one, name: 'a hash of 31 bytes', path: [first.subarray(1), ...others] },
    { ...(good[0] as typeof one), name: 'a hash more in a tree of one entry', path: [extra] },
  ];
  return [
    ...good.map((proof) => ({ ...proof, name: `entry ${proof.index} of ${proof.size}`, valid: true })),
    ...bad.map((proof) => ({ ...proof, valid: false })),
  ].map(({ name, index, size, leaf, root, path, valid }) => ({
    ...{ name, index, size, leaf: base64(leaf as Uint8Array), root: base64(root) },
    ...{ path: path.map(base64), valid },
  }));
}

function consistency() {
  const cases = [
    [1, 2],
    [1, 1],
    [2, 3],
    [4, 7],
    [6, 8],
    [3, 7],
    [255, 256],
    [256, 257],
    [255, 257],
    [1, 257],
  ] as const;
  const head = (size: number) => ({ size, root: naiveRoot(leavesOf(fillers(size))) });
  const good = cases.map(([older, newer]) => ({
    ...{ older: head(older), newer: head(newer) },
    proof: naiveConsistency(older, leavesOf(fillers(newer))),
  }));
  const one = good[5] as (typeof good)[number];
  const extra = leavesOf(['x'])[0] as Uint8Array;
  const bad = [
    { ...one, name: 'the other way round', older: one.newer, newer: one.older },
    { ...one, name: 'another older root', older: { ...one.older, root: extra } },
    { ...one, name: 'another newer root', newer: { ...one.newer, root: extra } },
    { ...one, name: 'another older size', older: { ...one.older, size: 2 } },
    { ...one, name: 'no hash', proof: [] },
    { ...one, name: 'a hash less', proof: one.proof.slice(1) },
    { ...one, name: 'a hash more', proof: [...one.proof, extra] },
    {
      ...one,
      name: 'two hashes swapped',
      proof: one.proof.toSpliced(0, 2, ...one.proof.slice(0, 2).reverse()),
    },
    { ...one, name: 'the same size with another root', older: { ...one.newer, root: extra }, proof: [] },
    { ...one, name: 'the same size and root with a hash', older: one.newer, proof: [extra] },
  ];
  const shown = ({ size, root }: ReturnType<typeof head>) => ({ size, root: base64(root) });
  return [
    ...good.map((one) => ({ ...one, name: `${one.older.size} to ${one.newer.size}`, valid: true })),
    ...bad.map((one) => ({ ...one, valid: false })),
  ].map(({ name, older, newer, proof, valid }) => ({
    ...{ name, older: shown(older), newer: shown(newer), proof: proof.map(base64), valid },
  }));
}

function trustAnchors({ rootKey }: TestKey) {
  const { w1, w2, w3, w1_renamed } = KEYS;
  const base = { root: rootKey.jwk, log: ORIGIN };
  const witnesses = [w1, w2, w3].map(({ vkey }) => vkey);
  return {
    no_log: { root: rootKey.jwk },
    no_witnesses: base,
    quorum_1: { ...base, witnesses, quorum: 1 },
    quorum_2: { ...base, witnesses, quorum: 2 },
    one_key_twice: { ...base, witnesses: [w1.vkey, w1_renamed.vkey], quorum: 1 },
    quorum_of_none: { ...base, witnesses, quorum: 4 },
  };
}

/** What a source has besides the statement. */
interface SourceFiles {
  readonly jwt?: string;
  readonly proof?: string | null;
  readonly tiles?: Readonly<Record<string, string>>;
}

/** What a verifier with a trust anchor says of a source. */
type SourceCase = readonly [
  name: string,
  anchor: keyof ReturnType<typeof trustAnchors>,
  files: SourceFiles,
  code: string | null,
  accepted?: SourceFiles,
];

function sources(key: TestKey) {
  const { log, next_log, other_log, w1, w2, w3, w1_renamed, w1_impostor, stranger } = KEYS;
  const [NOT_LOGGED, TOO_FEW] = ['ERR_NOT_LOGGED', 'ERR_TOO_FEW_COSIGNATURES'];
  const INCONSISTENT = 'ERR_LOG_INCONSISTENT';
  const issuers = [issuer('alpha')];
  const statement = (claims: object = {}, updatedAt?: string) =>
    String(
      vectorPublication(key, issuers, { claims, ...(updatedAt && { updatedAt }) }).get('publication.jwt'),
    );
  const jwt = statement();
  const INDEX = 5;
  /** The log: five entries, the publication, and more. */
  const logged = (size: number, text = jwt) => [
    ...fillers(INDEX),
    publicationEntry(text),
    ...Array.from({ length: size - INDEX - 1 }, (_one, at) => fillerEntry(INDEX + at)),
  ];
  const proofOf = (cosigning: readonly Cosigning[] = [], size = 7) =>
    vectorProof(INDEX, logged(size), cosigning);
  const tilesAt = (all: readonly string[]) =>
    Object.fromEntries([...tilesOf(leavesOf(all))].map(([path, bytes]) => [`log/${path}`, base64(bytes)]));
  const by = (...witnesses: (typeof KEYS)[keyof typeof KEYS][]): Cosigning[] =>
    witnesses.map((witness) => [witness, NOW - 60]);

  const good = proofOf();
  const cutAt = good.indexOf('\n\n');
  const [lines, note] = [good.slice(0, cutAt), good.slice(cutAt + 2)];
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const [first, index, ...path] = lines.split('\n');
  const withPath = (hashes: readonly string[]) => `${[first, index, ...hashes].join('\n')}\n\n${note}`;
  const withHead = (head: string) => `${lines}\n\n${head}`;
  const root = naiveRoot(leavesOf(logged(7)));
  const otherHead = (origin: string) => headText({ origin, size: 7, root });
  const signed = (head: string, signer = log) => `${head}\n${lineOf(signatureBy(signer, head))}`;
  const unlogged: SourceCase[] = [
    ['a log without witnesses', 'no_witnesses', { proof: good }, null],
    ['a trust anchor without a log', 'no_log', { proof: null }, null],
    ['the line extra', 'no_witnesses', { proof: good.replace('index', 'extra AAAA\nindex') }, null],
    ['a cosigned head, without witnesses', 'no_witnesses', { proof: proofOf(by(stranger)) }, null],
    ['no proof', 'no_witnesses', { proof: null }, NOT_LOGGED],
    [
      'a statement without a log',
      'no_witnesses',
      { jwt: statement({ log: undefined }), proof: good },
      NOT_LOGGED,
    ],
    [
      'a statement with another log',
      'no_witnesses',
      {
        jwt: statement({ log: { origin: other_log.key.name, vkey: other_log.vkey } }),
        proof: good,
      },
      NOT_LOGGED,
    ],
    [
      'a statement that is not in the log',
      'no_witnesses',
      { jwt: statement({ sequence: 2 }), proof: good },
      NOT_LOGGED,
    ],
    [
      'a head of another origin',
      'no_witnesses',
      { proof: withHead(signed(otherHead('other.example/log'), other_log)) },
      NOT_LOGGED,
    ],
    [
      'a head of another origin, with the name of the log in the signature',
      'no_witnesses',
      { proof: withHead(signed(otherHead('other.example/log'))) },
      NOT_LOGGED,
    ],
    [
      'a head by a key that the statement does not name',
      'no_witnesses',
      { proof: withHead(signed(text, next_log)) },
      NOT_LOGGED,
    ],
    ['a head of another size', 'no_witnesses', { proof: good.replace('\n7\n', '\n8\n') }, NOT_LOGGED],
    [
      'a head of another size, signed',
      'no_witnesses',
      { proof: withHead(signed(text.replace('\n7\n', '\n6\n'))) },
      NOT_LOGGED,
    ],
    [
      'a head of another log, signed',
      'no_witnesses',
      { proof: withHead(vectorHead(fillers(7))) },
      NOT_LOGGED,
    ],
    ['another index', 'no_witnesses', { proof: good.replace('index 5', 'index 4') }, NOT_LOGGED],
    ['an index behind the head', 'no_witnesses', { proof: good.replace('index 5', 'index 7') }, NOT_LOGGED],
    [
      'an index with a zero before it',
      'no_witnesses',
      { proof: good.replace('index 5', 'index 05') },
      NOT_LOGGED,
    ],
    ['a hash less', 'no_witnesses', { proof: withPath(path.slice(1)) }, NOT_LOGGED],
    ['a hash more', 'no_witnesses', { proof: withPath([...path, base64(root)]) }, NOT_LOGGED],
    ['two hashes swapped', 'no_witnesses', { proof: withPath(path.toReversed()) }, NOT_LOGGED],
    ['another first line', 'no_witnesses', { proof: good.replace('@v1', '@v2') }, NOT_LOGGED],
    ['carriage returns', 'no_witnesses', { proof: good.replaceAll('\n', '\r\n') }, NOT_LOGGED],
    [
      'no proof, but a statement that is missing, too',
      'no_witnesses',
      { jwt: '', proof: null },
      'ERR_PUBLICATION_MISSING',
    ],
    ['no proof, with witnesses', 'quorum_2', { proof: null }, NOT_LOGGED],
  ];

  const at = (witness: (typeof KEYS)[keyof typeof KEYS], seconds: number): Cosigning => [witness, seconds];
  const oldest = NOW - MAX_AGE - TOLERANCE;
  const wrong = (signer: (typeof KEYS)[keyof typeof KEYS], name = w1) =>
    lineOf({ ...cosignatureBy(signer, text, NOW - 60), name: name.key.name, keyId: name.key.keyId });
  const plain = { ...signatureBy(w1, text), signature: Buffer.concat([Buffer.alloc(8), w1.sign(text)]) };
  const moved = cosignatureBy(w1, text, NOW - 61).signature.slice();
  moved[7] = (moved[7] ?? 0) ^ 1;
  const w1Line = { name: w1.key.name, keyId: w1.key.keyId };
  const cut = lineOf({ ...w1Line, signature: cosignatureBy(w1, text, NOW - 60).signature.subarray(0, 71) });
  const cosigned: SourceCase[] = [
    ['one of three witnesses', 'quorum_1', { proof: proofOf(by(w2)) }, null],
    ['all witnesses', 'quorum_1', { proof: proofOf(by(w1, w2, w3)) }, null],
    ['one witness and a stranger', 'quorum_1', { proof: proofOf(by(stranger, w1)) }, null],
    [
      'a wrong cosignature, and a good older one, of one witness',
      'quorum_1',
      { proof: good + wrong(w2) + lineOf(cosignatureBy(w1, text, NOW - 99)) },
      null,
    ],
    ['as old as permitted', 'quorum_1', { proof: proofOf([at(w1, oldest)]) }, null],
    ['as far in the future as permitted', 'quorum_1', { proof: proofOf([at(w1, NOW + TOLERANCE)]) }, null],
    ['no cosignature', 'quorum_1', { proof: good }, TOO_FEW],
    ['too old', 'quorum_1', { proof: proofOf([at(w1, oldest - 1)]) }, TOO_FEW],
    ['in the future', 'quorum_1', { proof: proofOf([at(w1, NOW + TOLERANCE + 1)]) }, TOO_FEW],
    ['a stranger', 'quorum_1', { proof: proofOf(by(stranger)) }, TOO_FEW],
    ['another key with the name of a witness', 'quorum_1', { proof: proofOf(by(w1_impostor)) }, TOO_FEW],
    [
      'another key with the name and the id of a witness',
      'quorum_1',
      { proof: good + wrong(stranger) },
      TOO_FEW,
    ],
    ['the key of a witness under another name', 'quorum_1', { proof: proofOf(by(w1_renamed)) }, TOO_FEW],
    ['an altered time', 'quorum_1', { proof: good + lineOf({ ...w1Line, signature: moved }) }, TOO_FEW],
    [
      'a head of another size',
      'quorum_1',
      { proof: withLines(good, headText({ origin: ORIGIN, size: 8, root }), by(w1)) },
      TOO_FEW,
    ],
    [
      'a head with another root',
      'quorum_1',
      { proof: withLines(good, headText({ origin: ORIGIN, size: 7, root: naiveRoot([]) }), by(w1)) },
      TOO_FEW,
    ],
    [
      'a head of another origin',
      'quorum_1',
      { proof: withLines(good, otherHead('other.example/log'), by(w1)) },
      TOO_FEW,
    ],
    ['a signature without the time', 'quorum_1', { proof: good + lineOf(plain) }, TOO_FEW],
    ['71 bytes', 'quorum_1', { proof: good + cut }, TOO_FEW],
    ['two of three witnesses', 'quorum_2', { proof: proofOf(by(w1, w3)) }, null],
    [
      'two witnesses, and a wrong cosignature of the third',
      'quorum_2',
      { proof: proofOf(by(w2, w3)) + wrong(stranger) },
      null,
    ],
    ['one witness', 'quorum_2', { proof: proofOf(by(w1)) }, TOO_FEW],
    ['one witness twice', 'quorum_2', { proof: proofOf([...by(w1), at(w1, NOW - 30)]) }, TOO_FEW],
    ['one key under two names', 'quorum_2', { proof: proofOf(by(w1, w1_renamed)) }, TOO_FEW],
    ['one witness and a stranger', 'quorum_2', { proof: proofOf(by(w1, stranger)) }, TOO_FEW],
    [
      'one witness, and one that is too old',
      'quorum_2',
      { proof: proofOf([...by(w1), at(w2, oldest - 1)]) },
      TOO_FEW,
    ],
    [
      'one witness, and a wrong cosignature of another',
      'quorum_2',
      { proof: proofOf(by(w2)) + wrong(stranger) },
      TOO_FEW,
    ],
    [
      'a trust anchor with one key under two names',
      'one_key_twice',
      { proof: proofOf(by(w1, w1_renamed)) },
      'ERR_TRUST_ANCHOR_INVALID',
    ],
    [
      'a quorum above the number of witnesses',
      'quorum_of_none',
      { proof: proofOf(by(w1, w2, w3)) },
      'ERR_TRUST_ANCHOR_INVALID',
    ],
    [
      'no log in the head, whoever has cosigned',
      'quorum_2',
      {
        proof: `${lines}\n\n${text}\n${by(w1, w2)
          .map(([one, seconds]) => lineOf(cosignatureBy(one, text, seconds)))
          .join('')}`,
      },
      NOT_LOGGED,
    ],
  ];

  const forked = [...logged(7).slice(0, 6), fillerEntry(100), fillerEntry(101)];
  const forkedAt = (size: number, cosigning: readonly Cosigning[]) =>
    vectorProof(INDEX, forked.slice(0, size), cosigning);
  const later = statement({ sequence: 2 }, '2026-11-21T08:00:01Z');
  const goneOn = [...logged(7), publicationEntry(later)];
  const restarted = [publicationEntry(later), ...fillers(7)];
  const rekeyed = statement(
    { sequence: 2, log: { origin: ORIGIN, vkey: next_log.vkey } },
    '2026-11-21T08:00:01Z',
  );
  const underNext = [...logged(7), publicationEntry(rekeyed)];
  const heldByW1 = { proof: proofOf(by(w1)) };
  const remembered: SourceCase[] = [
    ['the same head', 'quorum_1', heldByW1, null, heldByW1],
    ['the same head, cosigned by another witness', 'quorum_1', { proof: proofOf(by(w2)) }, null, heldByW1],
    [
      'a larger head, cosigned by the same witness: no tile is needed',
      'quorum_1',
      { proof: proofOf(by(w1), 8) },
      null,
      heldByW1,
    ],
    [
      'a larger head, cosigned by another witness',
      'quorum_1',
      { proof: proofOf(by(w2), 8), tiles: tilesAt(logged(8)) },
      null,
      heldByW1,
    ],
    [
      'a larger head without witnesses',
      'no_witnesses',
      { proof: proofOf([], 8), tiles: tilesAt(logged(8)) },
      null,
      { proof: good },
    ],
    [
      'the next publication',
      'quorum_1',
      { jwt: later, proof: vectorProof(7, goneOn, by(w1)) },
      null,
      heldByW1,
    ],
    [
      'the next publication under another key of the log',
      'quorum_1',
      { jwt: rekeyed, proof: vectorProof(7, underNext, vectorHead(underNext, by(w1), next_log)) },
      null,
      heldByW1,
    ],
    ['a smaller head', 'quorum_1', { proof: proofOf(by(w1), 6) }, INCONSISTENT, heldByW1],
    [
      'a smaller head without witnesses',
      'no_witnesses',
      { proof: proofOf([], 6), tiles: tilesAt(logged(6)) },
      INCONSISTENT,
      { proof: good },
    ],
    ['the same size with another root', 'quorum_1', { proof: forkedAt(7, by(w1)) }, INCONSISTENT, heldByW1],
    [
      'a larger head, cosigned by another witness, without tiles',
      'quorum_1',
      { proof: proofOf(by(w2), 8) },
      INCONSISTENT,
      heldByW1,
    ],
    [
      'a larger head of another log, cosigned by another witness',
      'quorum_1',
      { proof: forkedAt(8, by(w2)), tiles: tilesAt(forked) },
      INCONSISTENT,
      heldByW1,
    ],
    [
      'a larger head of another log, with the tiles of the accepted one',
      'quorum_1',
      { proof: forkedAt(8, by(w2)), tiles: tilesAt(logged(8)) },
      INCONSISTENT,
      heldByW1,
    ],
    [
      'a larger head of another log without witnesses',
      'no_witnesses',
      { proof: forkedAt(8, []), tiles: tilesAt(forked) },
      INCONSISTENT,
      { proof: good },
    ],
    [
      'a log that is begun anew',
      'no_witnesses',
      { jwt: later, proof: vectorProof(0, restarted), tiles: tilesAt(restarted) },
      INCONSISTENT,
      { proof: good },
    ],
    [
      'a smaller head with too few cosignatures',
      'quorum_2',
      { proof: proofOf(by(w1), 6) },
      TOO_FEW,
      { proof: proofOf(by(w1, w2)) },
    ],
    [
      'the log is withdrawn',
      'no_witnesses',
      { jwt: statement({ sequence: 2, log: undefined }), proof: null },
      'ERR_PUBLICATION_ROLLED_BACK',
      { proof: good },
    ],
  ];

  const filesOf = ({ jwt: text = jwt, proof }: SourceFiles) => ({
    ...(text !== '' && { 'publication.jwt': text }),
    ...(typeof proof === 'string' && { 'log/publication.tlog-proof': proof }),
  });
  return [...unlogged, ...cosigned, ...remembered].map(([name, anchor, files, code, accepted]) => ({
    ...{ name, now: NOW, trust_anchor: anchor },
    accepted: accepted === undefined ? null : filesOf(accepted),
    ...{ files: filesOf(files), tiles: files.tiles ?? {}, code },
  }));
}
