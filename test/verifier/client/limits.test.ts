import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { limitOf } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/paths.js';
import { type Files, issuer, publish, testKey, withCheckpoint } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { timeFromNow } from '../../support/times.js';

shortenRetries();

/** 200 kB on the wire, 200 MB of nested arrays: the shape that costs a parser most. */
const bomb = gzipSync(Buffer.alloc(200_000_000, '['));

const [root, online] = await Promise.all([testKey(), testKey()]);
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

const good = async (updatedAt = timeFromNow(-60)) =>
  withCheckpoint(publish(root, [issuer('a')], { updatedAt }), root, online);
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
