import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SETTINGS, TOOL } from '../../support/scaffold.js';
import { withKeys } from '../../support/settings.js';
import { cli, cliProcess, type Outcome, workspace, writeFiles } from '../../support/workspace.js';

/** The private part of a key in every spelling in which it could slip out. */
function spellings(pem: string): (string | Buffer)[] {
  const key = createPrivateKey(pem);
  const { d = '' } = key.export({ format: 'jwk' });
  const secret = Buffer.from(d, 'base64url');
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const body = pem.replaceAll(/-----.*-----|\s/g, '');
  return [
    secret,
    der,
    d,
    body,
    secret.toString('hex'),
    secret.toString('hex').toUpperCase(),
    secret.toString('base64'),
    secret.toString('latin1'),
    [...secret].join(','),
    [...secret].join(', '),
    // In another base64 text the same bytes can stand one or two places further on.
    ...[1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), secret])
        .toString('base64')
        .slice(4, -4),
    ),
  ];
}

function expectNowhere(secrets: readonly (string | Buffer)[], where: string, content: Buffer | string): void {
  const bytes = Buffer.from(content);
  // Line breaks, also those within JSON, would hide a PEM.
  const joined = Buffer.from(bytes.toString('latin1').replaceAll(/\s|\\[nr]/g, ''), 'latin1');
  for (const secret of secrets) {
    const found = bytes.includes(secret) || joined.includes(secret);
    expect(found, `${where} holds a private key`).toBe(false);
  }
}

const FORMS = {
  'a PEM': (pem: string) => pem,
  'a JWK': (pem: string) => JSON.stringify(createPrivateKey(pem).export({ format: 'jwk' })),
};

describe.each(['ed25519', 'p256'] as const)('a private key of %s', (type) => {
  const pair =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const secrets = spellings(pem);

  it('is found where it is: the search can fail', () => {
    for (const [name, form] of Object.entries(FORMS)) {
      expect(() => expectNowhere(secrets, name, form(pem))).toThrow(/holds a private key/);
    }
  });

  describe.each(Object.entries(FORMS))('as %s', (_name, form) => {
    let folder: string;
    const outcomes: [string, Outcome][] = [];

    beforeAll(async () => {
      folder = await workspace(['alpha']);
      const publicJwk = JSON.stringify(pair.publicKey.export({ format: 'jwk' }));
      const online = JSON.stringify(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }));
      const inYaml = JSON.stringify(form(pem));
      writeFiles(folder, {
        secret: form(pem),
        'root.json': publicJwk,
        'online.json': online,
        broken: form(pem).slice(0, -40),
        'inlined.yaml': `signer: { key: ${inYaml} }\n`,
        'inlined-online.yaml': `checkpoint: { signer: { key: ${inYaml} } }\n`,
        'inlined-public.yaml': `checkpoint: { public_key: ${inYaml} }\n`,
        'misplaced.yaml': `root_kee: ${inYaml}\n`,
      });
      const commands: [string[], Record<string, string>?][] = [
        [['keys', 'public', 'secret']],
        [['keys', 'public', 'env:SECRET'], { SECRET: form(pem) }],
        [['keys', 'rotate', '--key', 'secret', '--unsigned', 'request', '--next-root-key', 'root.json']],
        [['build', '--key', 'secret', ...withKeys({ checkpoint: 'secret' }), '--json']],
        [['checkpoint', '--online-key', 'secret', '--json']],
        [['hold', 'alpha', '--online-key', 'secret', '--json']],
        [['hold', '--end', '--all', '--false-alarm', '--online-key', 'secret']],
        [['build', '--key', 'env:SECRET', '--out', 'other'], { SECRET: form(pem) }],
        [['suspend', 'alpha', '--reason', 'x', '--key', 'secret']],
        [['verify', 'dist', '--json']],
        [['build', '--key', 'key.pem', '--out', 'rotated']],
        [['keys', 'rotate', '--key', 'key.pem', '--next-key', 'secret', '--out', 'rotated', '--yes']],
        // And where something is wrong.
        [['build', '--key', 'broken', '--json']],
        [['build', '--key', 'secret', '--root-key', 'secret']],
        [['build', '--key', 'key.pem', '--root-key', 'secret']],
        [['verify', 'dist', '--trust-anchor', 'secret']],
        [['build', '--key', 'env:SECRET'], { SECRET: `${form(pem)}x` }],
        [['keys', 'rotate', '--unsigned', 'request', '--next-root-key', 'secret']],
        [['check', 'secret']],
        [['check', '--fix', 'secret']],
        [['check', '--online', '--config', 'secret']],
        [['build', '--config', 'inlined.yaml']],
        [['build', '--config', 'misplaced.yaml']],
        [['build', '--key', form(pem)]],
        [['verify', 'dist', '--trust-anchor', form(pem)]],
        [['status', '--key', form(pem), '--offline']],
        [['status', '--key', form(pem), '--offline', '--json']],
        [['status', '--config', 'inlined.yaml', '--offline']],
        [['status', '--config', 'inlined-online.yaml', '--offline', '--json']],
        [['status', '--config', 'inlined-public.yaml', '--offline']],
        [['keys', 'rotate', '--key', 'secret', '--next-key', form(pem), '--yes']],
        [['keys', 'rotate', '--config', 'inlined.yaml', '--next-key', 'next.pem', '--yes']],
        [['keys', 'generate', '--no-passphrase', '--private', form(pem)]],
        [['keys', 'public', form(pem)]],
        [['keys', 'generate', '--no-passphrase', '--alg', form(pem)]],
        [['status', '--offline', '--root-key', 'root.json', `--kee=${form(pem)}`]],
        [['mirror', '--trust-anchor', form(pem), 'status', 'http://127.0.0.1:1']],
        [['build', '--passphrase-file', form(pem), '--key', 'secret']],
        [['init', 'new', ...SETTINGS, ...TOOL, '--key', form(pem)]],
      ];
      for (const [args, environment] of commands)
        outcomes.push([args.join(' '), await cli(args, folder, environment)]);
    });

    it('is in no output and no error of any command', () => {
      expect(outcomes.filter(([, { code }]) => code === 0).length).toBeGreaterThanOrEqual(8);
      for (const [command, { stdout, stderr }] of outcomes) expectNowhere(secrets, command, stdout + stderr);
    });

    it('is in the name of no file', () => {
      expectNowhere(secrets, 'the workspace', readdirSync(folder, { recursive: true }).join('\n'));
    });

    it('is in no file of the tree', () => {
      const files = readdirSync(join(folder, 'dist'), { recursive: true, withFileTypes: true });
      expect(files.filter((file) => file.isFile()).length).toBeGreaterThan(15);
      for (const file of files) {
        if (!file.isFile()) continue;
        const path = join(file.parentPath, file.name);
        expectNowhere(secrets, path, readFileSync(path));
      }
    });
  });
});

describe('while a build signs', () => {
  it('no key and no passphrase is in the arguments of any process, and none is handed to the signing command', async () => {
    const folder = await workspace(['alpha']);
    const pair = generateKeyPairSync('ed25519');
    const pem = String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const passphrase = 'correct horse battery staple';
    const encrypted = pair.privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase,
    });
    const online = await cli(['keys', 'public', 'key.pem'], folder);
    writeFiles(folder, { encrypted: String(encrypted), passphrase, 'online.json': online.stdout });
    const signer = ['--key', 'encrypted', '--passphrase-file', 'passphrase'];
    // A command that signs a checkpoint sees every process while the root key is in memory, and its own environment.
    const spy = 'cat /proc/[0-9]*/cmdline > seen; env >> seen; exit 9';
    const checkpoint = { signer: { command: spy }, public_key: 'online.json' };
    writeFiles(folder, { 'registry.yaml': JSON.stringify({ checkpoint }) });
    const { code, stderr } = await cliProcess(['build', ...signer, '--production'], folder);
    expect(code, stderr).toBe(3);
    const seen = readFileSync(join(folder, 'seen'));
    expect(seen.includes('--passphrase-file')).toBe(true);
    expectNowhere([...spellings(pem), passphrase], 'the list of processes', seen);
  });
});
