import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { Ceremony } from '../support/ceremony.js';
import { sha256 } from '../support/sha256.js';
import { cli, recordText, writeFiles } from '../support/workspace.js';

/**
 * A reader of docs/protocol/holders.md#holders-record that shares no code with the project: JSON, SHA-256, Ed25519 and
 * the points of the curve are those of Node.js and of a library.
 */
const canonical = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(canonical).join()}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
          .join()}}`
      : JSON.stringify(value);
const hashOf = (value: unknown) => sha256(canonical(value));
const bytes = (text: string) => Buffer.from(text, 'base64url');
const isSigned = (x: string, signature: Buffer, message: string | Buffer) =>
  verify(
    null,
    Buffer.from(message),
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    signature,
  );

/** Reads a message. @param x - the public key of its author; undefined for a key in its claims */
function readMessage(text: string, typ: string, x?: string) {
  const [header = '', payload = '', signature = ''] = text.split('.');
  expect(JSON.parse(bytes(header).toString())).toEqual({ alg: 'EdDSA', typ });
  const claims = JSON.parse(bytes(payload).toString());
  expect(canonical(claims)).toBe(bytes(payload).toString());
  expect(isSigned(x ?? claims.key.x, bytes(signature), `${header}.${payload}`)).toBe(true);
  return claims;
}

/** The order of the group (RFC 8032, section 5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const littleEndian = (number: Uint8Array) => BigInt(`0x${Buffer.from(number).reverse().toString('hex')}`);
const { Point } = ed25519;

/** Checks a record without a dealer. Returns the public key, the fingerprint and the message keys. */
function checkRecord(json: string) {
  const record = JSON.parse(json);
  const members = ['ceremony', 'join', 'parts', 'receipts', 'test'];
  expect(Object.keys(record).sort()).toEqual(members);
  const ceremony = hashOf(record.ceremony);
  const joined = record.join.map((text: string) => readMessage(text, 'registry-ceremony-join+jwt'));
  let sum = Point.ZERO;
  for (const [index, claims] of joined.entries()) {
    expect(claims).toMatchObject({ ceremony, holder: index + 1, encryption: { crv: 'P-256' } });
    expect(claims.commitments).toHaveLength(record.ceremony.threshold);
    const first = bytes(claims.commitments[0]);
    const [r, z] = [bytes(claims.proof).subarray(0, 32), bytes(claims.proof).subarray(32)];
    const number = Buffer.alloc(32);
    number[0] = index + 1;
    const hash = createHash('sha512').update('FROST-ED25519-SHA512-v1dkg').update(number).update(first);
    const challenge = littleEndian(hash.update(r).digest()) % ORDER;
    const point = Point.fromBytes(first);
    const expected = Point.BASE.multiply(littleEndian(z)).subtract(point.multiply(challenge));
    expect(Buffer.from(expected.toBytes())).toEqual(Buffer.from(r));
    sum = sum.add(point);
  }
  const x = Buffer.from(sum.toBytes()).toString('base64url');
  const root = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const digest = hashOf({ ceremony, join: record.join.map(sha256), parts: record.parts });
  for (const [index, text] of record.receipts.entries()) {
    const claims = readMessage(text, 'registry-ceremony-receipt+jwt', joined[index].key.x);
    expect(claims).toEqual({ ceremony, holder: index + 1, digest, root });
  }
  const payload = `passport-registry test of a shared key\n${digest}\n`;
  expect(isSigned(x, Buffer.from(record.test, 'base64'), payload)).toBe(true);
  return { x, root, digest, record, messageKeys: joined.map(({ key }: { key: { x: string } }) => key.x) };
}

describe('the record and the messages of holders (rule holders-record, rule holders-messages)', () => {
  const holders = new Ceremony(['Anna', 'Bo', 'Cy']);
  const read = (...path: string[]) => readFileSync(join(holders.home, ...path), 'utf8');

  beforeAll(async () => {
    await holders.whole(2);
    writeFiles(holders.home, { 'issuers/alpha.yaml': recordText('alpha') });
    await cli(['build', '--unsigned', 'request', '--root-key', 'shared/root.json'], holders.home);
    for (const _round of ['commit', 'sign']) {
      for (const name of ['Anna', 'Cy']) {
        expect((await holders.as(name, ['sign', join(holders.home, 'request'), '--yes'])).code).toBe(0);
      }
    }
  });

  it('are enough to check who shares the key', async () => {
    const { x, root, digest, record } = checkRecord(read('shared/holders.json'));
    expect(JSON.parse(read('shared/root.json'))).toEqual({ kty: 'OKP', crv: 'Ed25519', x, kid: root });
    const bits = [...Buffer.from(digest, 'hex')].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const words = Array.from(
      { length: 16 },
      (_, index) => wordlist[Number.parseInt(bits.slice(index * 11, index * 11 + 11), 2)],
    );
    expect((await holders.words()).split(' ')).toEqual(words);
    expect(Object.keys(record.ceremony).sort()).toEqual(['holders', 'id', 'threshold']);
  });

  it('show how parts are encrypted, and which messages of the first round their author has seen', () => {
    const { record, messageKeys } = checkRecord(read('shared/holders.json'));
    for (const [index, hash] of record.parts.entries()) {
      const text = read(`shared/parts-${index + 1}.jwt`).trim();
      expect(sha256(text)).toBe(hash);
      const claims = readMessage(text, 'registry-ceremony-parts+jwt', messageKeys[index]);
      expect(claims.joined).toEqual(record.join.map(sha256));
      const recipients = [1, 2, 3].filter((number) => number !== index + 1).map(String);
      expect(Object.keys(claims.parts)).toEqual(recipients);
      for (const number of recipients) {
        const header = JSON.parse(bytes(claims.parts[number].split('.')[0]).toString());
        expect(header).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', epk: { crv: 'P-256' } });
      }
    }
  });

  it('are enough to read commitments and signature shares', () => {
    const { root, messageKeys } = checkRecord(read('shared/holders.json'));
    const payloads = {
      list: 'issuers.json',
      publication: 'publication.signing-input',
      checkpoint: 'checkpoint.signing-input',
    };
    const types = Object.keys(payloads);
    const hashes = Object.entries(payloads).map(([type, file]) => [type, sha256(read('request', file))]);
    const request = hashOf({ payloads: Object.fromEntries(hashes), root });
    const message = (kind: 'commitments' | 'shares', number: number) =>
      readMessage(
        read('request', `${kind}-${number}.jwt`).trim(),
        `registry-signing-${kind}+jwt`,
        messageKeys[number - 1],
      );
    const committed = new Map([1, 3].map((number) => [number, message('commitments', number)]));
    for (const [number, claims] of committed) {
      expect(claims).toMatchObject({ request, holder: number });
      expect(Object.keys(claims.commitments)).toEqual(number === 1 ? ['1-2', '1-3'] : ['1-3', '2-3']);
    }
    const lists = types.map((type) => [
      type,
      [...committed].map(([number, { commitments }]) => [number, ...commitments['1-3'][type]]),
    ]);
    for (const number of [1, 3]) {
      const { sessions, ...claims } = message('shares', number);
      expect(claims).toEqual({ request, holder: number });
      expect(Object.keys(sessions)).toEqual(['1-3']);
      expect(sessions['1-3'].commitments).toBe(hashOf(lists));
      expect(Object.keys(sessions['1-3'].shares).sort()).toEqual(types.toSorted());
      for (const share of Object.values<string>(sessions['1-3'].shares))
        expect(bytes(share)).toHaveLength(32);
    }
  });
});
