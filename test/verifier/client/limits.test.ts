import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createRegistryClient } from '@passport-registry/verifier';
import { LIMITS, limitOf } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { codeOf } from '../../support/log-clients.js';
import { ROOT } from '../../support/paths.js';
import {
  at,
  type Files,
  issuer,
  publish,
  type TestKey,
  testKey,
  withCheckpoint,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';

shortenRetries();

let root: TestKey;
let online: TestKey;
/** 200 kB on the wire, 200 MB of nested arrays: the shape that costs a parser most. */
const bomb = gzipSync(Buffer.alloc(200_000_000, '['));

beforeAll(async () => {
  [root, online] = await Promise.all([testKey(), testKey()]);
  expect(bomb.length).toBeLessThan(250_000);
});

/** Default clients of some hosts in a small process: why each was refused, or `accepted`; then the same of a refresh. */
const PROGRAM = `
  import { createRegistryClient } from '@passport-registry/verifier';
  const [jwk, ...bases] = process.argv.slice(1);
  for (const base of bases) {
    const client = createRegistryClient({ sources: [base], rootKey: JSON.parse(jwk) });
    const verdict = (work) => work.then(() => 'accepted', (error) => error.errors[base].code);
    console.log(JSON.stringify([await verdict(client.ready()), await verdict(client.refresh())]));
    client.close();
  }
`;

/** What a small process says of hosts. */
async function verdictsOfProcess(hosts: readonly RegistryHost[]): Promise<string[][]> {
  const args = ['--max-old-space-size=256', '--input-type=module', '-e', PROGRAM];
  const given = [JSON.stringify(root.rootKey.jwk), ...hosts.map(({ base }) => base)];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...given], { cwd: ROOT });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** What a client in this process says of a host, and then of a refresh. */
async function verdicts({ base }: RegistryHost): Promise<string[]> {
  const client = closedAfterTest(
    createRegistryClient({ sources: [base], rootKey: root.rootKey.jwk, timeout: 60 }),
  );
  return [await codeOf(client.ready()), await codeOf(client.refresh())];
}

const good = async (updatedAt = at(-60)) =>
  withCheckpoint(publish(root, [issuer('a')], updatedAt), root, online);
/** Sends a bomb in place of each file whose path fits. */
const bombed = (host: RegistryHost, paths: RegExp): RegistryHost => {
  host.intercept = (path, _request, response) => {
    if (!paths.test(path)) return false;
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' }).end(bomb);
    return true;
  };
  return host;
};

describe('a client with a heap of 256 MB', () => {
  const FILES = [
    ['statements.json', 'ERR_SOURCE_TOO_LARGE'],
    ['issuers.json', 'accepted'],
    ['lists/', 'accepted'],
    ['json', 'ERR_SOURCE_TOO_LARGE'],
  ] as const;
  const bombs = (files: Files, names: readonly string[]) =>
    Promise.all(
      names.map(async (name) => bombed(await registryHost(files), new RegExp(name.replaceAll('.', '\\.')))),
    );

  it('survives 200 MB of nested arrays as any file, and says what was wrong', async () => {
    const hosts = await bombs(
      await good(),
      FILES.map(([name]) => name),
    );
    expect(await verdictsOfProcess(hosts)).toEqual(FILES.map(([, code]) => [code, code]));
  });

  it('survives them as the list, wherever it may be', async () => {
    const host = bombed(await registryHost(await good()), /^(?:issuers\.json|lists\/)/);
    expect(await verdictsOfProcess([host])).toEqual([
      ['ERR_PUBLICATION_MISMATCH', 'ERR_PUBLICATION_MISMATCH'],
    ]);
  });
});

describe('what is within its limit and still not what it should be', () => {
  const nested = (bytes: number) => Buffer.alloc(bytes, '[');
  const flat = (bytes: number) => Buffer.from(`[${'[],'.repeat(bytes / 3 - 2)}[]]`);
  const encoded = (text: Buffer) => text.toString('base64url');
  const jwt = (payload: Buffer) =>
    `${encoded(Buffer.from('{"alg":"Ed25519","typ":"registry-checkpoint+jwt"}'))}.${encoded(payload)}.AAAA`;

  const raw = (bytes: Buffer) => (files: Files) => files.set('statements.json', bytes);

  it.each<[string, string, (files: Files) => Files]>([
    ['statements nested without end', 'ERR_STATEMENTS_INVALID', raw(nested(LIMITS.statements))],
    ['statements of arrays', 'ERR_STATEMENTS_INVALID', raw(flat(LIMITS.statements))],
    [
      'a rotation of more steps than there may be',
      'ERR_ROTATION_INVALID',
      (files) => files.set('keys/rotation.json', Buffer.from(JSON.stringify(Array(100_000).fill('a.b.c')))),
    ],
    [
      'a rotation of arrays',
      'ERR_STATEMENTS_INVALID',
      (files) => files.set('keys/rotation.json', flat(LIMITS.rotation)),
    ],
    [
      'a checkpoint nested without end',
      'ERR_CHECKPOINT_INVALID',
      (files) => files.set('checkpoint.jwt', Buffer.from(jwt(nested(12_000)))),
    ],
    [
      'a publication statement with a header nested without end',
      'ERR_PUBLICATION_INVALID',
      (files) => files.set('publication.jwt', Buffer.from(`${encoded(nested(12_000))}.e30.AAAA`)),
    ],
  ])('%s: %s', async (_name, code, change) => {
    expect(await verdicts(await registryHost(change(await good())))).toEqual([code, code]);
  });
});

/** As in docs/protocol.md#limits. */
describe('the limit of a file', () => {
  it.each([
    ['keys/root.json', 16_384],
    ['statements.json', 1_048_576],
    ['issuers/acme', 65_536],
    ['issuers/acme.jwt', 65_536],
    ['log/statements/0.jwt', 16_384],
    ['issuers.sig', 256],
    ['issuers.json', 268_435_456],
    ['lists/0.json', 268_435_456],
    ['log/checkpoint', 65_536],
    ['log/tile/0/000', 8_192],
    ['log/tile/entries/000', 1_049_088],
    ['SHA256SUMS', 67_108_864],
    ['about.json', 16_777_216],
    ['sums/root', 262_144],
  ])('%s is %i bytes', (path, bytes) => {
    expect(limitOf(path)).toBe(bytes);
  });
});
