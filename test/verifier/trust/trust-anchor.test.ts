import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AnchoredClientOptions,
  assertTrustAnchor,
  createRegistryClient,
  NoUsableSource,
  openRegistry,
  RegistryError,
  type TrustAnchor,
} from '@passport-registry/verifier';
import { openRegistry as openPath } from '@passport-registry/verifier/node';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { kitOf } from '../../support/kit.js';
import { noteSigner } from '../../support/note-keys.js';
import { ROOT } from '../../support/paths.js';
import { type Files, issuer, publish, testKey, withCheckpoint } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { ED25519_JWK as ed25519 } from '../../support/rfc-keys.js';
import { copyIn } from '../../support/sources.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

const [root, other] = [await testKey(), await testKey('p256')];
const plain = publish(root, [issuer('a')]);
const checkpointed = await withCheckpoint(plain, root, await testKey());

const anchorOf = (more: Partial<TrustAnchor> = {}): TrustAnchor => ({ root: root.rootKey.jwk, ...more });

/** Returns the code of what the function throws, or rejects with. */
async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof NoUsableSource) return Object.values(error.errors)[0]?.code ?? error.code;
    if (error instanceof RegistryError) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('a trust anchor', () => {
  const ajv = new Ajv2020();
  addFormats.default(ajv);
  for (const name of readdirSync(join(ROOT, 'schemas')).filter((file) => file.endsWith('.schema.json'))) {
    // Schemas of settings have no id.
    ajv.addSchema(JSON.parse(readFileSync(join(ROOT, 'schemas', name), 'utf8')), name);
  }
  /** Cases that a schema cannot refuse: what one member says of another, two spellings of one source, bad public keys. */
  const BEYOND_SCHEMAS = [
    ...['next_roots, root itself', 'next_roots, one and root itself'],
    ...['sources, one twice, with a slash', 'sources, a path twice, with a slash'],
    ...['sources, one twice, in upper case', 'sources, one twice, with its port'],
    ...['sources, one twice, with dots', 'sources, the port 65536'],
    ...['log, no log, but witnesses', 'log, no log, but a quorum', 'log, witnesses without a quorum'],
    ...['log, a quorum without witnesses', 'log, a quorum of 3', 'log, a key under two names'],
    ...['log, the id of another key', 'log, a witness of order 1', 'log, a witness of order 8'],
    'log, a witness that is not canonical',
  ];

  it('is judged by its schema as the conformance kit says', async () => {
    const cases = (await kitOf('list')).filter(
      ({ id, rule }) => id.startsWith('list/anchor/') && rule !== 'strict-json',
    );
    const others = cases.filter(({ anchor, steps }) => {
      const isGood = steps[0]?.right === 'accept';
      return ajv.validate('trust-anchor.schema.json', JSON.parse(anchor)) !== isGood;
    });
    expect(cases.length).toBeGreaterThan(60);
    expect(others.map(({ id }) => id.slice('list/anchor/'.length))).toEqual(BEYOND_SCHEMAS);
  });

  const witness = noteSigner('witness.example/w', 'witness').vkey;
  const logged = (more: object) => ({ root: ed25519, log: 'registry.example/log', quorum: 1, ...more });

  it.each<[string, unknown]>([
    ['has no root', {}],
    ['has the unknown member "kty"', ed25519],
    ['root has the unknown member "use"', { root: { ...ed25519, use: 'sig' } }],
    ['sources[1] is "a.example"', { root: ed25519, sources: ['https://a.example', 'a.example'] }],
    [`sources[0] is "ftp:${'x'.repeat(76)}..."`, { root: ed25519, sources: [`ftp:${'x'.repeat(200)}`] }],
    ['log is "?/log"', { root: ed25519, log: '\u0430/log' }],
    ['witnesses[1] is 7', logged({ witnesses: [witness, 7] })],
    ['witnesses[0] is "registry', logged({ witnesses: [noteSigner('registry.example/log', 'log').vkey] })],
    ['has the unknown member "__proto__"', JSON.parse(`{"root":${JSON.stringify(ed25519)},"__proto__":{}}`)],
    ['has the unknown member "?\\n"', { root: ed25519, '\u202e\n': 1 }],
  ])('is refused with the path of the fault: %s', (path, anchor) => {
    expect(() => assertTrustAnchor(anchor)).toThrow(
      expect.objectContaining({ code: 'ERR_TRUST_ANCHOR_INVALID' }),
    );
    expect(() => assertTrustAnchor(anchor)).toThrow(path);
  });

  it('has no holes among its sources', () => {
    const sources = ['https://a.example'];
    sources[2] = 'https://b.example';
    expect(() => assertTrustAnchor({ root: ed25519, sources })).toThrow('sources[1] is missing');
    expect(() => assertTrustAnchor({ root: ed25519, sources: new Array(2) })).toThrow(
      'sources[0] is missing',
    );
  });

  it('takes no member from a prototype', () => {
    expect(() => assertTrustAnchor(Object.create({ root: ed25519 }))).toThrow('has no root');
  });
});

describe('a client with a trust anchor', () => {
  async function ask(options: AnchoredClientOptions): Promise<string> {
    return codeOf(async () => {
      const client = createRegistryClient(options);
      await client.ready().finally(() => client.close());
    });
  }

  it('reads its sources and its root key', async () => {
    const host = await registryHost(plain);
    const client = createRegistryClient({ trustAnchor: anchorOf({ sources: [host.base] }) });
    await client.ready();
    expect(client.resolve('a')?.issuer_id).toBe('a');
    client.close();
  });

  it('reads other sources if they are given', async () => {
    const host = await registryHost(plain);
    const trustAnchor = anchorOf({ sources: ['http://127.0.0.1:1'] });
    expect(await ask({ trustAnchor, sources: [host.base] })).toBe('accepted');
    expect(host.log.length).toBeGreaterThan(0);
  });

  it.each<[string, string, (anchor: TrustAnchor) => object]>([
    [
      'ERR_OPTIONS_INVALID',
      'a root key besides',
      (anchor) => ({ trustAnchor: anchor, rootKey: anchor.root }),
    ],
    ['ERR_OPTIONS_INVALID', 'no sources', (anchor) => ({ trustAnchor: { root: anchor.root } })],
    [
      'ERR_OPTIONS_INVALID',
      'sources that are not URLs',
      (anchor) => ({ trustAnchor: anchor, sources: ['dist'] }),
    ],
    ['ERR_OPTIONS_INVALID', 'a path', () => ({ trustAnchor: 'trust-anchor.json' })],
    ['ERR_OPTIONS_INVALID', 'null', () => ({ trustAnchor: null })],
    ['ERR_TRUST_ANCHOR_INVALID', 'a quorum', (anchor) => ({ trustAnchor: { ...anchor, quorum: 2 } })],
  ])('%s: %s', async (code, _name, options) => {
    const anchor = anchorOf({ sources: ['https://registry.example'] });
    expect(await codeOf(() => createRegistryClient(options(anchor) as never).close())).toBe(code);
  });
});

describe('an offline copy with a trust anchor', () => {
  const files = (tree: Files) => copyIn(tree);
  const open = (tree: Files, options: object) =>
    codeOf(() => openRegistry(files(tree), { maxAge: 3600, ...options } as never));

  it.each<[string, (anchor: TrustAnchor) => object]>([
    ['ERR_OPTIONS_INVALID', () => ({})],
    ['ERR_OPTIONS_INVALID', (anchor) => ({ trustAnchor: anchor, rootKey: anchor.root })],
    ['ERR_OPTIONS_INVALID', () => ({ trustAnchor: 'dist' })],
    ['ERR_TRUST_ANCHOR_INVALID', (anchor) => ({ trustAnchor: { ...anchor, log: 'a' } })],
    ['ERR_NOT_LOGGED', (anchor) => ({ trustAnchor: { ...anchor, log: 'a/log' } })],
  ])('%s', async (code, options) => {
    expect(await open(plain, options(anchorOf()))).toBe(code);
  });

  it('may be a folder', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, Object.fromEntries(checkpointed));
    const registry = await openPath(folder, {
      trustAnchor: anchorOf(),
      maxAge: 3600,
    });
    expect(registry.resolve('a')?.issuer_id).toBe('a');
  });
});

describe('a client that has pinned the root key of another registry', () => {
  it('learns which root key the publication names', async () => {
    const { base } = await registryHost(checkpointed);
    const client = createRegistryClient({ sources: [base], rootKey: other.rootKey.jwk });
    const error = await client.ready().catch((thrown: NoUsableSource) => thrown.errors[base]);
    client.close();
    expect(error).toMatchObject({ code: 'ERR_PUBLICATION_INVALID' });
    const { message } = error as Error;
    expect(message).toContain(root.rootKey.thumbprint);
    expect(message).toContain(`the root key is ${other.rootKey.thumbprint}`);
  });
});
