import { type AboutIssuers, canonicalBytes, readAbout, verifyAbout } from '@passport-registry/verifier/core';
import { expect, it } from 'vitest';
import { sha256 } from '../../support/sha256.js';

const bytesOf = (issuers: object) => canonicalBytes({ issuers });
const GOOD = bytesOf({ acme: { name: 'Acme' } });

/** Reads a file that a statement names. */
const read = (bytes: Uint8Array): Promise<AboutIssuers | undefined> =>
  verifyAbout(bytes, { aboutSha256: sha256(Buffer.from(bytes)) });

it('has the names and reasons of the file that the statement names', async () => {
  expect([...((await read(GOOD)) ?? [])]).toEqual([['acme', { name: 'Acme' }]]);
});

it('is empty if the statement names no file, whatever the source has', async () => {
  expect(await verifyAbout(undefined, { aboutSha256: undefined })).toEqual(new Map());
  expect(await verifyAbout(GOOD, { aboutSha256: undefined })).toEqual(new Map());
});

it('is not known, and no error, if the file is missing or another one', async () => {
  for (const aboutSha256 of ['0'.repeat(64), '', '[object Object]']) {
    expect(await verifyAbout(GOOD, { aboutSha256 })).toBeUndefined();
    expect(await verifyAbout(undefined, { aboutSha256 })).toBeUndefined();
  }
});

it.each(['null', '[]', '7', '{}', '{"issuers":[]}', '{"issuers":{"acme":{"name":"Acme"}},"more":1}'])(
  'is refused as %s, with the error of the reader',
  (text) => {
    const invalid = (message: string) => new RangeError(message);
    expect(() => readAbout(new TextEncoder().encode(text), invalid)).toThrow(RangeError);
  },
);

it.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['no UTF-8', Uint8Array.of(0xff)],
  ['another form', new TextEncoder().encode('{"issuers": {"acme":{"name":"Acme"}}}')],
  ['a member twice', new TextEncoder().encode('{"issuers":{"acme":{"name":"A","name":"B"}}}')],
  ['the name of an object', new TextEncoder().encode('{"issuers":{"__proto__":{"name":"A"}}}')],
  ['no issuers', bytesOf({})],
  ['an id that is none', bytesOf({ Acme: { name: 'Acme' } })],
  ['an issuer without words', bytesOf({ acme: {} })],
  ['another field', bytesOf({ acme: { tier: 'founding' } })],
  ['a text that turns', bytesOf({ acme: { name: 'a\u202eb' } })],
  ['a text of two lines', bytesOf({ acme: { name: 'a\nb' } })],
  ['a text that is too long', bytesOf({ acme: { name: 'x'.repeat(101) } })],
  ['a text that is none', bytesOf({ acme: { name: 1 } })],
])('is not known if the signed file has %s', async (_name, bytes) => {
  expect(await read(bytes)).toBeUndefined();
});
