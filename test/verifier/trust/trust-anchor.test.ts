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
import { beforeAll, describe, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { noteSigner } from '../../support/note-keys.js';
import { ROOT } from '../../support/paths.js';
import {
  type Files,
  issuer,
  publish,
  rotationStep,
  type TestKey,
  testKey,
  withCheckpoint,
  withRotation,
} from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { ED25519_JWK as ed25519, P256_JWK as p256 } from '../../support/rfc-keys.js';
import { copyIn } from '../../support/sources.js';
import { publishSummed } from '../../support/summed-registry.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

/** Thumbprints of no particular keys. */
const THUMBPRINTS = ['A', 'E', 'I', 'M'].map((last) => `${'A'.repeat(42)}${last}`);

let root: TestKey;
let other: TestKey;
let plain: Files;
let checkpointed: Files;
let stated: Files;
beforeAll(async () => {
  [root, other] = [await testKey(), await testKey('p256')];
  plain = publish(root, [issuer('a')]);
  stated = await publishSummed(root, [issuer('a')]);
  checkpointed = await withCheckpoint(plain, root, await testKey());
});

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
  const thumbprint = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
  const longest = `https://a.example/${'x'.repeat(2048 - 'https://a.example/'.length)}`;

  const vkeys = [1, 2, 3].map((number) => noteSigner(`witness.example/w${number}`, 'witness').vkey);
  const many = Array.from({ length: 32 }, (_one, at) => noteSigner(`witness.example/m${at}`, 'witness').vkey);
  const logVkey = noteSigner('registry.example/log', 'log').vkey;
  const logged = (more: object) => ({
    ...{ root: ed25519, log: 'registry.example/log', witnesses: vkeys, quorum: 2 },
    ...more,
  });

  it.each<[unknown, RegExp | true]>([
    [{ root: ed25519 }, true],
    [{ root: { ...ed25519, kid: thumbprint, y: null } }, true],
    [{ root: p256, sources: ['https://a.example', 'http://[::1]:8080/registry/'] }, true],
    [{ root: ed25519, sources: [longest] }, true],
    [{ root: ed25519, sources: [] }, /^sources has 0 items/],
    [{}, /has no root/],
    [{ sources: ['https://a.example'] }, /has no root/],
    [ed25519, /has the unknown member "kty"/],
    [{ root: null }, /^root is not a JSON object/],
    [{ root: [ed25519] }, /^root is not a JSON object/],
    [{ root: { ...ed25519, d: 'x' } }, /^root has a private member/],
    [{ root: { ...p256, d: null } }, /^root has the unknown member "d"/],
    [{ root: { ...ed25519, kty: 'RSA' } }, /^root is neither/],
    [{ root: { ...ed25519, y: p256.y } }, /^root is an Ed25519 key with a y/],
    [{ root: { kty: 'EC', crv: 'P-256', x: p256.x } }, /^root has no y of 32 bytes/],
    [{ root: { ...ed25519, use: 'sig' } }, /^root has the unknown member "use"/],
    [{ root: { ...ed25519, kid: 7 } }, /^root has a kid that is not/],
    [{ root: ed25519, sources: 'https://a.example' }, /^sources is "https:\/\/a.example"/],
    [{ root: ed25519, sources: null }, /^sources is null/],
    [{ root: ed25519, sources: ['https://a.example', 'a.example'] }, /^sources\[1\] is "a.example"/],
    [{ root: ed25519, sources: ['https://u:p@a.example'] }, /^sources\[0\]/],
    [{ root: ed25519, sources: ['https://a.example?q'] }, /^sources\[0\]/],
    [{ root: ed25519, sources: ['https://a.example/#f'] }, /^sources\[0\]/],
    [{ root: ed25519, sources: ['file:///a'] }, /^sources\[0\]/],
    [{ root: ed25519, sources: ['https://a.example\n'] }, /^sources\[0\]/],
    [{ root: ed25519, sources: [`${longest}x`] }, /^sources\[0\] is ".{80}\.\.\.":/],
    [{ root: ed25519, sources: ['https://a.example', 'https://a.example'] }, /^sources\[1\] repeats/],
    [{ root: ed25519, sources: [7] }, /^sources\[0\] is 7/],
    [{ root: ed25519, checkpoint: 'required' }, /has the unknown member "checkpoint"/],
    [{ root: ed25519, next_roots: THUMBPRINTS.slice(0, 1) }, true],
    [{ root: ed25519, next_roots: THUMBPRINTS.slice(0, 3) }, true],
    [{ root: ed25519, next_roots: [] }, /^next_roots has 0 items/],
    [{ root: ed25519, next_roots: THUMBPRINTS }, /^next_roots has 4 items/],
    [{ root: ed25519, next_roots: [THUMBPRINTS[0], THUMBPRINTS[0]] }, /^next_roots\[1\] repeats/],
    [{ root: ed25519, next_roots: THUMBPRINTS[0] }, /^next_roots is "/],
    [{ root: ed25519, next_roots: null }, /^next_roots is null/],
    [{ root: ed25519, next_roots: [THUMBPRINTS[0]?.slice(1)] }, /^next_roots\[0\] is "/],
    [{ root: ed25519, next_roots: [`${THUMBPRINTS[0]}=`] }, /^next_roots\[0\] is "/],
    [{ root: ed25519, next_roots: [`${'A'.repeat(42)}B`] }, /^next_roots\[0\] is "A{42}B"/],
    [{ root: ed25519, next_roots: [ed25519] }, /^next_roots\[0\] is an object/],
    [{ root: ed25519, log: 'registry.example/log' }, true],
    [{ root: ed25519, log: 'registry.example:8080/a/b~c/log' }, true],
    [{ root: ed25519, log: '[::1]:8080/log' }, true],
    [{ root: ed25519, log: `${'a'.repeat(251)}/log` }, true],
    [{ root: ed25519, log: `${'a'.repeat(252)}/log` }, /^log is "a{80}\.\.\.": see schemas/],
    [{ root: ed25519, log: 'https://registry.example/log' }, /^log is "https:/],
    [{ root: ed25519, log: 'registry.example' }, /^log is /],
    [{ root: ed25519, log: 'registry.example/log/' }, /^log is /],
    [{ root: ed25519, log: 'registry.example/log\n' }, /^log is /],
    [{ root: ed25519, log: 'registry.example//log' }, /^log is /],
    [{ root: ed25519, log: 'a b/log' }, /^log is /],
    [{ root: ed25519, log: 'a+b/log' }, /^log is /],
    [{ root: ed25519, log: '\u0430/log' }, /^log is "\?\/log"/],
    [{ root: ed25519, log: '' }, /^log is ""/],
    [{ root: ed25519, log: null }, /^log is null/],
    [{ root: ed25519, log: ['registry.example/log'] }, /^log\[0\]/],
    [logged({}), true],
    [logged({ witnesses: vkeys.slice(0, 2) }), true],
    [logged({ quorum: 1 }), true],
    [logged({ quorum: 0 }), /^quorum is 0/],
    [logged({ quorum: 33 }), /^quorum is 33/],
    [logged({ quorum: 1.5 }), /^quorum is 1\.5/],
    [logged({ quorum: -1 }), /^quorum is -1/],
    [logged({ quorum: '2' }), /^quorum is "2"/],
    [logged({ quorum: null }), /^quorum is null/],
    [logged({ witnesses: [] }), /^witnesses has 0 items/],
    [logged({ witnesses: many }), true],
    [logged({ witnesses: [...many, vkeys[0]] }), /^witnesses/],
    [logged({ witnesses: vkeys[0] }), /^witnesses is "witness/],
    [logged({ witnesses: null }), /^witnesses is null/],
    [logged({ witnesses: [...vkeys, 7] }), /^witnesses\[3\] is 7/],
    [logged({ witnesses: [...vkeys, vkeys[1]] }), /^witnesses\[3\] repeats "witness\.example\/w2\+/],
    [logged({ witnesses: [...vkeys, logVkey] }), /^witnesses\[3\] is "registry/],
    [logged({ witnesses: [...vkeys, `${vkeys[0]}\n`] }), /^witnesses\[3\] is "witness/],
    [logged({ witnesses: [...vkeys, `a b+${vkeys[0]}`] }), /^witnesses\[3\] is "a b/],
    [logged({ witnesses: [...vkeys, `\u00e9${vkeys[0]}`] }), /^witnesses\[3\] is "\?witness/],
    [{ root: ed25519, Checkpoint: 'required' }, /has the unknown member "Checkpoint"/],
    [{ root: ed25519, rootKey: ed25519 }, /has the unknown member "rootKey"/],
    [JSON.parse(`{"root":${JSON.stringify(ed25519)},"__proto__":{}}`), /has the unknown member "__proto__"/],
    [{ root: ed25519, constructor: 1 }, /has the unknown member "constructor"/],
    [{ root: ed25519, '\u202e\n': 1 }, /has the unknown member "\?\\n"/],
    [[], /^the trust anchor is /],
    [null, /^the trust anchor is /],
    ['https://a.example', /^the trust anchor is /],
  ])('%j', (anchor, expected) => {
    let message: string | true = true;
    try {
      assertTrustAnchor(anchor);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_TRUST_ANCHOR_INVALID' });
      ({ message } = error as Error);
    }
    if (expected === true) expect(message).toBe(true);
    else expect(message).toMatch(expected);
    expect(ajv.validate('trust-anchor.schema.json', anchor)).toBe(message === true);
  });

  it('cannot let its root key follow itself, with or without kid', () => {
    const { jwk, thumbprint } = root.rootKey;
    const { kid: _kid, ...unnamed } = jwk;
    for (const anchored of [jwk, unnamed, { ...unnamed, y: null }]) {
      const check = () => assertTrustAnchor({ root: anchored, next_roots: [THUMBPRINTS[0], thumbprint] });
      expect(check).toThrow(expect.objectContaining({ code: 'ERR_TRUST_ANCHOR_INVALID' }));
      expect(check).toThrow(/^next_roots /);
    }
  });

  it.each<[string, object, string]>([
    ['witnesses without a quorum', { quorum: undefined }, 'witnesses and quorum need each other'],
    ['a quorum without witnesses', { witnesses: undefined }, 'witnesses and quorum need each other'],
    ['witnesses without a log', { log: undefined }, 'witnesses and quorum need each other, and log'],
    ['a quorum above the number of witnesses', { quorum: 4 }, 'quorum is 4, but there are only 3 witnesses'],
    [
      'the id of another witness',
      { witnesses: [vkeys[0]?.replace('w1', 'w4')], quorum: 1 },
      'witnesses[0] has an id that does not belong to its name and key',
    ],
  ])('says what contradicts: %s', (_name, more, message) => {
    const present = Object.entries(logged(more)).filter(([, value]) => value !== undefined);
    const check = () => assertTrustAnchor(Object.fromEntries(present));
    expect(check).toThrow(expect.objectContaining({ code: 'ERR_TRUST_ANCHOR_INVALID' }));
    expect(check).toThrow(message);
  });

  it.each([
    ['https://a.example', 'https://a.example/'],
    ['https://a.example/x/', 'https://a.example/x'],
    ['https://a.example', 'https://A.example'],
    ['https://a.example:443', 'https://a.example'],
    ['https://a.example/x', 'https://a.example/y/../x'],
  ])('names no source twice: %s and %s', (first, second) => {
    const sources = ['https://b.example', first, second];
    expect(() => assertTrustAnchor({ root: ed25519, sources })).toThrow(/^sources\[2\] repeats /);
    for (const one of [first, second])
      expect(assertTrustAnchor({ root: ed25519, sources: [one] })).toBe(undefined);
    const others = [
      'https://a.example/x',
      'https://a.example/X',
      'http://a.example/x',
      'https://a.example//x',
    ];
    expect(assertTrustAnchor({ root: ed25519, sources: others })).toBe(undefined);
  });

  it.each(['https://a.example:65536', 'https://[x]', 'http://1.2.3.256', 'https://:80', 'https://xn--a'])(
    'names no source that no client can ask: %s',
    (source) => {
      const check = () => assertTrustAnchor({ root: ed25519, sources: ['https://a.example:65535', source] });
      expect(check).toThrow(expect.objectContaining({ code: 'ERR_TRUST_ANCHOR_INVALID' }));
      expect(check).toThrow(`sources[1] is "${source}", which is no URL`);
    },
  );

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

  it('accepts a list only if it is logged, with the quorum of witnesses that the trust anchor demands', async () => {
    const registry = new LoggedRegistry(root);
    await registry.publish();
    const logged = (count: number) => registry.prove({ cosigned: registry.cosigning(count) });
    const ofTree = async (tree: Files, more: Partial<TrustAnchor>) => {
      const { base } = await registryHost(tree);
      return ask({ trustAnchor: anchorOf({ sources: [base], ...more }) });
    };
    const name = registry.log.origin;
    const pinned = (quorum: number) => ({
      ...{ log: name, quorum },
      witnesses: registry.witnesses.map(({ vkey }) => vkey),
    });
    expect(await ofTree(plain, { log: name })).toBe('ERR_NOT_LOGGED');
    expect(await ofTree(stated, { log: name })).toBe('ERR_NOT_LOGGED');
    expect(await ofTree(await logged(0), { log: name })).toBe('accepted');
    expect(await ofTree(await logged(0), { log: 'other.example/log' })).toBe('ERR_NOT_LOGGED');
    expect(await ofTree(await logged(0), {})).toBe('accepted');
    for (const quorum of [1, 2, 3]) {
      expect(await ofTree(await logged(quorum), pinned(quorum))).toBe('accepted');
      expect(await ofTree(await logged(quorum - 1), pinned(quorum))).toBe('ERR_TOO_FEW_COSIGNATURES');
    }
    const stranger = noteSigner('one.example', 'witness').vkey;
    expect(await ofTree(await logged(3), { ...pinned(1), witnesses: [stranger] })).toBe(
      'ERR_TOO_FEW_COSIGNATURES',
    );
  });

  it('follows a rotation from the root key of the trust anchor', async () => {
    const rotated = withRotation(publish(other, [issuer('a')]), [await rotationStep(root, other)]);
    const { base } = await registryHost(rotated);
    expect(await ask({ trustAnchor: anchorOf({ sources: [base] }) })).toBe('accepted');
  });

  it.each<[string, string, (anchor: TrustAnchor) => object]>([
    [
      'ERR_OPTIONS_INVALID',
      'a root key besides',
      (anchor) => ({ trustAnchor: anchor, rootKey: anchor.root }),
    ],
    ['ERR_OPTIONS_INVALID', 'no sources', (anchor) => ({ trustAnchor: { root: anchor.root } })],
    [
      'ERR_TRUST_ANCHOR_INVALID',
      'an empty array of sources',
      (anchor) => ({ trustAnchor: { ...anchor, sources: [] } }),
    ],
    [
      'ERR_OPTIONS_INVALID',
      'sources that are not URLs',
      (anchor) => ({ trustAnchor: anchor, sources: ['dist'] }),
    ],
    ['ERR_OPTIONS_INVALID', 'a path', () => ({ trustAnchor: 'trust-anchor.json' })],
    ['ERR_OPTIONS_INVALID', 'null', () => ({ trustAnchor: null })],
    ['ERR_OPTIONS_INVALID', 'an array', (anchor) => ({ trustAnchor: [anchor] })],
    ['ERR_TRUST_ANCHOR_INVALID', 'a JWK', (anchor) => ({ trustAnchor: anchor.root })],
    ['ERR_TRUST_ANCHOR_INVALID', 'a quorum', (anchor) => ({ trustAnchor: { ...anchor, quorum: 2 } })],
    [
      'ERR_TRUST_ANCHOR_INVALID',
      'a host that no URL parser accepts',
      (anchor) => ({ trustAnchor: { ...anchor, sources: ['https://a b'] } }),
    ],
  ])('%s: %s', async (code, _name, options) => {
    const anchor = anchorOf({ sources: ['https://registry.example'] });
    expect(await codeOf(() => createRegistryClient(options(anchor) as never).close())).toBe(code);
  });

  it('an invalid URL that the pattern accepts is refused at once', async () => {
    const trustAnchor = anchorOf({ sources: ['https://[::zz]/'] });
    expect(await codeOf(() => createRegistryClient({ trustAnchor }).close())).toBe(
      'ERR_TRUST_ANCHOR_INVALID',
    );
  });

  it('refuses a kid that is not the thumbprint', async () => {
    const { base } = await registryHost(plain);
    const trustAnchor = { root: { ...root.rootKey.jwk, kid: other.rootKey.thumbprint }, sources: [base] };
    expect(await ask({ trustAnchor })).toBe('ERR_TRUST_ANCHOR_INVALID');
    expect(() => assertTrustAnchor(trustAnchor)).toThrow(root.rootKey.thumbprint);
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
    ['ERR_TRUST_ANCHOR_INVALID', (anchor) => ({ trustAnchor: { ...anchor, next_roots: [] } })],
    ['ERR_NOT_LOGGED', (anchor) => ({ trustAnchor: { ...anchor, log: 'a/log' } })],
    ['ERR_TRUST_ANCHOR_INVALID', (anchor) => ({ trustAnchor: { root: { ...anchor.root, d: 'x' } } })],
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
