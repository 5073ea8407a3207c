import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { keyIdOf } from './note-keys.js';
import { ROOT } from './paths.js';
import { type Files, issuer, publish, sha256, type TestKey } from './publication.js';
import { sourceVectors } from './source-vectors.js';
import { claimsAbout, signedJwt } from './summed-registry.js';
import { naiveSums, placeOf } from './sums.js';

/**
 * Makes the vectors of the publication statement and of the tree of sums, which are in test/vectors as data. Everything is
 * computed without the code that the vectors test, and Ed25519 is deterministic, so they are always the same.
 */

const UPDATED_AT = '2026-11-21T08:00:00Z';
/** 2026-11-21T08:00:00Z. */
const MADE = 1795248000;
const LONG_ID = `${'long-'.repeat(25)}end`;

/** The key of RFC 8032, section 7.1, test 1, as in test/vectors/ed25519.json. */
export async function vectorKey(): Promise<TestKey> {
  const { privateKey } = JSON.parse(readFileSync(join(ROOT, 'test/vectors/ed25519.json'), 'utf8'));
  const { d, ...jwk } = privateKey;
  return {
    privateKey: createPrivateKey({ key: { ...jwk, d }, format: 'jwk' }),
    rootKey: await importRootKey(jwk),
  };
}

const asText = (files: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]));

/** Creates test/vectors/publication.json. */
export async function publicationVectors(): Promise<object> {
  const key = await vectorKey();
  const files = publish(key, [], UPDATED_AT);
  const claims = claimsAbout(files);
  const now = MADE + 3600;
  const INVALID = 'ERR_PUBLICATION_INVALID';
  const { iat: _iat, ...withoutIat } = claims;
  const { levels: _levels, ...withoutLevels } = claims;
  const text = Buffer.from(canonicalBytes(claims)).toString();
  const good = signedJwt(key, claims);
  const origin = 'registry.example/log';
  const publicKey = Buffer.from(key.rootKey.jwk.x, 'base64url');
  const vkey = (name: string, type: number) =>
    `${name}+${keyIdOf(name, type, publicKey)}+${Buffer.from([type, ...publicKey]).toString('base64')}`;
  const statements: [name: string, jwt: string, code: string | null, now?: number][] = [
    ['a first statement', good, null],
    [
      'all claims',
      signedJwt(key, { ...claims, sequence: 9, previous: 'ab'.repeat(32), checkpoint: true, exp: now }),
      null,
    ],
    ['the largest numbers', signedJwt(key, { ...claims, sequence: 2 ** 53 - 1, levels: 8 }), null],
    [
      'a claim that is not known',
      signedJwt(key, { ...claims, note: { origin: 'registry.example/log' } }),
      null,
    ],
    ['a log', signedJwt(key, { ...claims, log: { origin, vkey: vkey(origin, 1) } }), null],
    ['a log without a key', signedJwt(key, { ...claims, log: { origin } }), INVALID],
    [
      'a log with the key of another log',
      signedJwt(key, { ...claims, log: { origin, vkey: vkey('other.example/log', 1) } }),
      INVALID,
    ],
    [
      'a log with the key of a witness',
      signedJwt(key, { ...claims, log: { origin, vkey: vkey(origin, 4) } }),
      INVALID,
    ],
    ['the other name of the algorithm', signedJwt(key, claims, { alg: 'Ed25519' }), null],
    ['a payload that is not canonical', signedJwt(key, text.replace('{', '{ ')), null],
    ['another kid, which is not read', signedJwt(key, claims, { kid: 'other' }), null],
    ['iat in the future, within the tolerance', good, null, MADE - 300],
    ['iat in the future', good, 'ERR_NOT_YET_VALID', MADE - 301],
    ['exp has passed, within the tolerance', signedJwt(key, { ...claims, exp: MADE + 60 }), null, MADE + 359],
    ['exp has passed', signedJwt(key, { ...claims, exp: MADE + 60 }), 'ERR_PUBLICATION_EXPIRED', MADE + 360],
    ['nbf in the future', signedJwt(key, { ...claims, nbf: now + 301 }), 'ERR_NOT_YET_VALID'],
    ['no iat', signedJwt(key, withoutIat), INVALID],
    ['no levels', signedJwt(key, withoutLevels), INVALID],
    ['nine levels', signedJwt(key, { ...claims, levels: 9 }), INVALID],
    ['a negative sequence', signedJwt(key, { ...claims, sequence: -1 }), INVALID],
    [
      'a sequence of 2^53',
      signedJwt(key, text.replace('"sequence":1', '"sequence":9007199254740992')),
      INVALID,
    ],
    [
      'integers by value',
      signedJwt(key, text.replace('"sequence":1', '"sequence":1.0').replace('"levels":0', '"levels":0e5')),
      null,
    ],
    ['a fraction', signedJwt(key, { ...claims, sequence: 1.5 }), INVALID],
    ['a sequence that is a string', signedJwt(key, { ...claims, sequence: '1' }), INVALID],
    ['a hash in upper case', signedJwt(key, { ...claims, sha256: claims.sha256.toUpperCase() }), INVALID],
    ['a hash that is too short', signedJwt(key, { ...claims, sums_sha256: 'ab' }), INVALID],
    ['previous is null', signedJwt(key, { ...claims, previous: null }), INVALID],
    ['checkpoint is false', signedJwt(key, { ...claims, checkpoint: false }), INVALID],
    [
      'updated_at with an offset',
      signedJwt(key, { ...claims, updated_at: '2026-11-21T08:00:00+00:00' }),
      INVALID,
    ],
    ['a duplicate claim', signedJwt(key, text.replace('{', '{"levels":0,')), INVALID],
    ['another typ', signedJwt(key, claims, { typ: 'registry-checkpoint+jwt' }), INVALID],
    ['another algorithm', signedJwt(key, claims, { alg: 'ES256' }), INVALID],
    ['crit', signedJwt(key, claims, { crit: ['exp'] }), INVALID],
    ['a key in the header', signedJwt(key, claims, { jwk: key.rootKey.jwk }), INVALID],
    ['a newline at the end', `${good}\n`, INVALID],
    ['padding', `${good}==`, INVALID],
    ['another signature', `${good.slice(0, -2)}${good.endsWith('AA') ? 'BA' : 'AA'}`, INVALID],
    [
      'the payload of another statement',
      good.replace(/\.[^.]+\./, `.${signedJwt(key, withoutIat).split('.')[1]}.`),
      INVALID,
    ],
  ];
  return {
    description:
      'Publication statements (docs/protocol.md#statement-form) under the key of ed25519.json. `code` is the error code of a verifier with the clock `now` (seconds since 1970) and the tolerance 300 s, or null if the statement is valid. `p256` has statements under the key of p256.json. `sources` has the files of a source, and the error code of a client that looks up single issuers, or null; `accepted` has the files that it has accepted from this source before, or null. It requires nothing by its own options.',
    root: key.rootKey.jwk,
    statements: statements.map(([name, jwt, code, clock = now]) => ({ name, jwt, now: clock, code })),
    p256: p256Vectors(now),
    sources: sourceVectors(key, files, now),
  };
}

/** The order of the group of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** ECDSA uses a random number, so all forms are made from the one signature in test/vectors/p256.json. */
function p256Vectors(now: number) {
  const { expected } = JSON.parse(readFileSync(join(ROOT, 'test/vectors/p256.json'), 'utf8'));
  const good: string = expected['publication.jwt'];
  const end = good.lastIndexOf('.') + 1;
  const raw = Buffer.from(good.slice(end), 'base64url');
  const [r, s] = [raw.subarray(0, 32), raw.subarray(32)];
  const otherS = ORDER - BigInt(`0x${s.toString('hex')}`);
  const hex = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  /** An integer of ASN.1: a number whose first bit is set has a zero byte before it. */
  const integer = (bytes: Buffer) => {
    const value = Buffer.concat([Buffer.alloc((bytes[0] ?? 0) >> 7), bytes]);
    return Buffer.concat([Buffer.from([2, value.length]), value]);
  };
  const body = Buffer.concat([integer(r), integer(s)]);
  const INVALID = 'ERR_PUBLICATION_INVALID';
  const signatures: [name: string, signature: Buffer, code: string | null][] = [
    ['r and s, 32 bytes each', raw, null],
    ['the other value of s, high or low', Buffer.concat([r, hex(otherS)]), null],
    ['a signature in DER', Buffer.concat([Buffer.from([0x30, body.length]), body]), INVALID],
    ['72 bytes: r, junk, s', Buffer.concat([r, Buffer.alloc(8, 1), s]), INVALID],
    ['63 bytes', raw.subarray(0, 63), INVALID],
    ['no bytes', Buffer.alloc(0), INVALID],
    ['r of zero', Buffer.concat([Buffer.alloc(32), s]), INVALID],
    ['s of zero', Buffer.concat([r, Buffer.alloc(32)]), INVALID],
    ['r of n', Buffer.concat([hex(ORDER), s]), INVALID],
    ['s of n', Buffer.concat([r, hex(ORDER)]), INVALID],
  ];
  return {
    root: JSON.parse(expected['keys/root.json']),
    statements: signatures.map(([name, signature, code]) => ({
      ...{ name, jwt: good.slice(0, end) + signature.toString('base64url'), now, code },
    })),
  };
}

/** Creates test/vectors/sums.json. */
export async function sumsVectors(): Promise<object> {
  const key = await vectorKey();
  const ids = ['a', 'a-b', 'a.b', 'a0', 'a_b', 'aurora-bank', 'lantern-labs', 'x9', LONG_ID];
  const hashes = new Map(ids.map((id) => [id, sha256(canonicalBytes(issuer(id)))]));
  const tree = (name: string, records: ReadonlyMap<string, string>, levels: number) => {
    const files = naiveSums(records, levels);
    return {
      name,
      levels,
      records: Object.fromEntries(records),
      files: asText(files),
      sums_sha256: sha256(files.get('sums/root') as Buffer),
    };
  };
  return {
    description:
      'The tree of sums (docs/protocol/look-up.md#tree-of-sums). `places` has SHA-256 of ids; `trees` has complete trees; `levels` says how many levels follow from a number of records that are spread evenly, with ids of 24 characters; `files` has sums files with the error code of a reader, or null, in base64url; `proofs` has what hosts serve, under the key of ed25519.json, and the outcome for each id.',
    root: key.rootKey.jwk,
    places: Object.fromEntries(ids.map((id) => [id, placeOf(id)])),
    trees: [
      tree('an empty registry', new Map(), 0),
      tree('one record', new Map([...hashes].slice(0, 1)), 0),
      tree('no levels', hashes, 0),
      tree('one level', hashes, 1),
      tree('three levels', hashes, 3),
      tree('eight levels', new Map([...hashes].slice(-2)), 8),
    ],
    levels: LEVELS.map(([records, previous, levels]) => ({ records, previous, levels })),
    files: sumsFiles(),
    proofs: await proofs(key),
  };
}

/** The number of records, the number of levels before, and the number of levels after. */
const LEVELS: readonly (readonly [records: number, previous: number, levels: number])[] = [
  [0, 0, 0],
  [0, 8, 0],
  [64, 0, 0],
  [65, 0, 1],
  [64, 1, 1],
  [17, 1, 1],
  [16, 1, 0],
  [1024, 0, 1],
  [1025, 0, 2],
  [257, 2, 2],
  [256, 2, 1],
  [4097, 3, 3],
  [4096, 3, 2],
];

function sumsFiles() {
  const hash = 'ab'.repeat(32);
  const line = (path: string) => `${hash}  ${path}\n`;
  const inLeaf = (prefix: string) => {
    for (let number = 0; ; number++) if (placeOf(`id-${number}`).startsWith(prefix)) return `id-${number}`;
  };
  const files: [name: string, prefix: string, levels: number, text: string | Buffer, isValid: boolean][] = [
    ['an empty root', '', 0, '', true],
    ['a leaf that is the root', '', 0, line('issuers/a') + line('issuers/b'), true],
    ['a leaf of one digit', '3', 1, line(`issuers/${inLeaf('3')}`), true],
    ['an inner root', '', 1, line('sums/0') + line('sums/f'), true],
    ['an inner file', '3f', 4, line('sums/3f0') + line('sums/3fa'), true],
    ['the longest id', '', 0, line(`issuers/${'z'.repeat(128)}`), true],
    ['an empty leaf', '3', 1, '', false],
    ['an empty inner file', '3', 2, '', false],
    ['no newline at the end', '', 0, line('issuers/a').trimEnd(), false],
    ['an empty line', '', 0, `${line('issuers/a')}\n`, false],
    ['a carriage return', '', 0, line('issuers/a').replace('\n', '\r\n'), false],
    ['a byte order mark', '', 0, `\uFEFF${line('issuers/a')}`, false],
    ['not UTF-8', '', 0, Buffer.concat([Buffer.from(line('issuers/a')), Buffer.from([0xff])]), false],
    ['upper-case digits', '', 0, line('issuers/a').replace(hash, hash.toUpperCase()), false],
    ['one space', '', 0, line('issuers/a').replace('  ', ' '), false],
    ['the mark of binary files', '', 0, line('issuers/a').replace('  ', ' *'), false],
    ['out of order', '', 0, line('issuers/b') + line('issuers/a'), false],
    ['a path twice', '', 0, line('issuers/a') + line('issuers/a'), false],
    ['a record of another branch', '3', 1, line(`issuers/${inLeaf('4')}`), false],
    ['an id that is too long', '', 0, line(`issuers/${'z'.repeat(129)}`), false],
    ['an id in upper case', '', 0, line('issuers/A'), false],
    ['a record in an inner file', '', 1, line('issuers/a'), false],
    ['a sums file in a leaf', '', 0, line('sums/3'), false],
    ['a child of another file', '3f', 4, line('sums/3e0'), false],
    ['a grandchild', '3f', 4, line('sums/3f00'), false],
    ['the root in the root', '', 1, line('sums/root'), false],
  ];
  return files.map(([name, prefix, levels, text, isValid]) => ({
    name,
    prefix,
    levels,
    base64url: Buffer.from(text).toString('base64url'),
    code: isValid ? null : 'ERR_SUMS_INVALID',
  }));
}

/** What a host serves, and what a client concludes for ids. */
async function proofs(key: TestKey) {
  const ids = Array.from({ length: 20 }, (_one, index) => `issuer-${index}`);
  const issuers = ids.sort().map((id) => issuer(id));
  const LEVELS_OF_PROOF = 2;
  const whole: Files = publish(key, issuers, UPDATED_AT);
  for (const one of issuers) whole.set(`issuers/${one.issuer_id}`, Buffer.from(canonicalBytes(one)));
  const hashes = new Map(issuers.map((one) => [one.issuer_id, sha256(canonicalBytes(one))]));
  for (const [path, bytes] of naiveSums(hashes, LEVELS_OF_PROOF)) whole.set(path, bytes);
  const seal = (files: Files) =>
    new Map(files).set(
      'publication.jwt',
      Buffer.from(signedJwt(key, { ...claimsAbout(files), levels: LEVELS_OF_PROOF })),
    );
  const good = seal(whole);
  const id = 'issuer-7';
  const path = (length: number) => `sums/${placeOf(id).slice(0, length)}`;
  const other = ids.find((one) => placeOf(one)[0] !== placeOf(id)[0]) as string;
  const inner = ids.find((one) => placeOf(one)[0] === placeOf(id)[0] && one !== id) ?? other;
  const absent = Array.from({ length: 2000 }, (_one, index) => `absent-${index}`);
  const inLeaf = absent.find((one) => placeOf(one).startsWith(placeOf(id).slice(0, 2))) as string;
  const inNoLeaf = absent.find(
    (one) => good.has(`sums/${placeOf(one)[0]}`) && !good.has(`sums/${placeOf(one).slice(0, 2)}`),
  ) as string;
  /** Changes the leaf of the id, and computes the files above anew: only the operator can sign the result. */
  const withLeaf = (change: (text: string) => string): Files => {
    const files = new Map(good).set(path(2), Buffer.from(change(String(good.get(path(2))))));
    for (const length of [1, 0]) {
      const above = length === 0 ? 'sums/root' : path(length);
      const below = path(length + 1);
      const hash = sha256(files.get(below) as Buffer);
      const lines = String(files.get(above)).replace(new RegExp(`^[0-9a-f]{64}(?=  ${below}$)`, 'm'), hash);
      files.set(above, Buffer.from(lines));
    }
    return seal(files);
  };
  const removed = (files: Files, ...paths: string[]) =>
    new Map([...files].filter(([one]) => !paths.includes(one)));
  const withRecord = (text: string): Files =>
    withLeaf((leaf) => leaf.replace(hashes.get(id) as string, sha256(Buffer.from(text)))).set(
      `issuers/${id}`,
      Buffer.from(text),
    );
  const record = String(good.get(`issuers/${id}`));
  const cases: [name: string, files: Files, outcomes: Record<string, string>][] = [
    [
      'present and absent',
      good,
      { [id]: 'present', [inner]: 'present', [other]: 'present', [inLeaf]: 'absent', [inNoLeaf]: 'absent' },
    ],
    [
      'no leaf',
      removed(good, path(2)),
      { [id]: 'ERR_SOURCE_STATUS', [inLeaf]: 'ERR_SOURCE_STATUS', [other]: 'present' },
    ],
    ['no inner file', removed(good, path(1)), { [id]: 'ERR_SOURCE_STATUS', [inLeaf]: 'ERR_SOURCE_STATUS' }],
    ['no root', removed(good, 'sums/root'), { [id]: 'ERR_SOURCE_STATUS', [inNoLeaf]: 'ERR_SOURCE_STATUS' }],
    ['no record', removed(good, `issuers/${id}`), { [id]: 'ERR_SOURCE_STATUS', [inLeaf]: 'absent' }],
    [
      'no statement',
      removed(good, 'publication.jwt'),
      { [id]: 'ERR_PUBLICATION_MISSING', [inLeaf]: 'ERR_PUBLICATION_MISSING' },
    ],
    [
      'a leaf without the record',
      new Map(good).set(path(2), Buffer.from('')),
      { [id]: 'ERR_SUMS_MISMATCH', [inLeaf]: 'ERR_SUMS_MISMATCH' },
    ],
    [
      'an inner file without the branch',
      new Map(good).set(path(1), Buffer.from(String(good.get(path(1))).replace(/^.*\n/, ''))),
      { [id]: 'ERR_SUMS_MISMATCH' },
    ],
    [
      'another record',
      new Map(good).set(`issuers/${id}`, good.get(`issuers/${other}`) as Buffer),
      { [id]: 'ERR_SUMS_MISMATCH', [other]: 'present' },
    ],
    [
      'an empty root',
      new Map(good).set('sums/root', Buffer.from('')),
      { [id]: 'ERR_SUMS_MISMATCH', [inLeaf]: 'ERR_SUMS_MISMATCH' },
    ],
    [
      'a leaf with a line of another branch, signed',
      withLeaf((leaf) => `${leaf}${hashes.get(other)}  issuers/zz-${other}\n`),
      { [id]: 'ERR_SUMS_INVALID' },
    ],
    [
      'a leaf with two lines of one id, signed',
      withLeaf((leaf) => leaf + leaf),
      { [id]: 'ERR_SUMS_INVALID' },
    ],
    ['a leaf without a newline, signed', withLeaf((leaf) => leaf.trimEnd()), { [id]: 'ERR_SUMS_INVALID' }],
    ['a record that is not canonical, signed', withRecord(`${record} `), { [id]: 'ERR_RECORD_INVALID' }],
    [
      'a record of another id, signed',
      withRecord(String(good.get(`issuers/${other}`))),
      { [id]: 'ERR_RECORD_INVALID' },
    ],
    [
      'a record that breaks the schema, signed',
      withRecord(record.replace('"certified"', '"other"')),
      { [id]: 'ERR_RECORD_INVALID' },
    ],
  ];
  return cases.map(([name, files, outcomes]) => {
    const needed = new Set(['publication.jwt', 'sums/root']);
    for (const one of Object.keys(outcomes)) {
      needed
        .add(`issuers/${one}`)
        .add(`sums/${placeOf(one)[0]}`)
        .add(`sums/${placeOf(one).slice(0, 2)}`);
    }
    return {
      name,
      now: MADE + 3600,
      files: asText(new Map([...files].filter(([one]) => needed.has(one)))),
      outcomes,
    };
  });
}
