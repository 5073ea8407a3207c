import { appendFileSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { importRootKey } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSigningRequest } from '../../../build/custody/offline-signing/read-request.js';
import type { ErrorCode } from '../../support/expect-command-error.js';
import { copyOf } from '../../support/made-once.js';
import {
  alterInput,
  alterStatement,
  registryWithRequests,
  requestsIn,
} from '../../support/signing-request.js';
import { claimsOf } from '../../support/statements.js';
import { good, writeFiles } from '../../support/workspace.js';

/** A registry with a request. */
let folder: string;
const { at, read, record, run, request, publish } = requestsIn(() => folder);

const HASH = '0'.repeat(43);
const SHA256 = '0'.repeat(64);

/** Returns what begins a test with a request, which is made once. */
function requestOnce(make: () => Promise<unknown>): () => Promise<void> {
  let made: string | undefined;
  return async () => {
    if (made === undefined) {
      folder = await registryWithRequests();
      await make();
      made = folder;
    }
    folder = copyOf(made);
  };
}

const renewed = requestOnce(() => good(request()));
const listedWithCheckpoint = requestOnce(() => {
  record('gamma');
  return good(request());
});
const listed = requestOnce(async () => {
  record('gamma');
  await good(request());
  rmSync(at('request/checkpoint.signing-input'));
});
/** With the statement before the one that the list follows. */
const secondListed = requestOnce(async () => {
  const first = read('dist/publication.jwt');
  record('gamma');
  await publish();
  record('delta');
  await good(request());
  writeFileSync(at('request/previous/publication.jwt'), first);
});
const rotated = requestOnce(() => {
  rmSync(at('request'), { recursive: true });
  const keys = ['--root-key', 'root.json', '--next-root-key', 'next.json'];
  return good(run('keys', 'rotate', '--unsigned', 'request', ...keys));
});

/** Reads the request, as whoever is to sign it with the root key. @param facts - what the message must name */
async function expectRefused(code: ErrorCode, ...facts: readonly string[]): Promise<void> {
  const reading = readSigningRequest(at('request'), await importRootKey(jwk('root')), undefined);
  const error = await reading.then(
    () => undefined,
    (refusal: Error) => refusal,
  );
  expect(error).toMatchObject({ code });
  for (const fact of facts) expect(error?.message).toContain(fact);
}

const jwk = (name: string): { readonly kid: string } => JSON.parse(read(`${name}.json`).toString());
const thumbprint = (name: string): string => jwk(name).kid;
const alterText = (path: string, change: (text: string) => string) => () =>
  writeFileSync(at(path), change(read(path).toString()));
const flip = (path: string) => () => {
  const bytes = read(path);
  bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1;
  writeFileSync(at(path), bytes);
};
const reversed = (value: Record<string, unknown>) =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a > b ? -1 : 1))));
type Hostile = [name: string, change: () => unknown, fact: string, code?: ErrorCode];

const ROTATION = 'request/outgoing/rotation.signing-input';

const PAYLOAD = {
  malformed: 'ERR_REQUEST_PAYLOAD',
  otherKey: 'ERR_REQUEST_PAYLOAD',
  empty: 'ERR_REQUEST_PAYLOAD',
} as const;

/** A request with each statement, and the errors where it is for another key, and where it is gone. */
const STATEMENTS = {
  publication: {
    begin: listed,
    other: 'checkpoint',
    malformed: 'ERR_TREE_REJECTED',
    otherKey: 'ERR_REQUEST_PAYLOAD',
    empty: 'ERR_TREE_REJECTED',
    gone: 'ERR_USAGE',
  },
  checkpoint: { begin: renewed, other: 'publication', ...PAYLOAD, gone: 'ERR_USAGE' },
  rotation: {
    begin: rotated,
    other: 'checkpoint',
    ...PAYLOAD,
    otherKey: 'ERR_KEY_REJECTED',
    empty: 'ERR_KEY_REJECTED',
    gone: 'ERR_REQUEST_PAYLOAD',
  },
} as const;

describe.each(Object.entries(STATEMENTS))('the payload of a %s is refused with', (name, statement) => {
  const file = name === 'rotation' ? ROTATION : `request/${name}.signing-input`;
  const alter = (change: Parameters<typeof alterInput>[2]) => () => alterInput(folder, name, change);

  it.each<[string, () => unknown, ErrorCode?]>([
    ['a changed byte', flip(file), statement.malformed],
    ['a signature after it', () => appendFileSync(at(file), '.AAAA'), statement.malformed],
    [
      'a byte that is not ASCII after it',
      () => appendFileSync(at(file), Buffer.of(0xff)),
      statement.malformed,
    ],
    ['no bytes', () => writeFileSync(at(file), ''), statement.empty],
    [
      'the type of another one',
      alter({ header: { typ: `registry-${statement.other}+jwt` } }),
      statement.malformed,
    ],
    ['another root key', alter({ header: { kid: HASH } }), statement.otherKey],
    ['no root key', alter({ header: { kid: undefined } }), statement.otherKey],
    ['another name of the algorithm', alter({ header: { alg: 'Ed25519' } })],
    ['another member of the header', alter({ header: { jku: 'https://a.internal' } }), statement.malformed],
    ['a claim that this version does not know', alter({ claims: { anything: 1 } })],
    ['no time', alter({ claims: { iat: undefined } }), statement.malformed],
    ['claims in another order', alter({ encode: reversed })],
    [
      'a payload of an unknown type beside it',
      () => copyFileSync(at(file), at('request/mandate.signing-input')),
      'ERR_REQUEST_UNKNOWN',
    ],
    ['nothing', () => rmSync(at(file)), statement.gone],
  ])('%s', async (_name, change, code = 'ERR_REQUEST_PAYLOAD') => {
    await statement.begin();
    change();
    await expectRefused(code);
  });
});

// Which claims are well-formed, the conformance kit shows (client/checkpoint, client/hold, client/rotation).
describe('a checkpoint is refused', () => {
  const alter = (claims: Record<string, unknown>) => () => alterInput(folder, 'checkpoint', { claims });
  it.each<Hostile>([
    ['for another publication', alter({ publication: SHA256 }), 'another publication than 1'],
    ['that is valid for too long', alter({ exp: 2 ** 40 }), '31 days'],
    [
      'without what it follows',
      () => rmSync(at('request/previous'), { recursive: true }),
      'no publication',
      'ERR_TREE_REJECTED',
    ],
    [
      'after another publication',
      flip('request/previous/publication.jwt'),
      'not signed by',
      'ERR_KEY_REJECTED',
    ],
    [
      'beside a rotation step, by which another key signs it',
      async () => {
        const kept = read('request/checkpoint.signing-input');
        await rotated();
        writeFileSync(at('request/checkpoint.signing-input'), kept);
      },
      'another root key',
    ],
  ])('%s', async (_name, change, fact, code = 'ERR_REQUEST_PAYLOAD') => {
    await renewed();
    await change();
    await expectRefused(code, fact);
  });
});

describe('a rotation step is refused', () => {
  const alter = (claims: () => Record<string, unknown>) => () =>
    alterInput(folder, 'rotation', { claims: claims() });

  it.each<Hostile>([
    ['to the same key', alter(() => ({ next_root: jwk('root') })), 'the same key'],
    ['to no key', alter(() => ({ next_root: undefined })), 'not name a root key'],
    [
      'to a key with a member that is not shown',
      alter(() => ({ next_root: { ...jwk('next'), use: 'sig' } })),
      'canonical form',
    ],
    ['with 4 next roots', alter(() => ({ next_roots: Array(4).fill(thumbprint('root')) })), 'next_roots'],
    [
      'with the outgoing key as a next root',
      alter(() => ({ next_roots: [thumbprint('root')] })),
      'no later step',
    ],
    [
      'with the next key as a next root',
      alter(() => ({ next_roots: [thumbprint('next')] })),
      'no later step',
    ],
    ['with a step that is none', alter(() => ({ step: 0 })), 'step that is not a number'],
  ])('%s', async (_name, change, fact, code = 'ERR_REQUEST_PAYLOAD') => {
    await rotated();
    change();
    await expectRefused(code, fact);
  });
});

describe('a request with a list is refused', () => {
  beforeEach(listedWithCheckpoint);

  it.each<Hostile>([
    ['without its list', () => rmSync(at('request/issuers.json')), 'no issuers.json', 'ERR_USAGE'],
    [
      'that is not canonical',
      alterText('request/issuers.json', (list) => ` ${list}`),
      'ERR_LIST_NOT_CANONICAL',
      'ERR_TREE_REJECTED',
    ],
    [
      'that is not later',
      alterText('request/issuers.json', (list) => list.replace(/"updated_at":"2/, '"updated_at":"1')),
      'not later',
    ],
    [
      'after a list that was altered',
      alterText('request/previous/issuers.json', (list) => list.replace('alpha', 'alphx')),
      'not signed by',
      'ERR_KEY_REJECTED',
    ],
    [
      'beside an unknown payload of the outgoing key',
      () => writeFiles(folder, { 'request/outgoing/mandate.signing-input': 'x' }),
      'outgoing/mandate.signing-input',
      'ERR_REQUEST_UNKNOWN',
    ],
    [
      'whose checkpoint is for the publication before',
      () => {
        const { publication } = claimsOf(read('dist/checkpoint.jwt'));
        alterInput(folder, 'checkpoint', { claims: { publication } });
      },
      'another publication than 2',
    ],
  ])('%s', async (_name, change, fact, code = 'ERR_REQUEST_PAYLOAD') => {
    change();
    await expectRefused(code, fact);
  });
});

describe('a publication statement is refused', () => {
  it.each<Hostile>([
    ['the sequence before', () => alterStatement(folder, { sequence: 1 }), 'its sequence'],
    ['a lower sequence', () => alterStatement(folder, { sequence: 0 }), 'its sequence'],
    ['a sequence that burns others', () => alterStatement(folder, { sequence: 3 }), 'its sequence'],
    [
      'a sequence that is none',
      () => alterStatement(folder, { sequence: 1.5 }),
      'claim',
      'ERR_TREE_REJECTED',
    ],
    ['another statement before it', () => alterStatement(folder, { previous: [SHA256] }), 'its previous'],
    ['no statement before it', () => alterStatement(folder, { previous: undefined }), 'its previous'],
    ['another list', () => alterStatement(folder, { sha256: SHA256 }), 'its sha256'],
    ['another size', () => alterStatement(folder, { size: 1 }), 'its size'],
    ['another number of issuers', () => alterStatement(folder, { issuers: 2 }), 'its issuers'],
    ['other sums', () => alterStatement(folder, { sums_sha256: SHA256 }), 'its sums_sha256'],
    ['levels that the records do not need', () => alterStatement(folder, { levels: 1 }), 'its levels'],
    [
      'levels that no registry has',
      () => alterStatement(folder, { levels: 9 }),
      'claim',
      'ERR_TREE_REJECTED',
    ],
    [
      'another time of the list',
      () => alterStatement(folder, { updated_at: '2026-01-01T00:00:00Z' }),
      'its updated_at',
    ],
    ['a time before the list', () => alterStatement(folder, { iat: 1 }), 'its iat'],
    [
      'more than a statement can have',
      alterText('request/publication.signing-input', (text) => text.padEnd(20_000, 'A')),
      'request/publication.signing-input',
      'ERR_IO_FAILED',
    ],
    [
      'no file of the statement before it',
      () => rmSync(at('request/previous/publication.jwt')),
      'previous/publication.jwt is missing',
      'ERR_TREE_REJECTED',
    ],
  ])('with %s', async (_name, change, fact, code = 'ERR_REQUEST_PAYLOAD') => {
    await listedWithCheckpoint();
    change();
    await expectRefused(code, fact);
  });

  it('where list and statement before it belong to two publications', async () => {
    await secondListed();
    await expectRefused('ERR_TREE_REJECTED', 'previous/publication.jwt', 'previous/issuers.json');
  });
});
