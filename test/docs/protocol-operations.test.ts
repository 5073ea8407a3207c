import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { noteSigner } from '../support/note-keys.js';
import { emptyHost, plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { cli, workspace, writeFiles } from '../support/workspace.js';

/*
 * A reader of docs/protocol/operations.md#operations that shares no code with the project: JSON, SHA-256 and the
 * signatures are those of Node.js.
 */

interface Jwk {
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
}

/** The thumbprint of a public key (RFC 7638). */
function thumbprint({ crv, x, y }: Jwk): string {
  const members = y === undefined ? { crv, kty: 'OKP', x } : { crv, kty: 'EC', x, y };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

/** Returns the claims of a JWT that one of some keys has signed. */
function claimsOf(jwt: string, typ: string, keys: readonly Jwk[]) {
  const [header, payload, signature = '', ...more] = jwt.split('.');
  const { alg, kid, ...others } = decoded(header);
  expect([others, more]).toEqual([{ typ }, []]);
  const key = keys.find((one) => thumbprint(one) === kid);
  if (key === undefined) throw new Error('signed by an unknown key');
  expect(alg).toBe(key.crv === 'P-256' ? 'ES256' : 'EdDSA');
  const jwk = { kty: key.crv === 'P-256' ? 'EC' : 'OKP', crv: key.crv, x: key.x, ...(key.y && { y: key.y }) };
  const publicKey = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  const bytes = Buffer.from(`${header}.${payload}`);
  expect(
    verify(alg === 'ES256' ? 'sha256' : null, bytes, publicKey, Buffer.from(signature, 'base64url')),
  ).toBe(true);
  return decoded(payload);
}

let folder: string;
let mirrors: string[];
const WITNESS = noteSigner('witness.example', 'witness');

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, folder);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

beforeAll(async () => {
  folder = await workspace(['alpha']);
  writeFiles(folder, { 'root.json': await good('keys', 'public', 'key.pem') });
  const p256 = ['--alg', 'P-256'];
  writeFiles(folder, {
    'online.json': await good('keys', 'generate', '--no-passphrase', ...p256, '--private', 'online.pem'),
  });
  const delegate = ['keys', 'delegate', '--key', 'key.pem', '--online', 'online.json'];
  writeFiles(folder, { 'delegation.jwt': await good(...delegate) });
  const build = ['build', '--key', 'key.pem', '--delegation', 'delegation.jwt'];
  await good(...build, ...withKeys({ checkpoint: 'online.pem' }));
  mirrors = [`${await plainHost(join(folder, 'dist'), '404.html')}`, await emptyHost()];
  const witnesses = [{ key: WITNESS.vkey, mirror: mirrors[0] }];
  writeFiles(folder, { 'registry.yaml': JSON.stringify({ mirrors, log: { witnesses, quorum: 1 } }) });
  await good('checkpoint', '--online-key', 'online.pem');
});

const read = (path: string) => readFileSync(join(folder, 'dist', path), 'utf8');

describe('the operations statement (rule operations)', () => {
  it('is enough to read and verify what a publisher says of its mirrors', () => {
    const root = JSON.parse(read('keys/root.json'));
    const { keys, iat, exp } = claimsOf(read('keys/delegation.jwt'), 'registry-delegation+jwt', [root]);
    const claims = claimsOf(read('operations.jwt'), 'registry-operations+jwt', [root, ...keys]);
    const checkpoint = claimsOf(read('checkpoint.jwt'), 'registry-checkpoint+jwt', [root, ...keys]);
    expect([claims.iat, claims.exp]).toEqual([checkpoint.iat, checkpoint.exp]);
    expect(claims.iat >= iat && claims.iat <= exp).toBe(true);
    expect(claims).toEqual({
      ...{ iat: claims.iat, exp: claims.exp, witnesses: [WITNESS.vkey], quorum: 1 },
      mirrors: [
        {
          url: mirrors[0],
          state: 'in sync',
          behind: 0,
          updated_at: JSON.parse(read('issuers.json')).updated_at,
        },
        { url: mirrors[1], state: 'altered' },
      ],
    });
  });

  it('keeps the file out of SHA256SUMS', () => {
    expect(read('SHA256SUMS')).not.toContain('operations.jwt');
  });
});
