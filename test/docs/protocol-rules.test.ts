import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, type NoUsableSource, type RootKey } from '@passport-registry/verifier';
import { canonicalBytes, LIMITS, MAX_JSON_DEPTH, parseStrictJson } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { protocol, rows, section } from '../support/protocol.js';
import {
  checkpoint,
  type Files,
  publish,
  publishBytes,
  rotationStep,
  sha256,
  stated,
  statement,
  type TestKey,
  testKey,
  withRotation,
} from '../support/publication.js';
import { together } from '../support/statements.js';

const source = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('docs/protocol.md and its parts', () => {
  it('numbers no section, and refers to none by a number', () => {
    expect([...protocol.matchAll(/^#+ \d+\..*$/gm)].map(([heading]) => heading)).toEqual([]);
    // "RFC 8032, section 7.1" refers to another document.
    const own = [...protocol.matchAll(/(RFC \d+(?:\)|,)\s(?:\()?)?\bsections?\s(\d+)\b/g)].filter(
      ([, rfc]) => rfc === undefined,
    );
    expect(own.map(([found]) => found)).toEqual([]);
  });

  it('has the same number of cells in every row of a table', () => {
    for (const block of protocol.split(/\n(?!\|)/).filter((text) => text.startsWith('|'))) {
      const widths = block.split('\n').map((line) => line.replaceAll('\\|', '').split('|').length);
      expect(new Set(widths).size, block.slice(0, 80)).toBe(1);
    }
  });

  it('states the limits of the code', () => {
    const limits = section('Sizes and numbers') + section('The other limits');
    const table = rows('Sizes and numbers', 'The other limits').filter(([name = '']) => /^`\w+`$/.test(name));
    const documented = table.map(([name = '', bytes = '']) => [
      name.slice(1, -1),
      Number(bytes.replaceAll(',', '')),
    ]);
    expect(Object.fromEntries(documented)).toEqual(LIMITS);
    expect(limits).toContain(`| depth of JSON | ${MAX_JSON_DEPTH} |`);
    const constants = {
      'verifier/src/core/limits.ts': 'MAX_ROTATION_STEPS = 64',
      'verifier/src/core/statements/online-keys.ts': 'MAX_ONLINE_KEYS = 16',
      'passports/src/documents/issuer-documents.ts': 'MAX_ISSUER_KEYS = 100',
      'verifier/src/core/sums/sums-file.ts': 'MAX_LEVELS = 8',
      'verifier/src/core/log/signed-note.ts': 'MAX_SIGNATURES = 100',
      'verifier/src/core/log/tlog-proof.ts': '{43}=\\n){0,63}',
      'verifier/src/core/audit/sums-levels.ts': 'MAX_AVERAGE = 64',
      'passports/src/passport/mandate.ts': 'MAX_SCOPES = 256',
      'passports/src/passport/scope.ts': 'MAX_LENGTH = 256',
      'generator/verification/ask-host.ts': 'TIMEOUT_MS = 30_000',
    };
    for (const [path, constant] of Object.entries(constants)) expect(source(path)).toContain(constant);
    expect(source('verifier/src/core/statements/checkpoint.ts')).toContain('MAX_HELD_ISSUERS = 64');
    expect(limits).toContain('| issuers on hold | 64,');
  });

  it('lists every error code of the verifier once, and no others', () => {
    const codesIn = (path: string) =>
      [...source(path).matchAll(/^ {2}\| '(ERR_[A-Z_]+)'/gm)].map(([, code]) => code ?? '');
    const codes = codesIn('verifier/src/core/errors.ts');
    const ofPassports = codesIn('passports/src/errors.ts');
    const table = rows('The steps and their codes', 'Other codes').flatMap(
      ([, code = '']) => /^`(ERR_[A-Z_]+)`$/.exec(code)?.[1] ?? [],
    );
    // docs/verifiers/errors.md has those that no other implementation needs.
    const own = source('docs/verifiers/errors.md');
    const ofLibrary = codes.filter((code) => !table.includes(code));
    expect([...ofLibrary, ...ofPassports].filter((code) => !own.includes(`\`${code}\``))).toEqual([]);
    expect([ofLibrary.length, ofPassports.length]).toEqual([2, 4]);
    expect(table.toSorted()).toEqual(codes.filter((code) => !ofLibrary.includes(code)).sort());
    // The command line has its own codes, and so have the checks of an auditor.
    const others = ['ERR_KEY_REJECTED', 'ERR_IO_FAILED'];
    const named = [...protocol.matchAll(/ERR_(?!AUDIT_)[A-Z_]+/g)].map(([code]) => code);
    expect(named.filter((code) => !codes.includes(code) && !others.includes(code))).toEqual([]);
    expect(source('generator/errors.ts')).toMatch(/'ERR_KEY_REJECTED';\n {2}readonly exitCode = 3;/);
  });

  it('states the rule for the number of levels', () => {
    const levels = source('verifier/src/core/audit/sums-levels.ts');
    for (const text of ['MAX_AVERAGE = 64;', 'MIN_AVERAGE = 16;', 'MAX_LEAF_BYTES = 64 * 1024;'])
      expect(levels).toContain(text);
    for (const text of ['is above 64,', 'than 65,536 bytes', 'is at most 16,', 'up to 8 levels'])
      expect(section('The tree of sums')).toContain(text);
    const code = source('verifier/src/core/statements/publication-statement.ts');
    const claims = [...code.matchAll(/const \{ ([^}]*) \} = claims;/g)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    const [, below = ''] = section('The statements').split('### The publication statement\n');
    const table = (below.split('\n### ')[0] ?? '').matchAll(/^\| (`.*?) \| /gm);
    const stated = [...table].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(stated.filter((name) => name !== 'iat').sort()).toEqual(claims.sort());
  });

  it('lists the error codes after which a client retries', () => {
    const [, list = ''] = /TRANSIENT[^=]*= \[([^\]]*)\]/.exec(source('verifier/src/client/retries.ts')) ?? [];
    const transient = list.match(/ERR_[A-Z_]+/g) ?? [];
    const [, text = ''] =
      /\*\*Retries\.\*\* After ([^,]*),/.exec(section('Several sources, and requests')) ?? [];
    expect((text.match(/ERR_[A-Z_]+/g) ?? []).sort()).toEqual([...transient].sort());
  });

  it('has the table of non-public hosts', () => {
    const code = source('verifier/src/http/public-address.ts');
    const blocks = [...code.matchAll(/^ {2}(\S+\/\d+) /gm)].map(([, block]) => block ?? '');
    const lists = [...code.matchAll(/_NAMES = \[(.*?)\];/g)].map(([, list]) => list).join();
    const names = [...lists.matchAll(/'([a-z0-9]+)'/g)].map(([, name]) => name ?? '');
    const ticked = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, one]) => one ?? '');
    const addresses = rows('Which hosts are public').flatMap(([first = '']) =>
      ticked(first).filter((one) => one.includes('/')),
    );
    const labels = rows('Which hosts are public').flatMap(([first = '']) =>
      first.startsWith('a name whose last label') ? ticked(first) : [],
    );
    expect(blocks.length).toBeGreaterThan(15);
    expect(names.length).toBeGreaterThan(10);
    expect(addresses.sort()).toEqual(blocks.sort());
    expect(labels.sort()).toEqual(names.sort());
  });

  it('lists the host configuration, the content types and the reserved names of the generator', () => {
    const paths = source('generator/tree/paths.ts');
    const pathOf = (key: string) => new RegExp(`${key}: '([^']+)'`).exec(paths)?.[1] ?? key;
    const kinds = source('generator/tree/files.ts').matchAll(/path: (?:'([^']+)'|PATHS\.(\w+)), isHostFile/g);
    const names = [...kinds].map(([, name, key = '']) => name ?? pathOf(key));
    expect(names).toHaveLength(9);
    for (const name of names) expect(section('Files beyond the table')).toContain(`\`${name}\``);
    const [, reserved = ''] = /RESERVED = \[(.*?)\]/.exec(source('generator/review/reserved-names.ts')) ?? [];
    for (const [, name] of reserved.matchAll(/'([^']+)'/g))
      expect(section('Rules for publications')).toContain(`\`${name}\``);
    const [, rules = ''] =
      /OVERRIDABLE.*?\[(.*?)\];/s.exec(source('generator/review/forbidden-changes.ts')) ?? [];
    for (const [, rule] of rules.matchAll(/'([^']+)'/g))
      expect(section('Rules for publications')).toContain(`\`${rule}\``);
  });

  it('states the defaults of the options for times', () => {
    const client = source('verifier/src/client/client-options.ts');
    for (const text of [
      'options.grace, 60 * 60_000)',
      'options.clockTolerance, CLOCK_TOLERANCE_MS)',
      'options.timeout, 15_000)',
    ])
      expect(client).toContain(text);
    const passports = source('passports/src/verification/options.ts');
    for (const text of [
      'options.clockTolerance, 30_000)',
      'options.statusMaxAge, 30_000)',
      'options.metadataMaxAge, 300_000)',
      'options.grace, 0)',
      'options.cooldown, 10_000)',
      'options.timeout, 5000)',
    ])
      expect(passports).toContain(text);
    expect(source('verifier/src/client/open-registry.ts')).toContain(
      'options.clockTolerance, CLOCK_TOLERANCE_MS)',
    );
    expect(source('passports/src/passport/action-proof.ts')).toContain('MAX_ACTION_SECONDS = 60');
    expect(source('verifier/src/core/bytes/clock.ts')).toMatch(
      /CLOCK_TOLERANCE_MS = 5 \* 60 \* 1000;[\s\S]*COSIGNATURE_AGE_MS = 30 \* DAY_MS;/,
    );
  });

  it('states how strict JSON is, on both sides of each limit', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parseStrictJson(nested(500))).not.toThrow();
    expect(() => parseStrictJson(nested(501))).toThrow(SyntaxError);
    expect(() => canonicalBytes(JSON.parse(nested(500)))).not.toThrow();
    expect(() => canonicalBytes(JSON.parse(nested(501)))).toThrow(/nesting deeper than 500/);
    expect(() => parseStrictJson('{"a":9007199254740991,"b":-0.5}')).not.toThrow();
    for (const bad of ['9007199254740992', '1e400', '{"a":1,"\\u0061":2}', '\uFEFF{}']) {
      expect(() => parseStrictJson(bad), bad).toThrow(SyntaxError);
    }
  });
});

/** 2026-11-21T08:00:00Z. */
const MADE = 1795248000;
const UPDATED_AT = '2026-11-21T08:00:00Z';
const T = 300;
const DAY = 24 * 60 * 60;

/** The verdict of a client on files: `accepted`, or the error code. @param now - in seconds since 1970 */
async function verdict(files: Files, root: RootKey, now: number): Promise<string> {
  const base = 'https://registry.example/';
  const whole = together(files);
  const client = createRegistryClient({
    sources: [base],
    rootKey: root.jwk,
    now: () => now * 1000,
    fetch: async (input) => {
      const bytes = whole.get(String(input).slice(base.length).replace(/\?.*/, ''));
      return bytes === undefined ? new Response(null, { status: 404 }) : new Response(new Uint8Array(bytes));
    },
  });
  try {
    await client.ready();
    return 'accepted';
  } catch (error) {
    return (error as NoUsableSource).errors[base]?.code ?? (error as NoUsableSource).code;
  } finally {
    client.close();
  }
}

/** Signs publication and checkpoint of a tree at `MADE`, or with other claims. */
async function dated(
  files: Files,
  key: TestKey,
  { claims = {}, seal = {}, signer = key }: { claims?: object; seal?: object; signer?: TestKey } = {},
): Promise<Files> {
  const named = stated(files, key, { iat: MADE, ...claims });
  const times = { iat: MADE, exp: MADE + 30 * DAY, ...seal };
  return named.set('checkpoint.jwt', Buffer.from(await checkpoint(named, signer, times)));
}

describe('the clocks (rule clocks)', () => {
  const MS = 0.001;
  const states = (row: string) =>
    expect(rows('The clocks', 'The other clocks').map(([name]) => name)).toContain(row);

  it('updated_at in the future', async () => {
    states('`updated_at` of the list');
    const key = await testKey();
    const early = { claims: { iat: MADE - DAY }, seal: { iat: MADE - DAY } };
    const files = await dated(publish(key, [], UPDATED_AT), key, early);
    expect(await verdict(files, key.rootKey, MADE - T)).toBe('accepted');
    expect(await verdict(files, key.rootKey, MADE - T - MS)).toBe('ERR_NOT_YET_VALID');
  });

  it('iat and nbf of a publication and of a checkpoint', async () => {
    states('`iat` and `nbf` of a statement');
    const key = await testKey();
    const list = publish(key, [], '2026-11-01T08:00:00Z');
    for (const [times, since] of [
      [{ claims: { iat: MADE } }, MADE],
      [{ claims: { nbf: MADE + 1000 } }, MADE + 1000],
      [{ seal: { iat: MADE } }, MADE],
      [{ seal: { nbf: MADE + 1000 } }, MADE + 1000],
    ] as const) {
      const { claims, seal } = { claims: {}, seal: {}, ...times };
      const early = { iat: MADE - DAY };
      const files = await dated(list, key, {
        claims: { ...early, ...claims },
        seal: { ...early, exp: MADE + DAY, ...seal },
      });
      expect(await verdict(files, key.rootKey, since - T)).toBe('accepted');
      expect(await verdict(files, key.rootKey, since - T - MS)).toBe('ERR_NOT_YET_VALID');
    }
  });

  it('exp of a checkpoint, and none of a publication', async () => {
    states('`exp` of a checkpoint');
    const key = await testKey();
    const list = publish(key, [], UPDATED_AT);
    const files = await dated(list, key, { seal: { exp: MADE + 100 } });
    expect(await verdict(files, key.rootKey, MADE + 100 + T - MS)).toBe('accepted');
    expect(await verdict(files, key.rootKey, MADE + 100 + T)).toBe('ERR_CHECKPOINT_EXPIRED');
    const over = await dated(list, key, { claims: { exp: MADE + 1 } });
    expect(await verdict(over, key.rootKey, MADE + 30 * DAY)).toBe('accepted');
  });

  it('lifetime of a checkpoint', async () => {
    states('lifetime of a checkpoint');
    const key = await testKey();
    const until = async (exp: number) =>
      verdict(await dated(publish(key, [], UPDATED_AT), key, { seal: { exp } }), key.rootKey, MADE);
    expect(await until(MADE + 31 * DAY)).toBe('accepted');
    expect(await until(MADE + 31 * DAY + 1)).toBe('ERR_CHECKPOINT_INVALID');
  });

  it('iat of a checkpoint by an online key', async () => {
    states('`iat` of a checkpoint by an online key');
    const [root, online] = [await testKey(), await testKey()];
    const named = { online: { keys: [online.rootKey.jwk], exp: MADE + 900, hold: false } };
    for (const [iat, expected] of [
      [MADE, 'accepted'],
      [MADE + 900, 'accepted'],
      [MADE + 901, 'ERR_CHECKPOINT_INVALID'],
    ] as const) {
      const options = { claims: named, seal: { iat }, signer: online };
      const files = await dated(publish(root, [], UPDATED_AT), root, options);
      expect(await verdict(files, root.rootKey, MADE + 1000), String(iat)).toBe(expected);
    }
  });

  it('a rotation step cannot be from the future, and does not expire', async () => {
    const [old, next] = [await testKey(), await testKey()];
    const claims = { iat: MADE, exp: MADE + 1, next_root: next.rootKey.jwk };
    const step = await statement(old, 'registry-root-rotation+jwt', claims);
    const early = { claims: { iat: MADE - DAY }, seal: { iat: MADE - DAY } };
    const files = withRotation(await dated(publish(next, [], '2026-11-01T08:00:00Z'), next, early), [step]);
    expect(await verdict(files, old.rootKey, MADE - T)).toBe('accepted');
    expect(await verdict(files, old.rootKey, MADE - T - MS)).toBe('ERR_NOT_YET_VALID');
    expect(await verdict(files, old.rootKey, MADE + 29 * DAY)).toBe('accepted');
  });
});

describe('which error code wins (rule error-codes)', () => {
  it('the code of the earlier step', async () => {
    const [root, other] = [await testKey(), await testKey()];
    const now = MADE + 1000;
    const at = (tree: Files) => verdict(tree, root.rootKey, now);
    const seal = async (signer: TestKey, tree: Files, times: object) =>
      Buffer.from(await checkpoint(tree, signer, { iat: MADE, exp: MADE + DAY, ...times }));

    // Adds faults from the last step to the first. Each new fault must win over all faults before.
    const files = await dated(publish(root, [], '2026-11-22T08:00:00Z'), root);
    const named = `lists/${sha256(files.get('issuers.json') as Buffer)}.json`;
    expect(await at(files)).toBe('ERR_NOT_YET_VALID');
    files.set('issuers.json', Buffer.from('{}')).set(named, Buffer.from('{}'));
    expect(await at(files)).toBe('ERR_PUBLICATION_MISMATCH');
    const another = publish(root, [], UPDATED_AT);
    files.set('checkpoint.jwt', await seal(root, another, {}));
    expect(await at(files)).toBe('ERR_CHECKPOINT_MISMATCH');
    files.set('checkpoint.jwt', await seal(root, another, { exp: MADE + 1 }));
    expect(await at(files)).toBe('ERR_CHECKPOINT_EXPIRED');
    files.set('checkpoint.jwt', await seal(other, another, { exp: MADE + 1 }));
    expect(await at(files)).toBe('ERR_CHECKPOINT_INVALID');
    files.set('publication.jwt', publish(other, [], UPDATED_AT).get('publication.jwt') as Buffer);
    expect(await at(files)).toBe('ERR_PUBLICATION_INVALID');
    const steps = withRotation(files, [await rotationStep(other, await testKey())]);
    expect(await at(steps)).toBe('ERR_ROTATION_GAP');
    expect(await at(withRotation(files, ['x']))).toBe('ERR_ROTATION_INVALID');
    expect(await at(new Map(files).set('statements.json', Buffer.from('[]')))).toBe('ERR_STATEMENTS_INVALID');
  });

  it('a rotation: first the format of every step, then step by step from the pinned key', async () => {
    const [old, root, next] = [await testKey(), await testKey(), await testKey()];
    const step = (from: typeof root, more: object) =>
      statement(from, 'registry-root-rotation+jwt', { iat: MADE, ...more });
    const good = { next_root: next.rootKey.jwk };
    const first = { next_root: root.rootKey.jwk };
    const at = async (...steps: Promise<string>[]) => {
      const files = await dated(publish(next, [], UPDATED_AT), next);
      return verdict(withRotation(files, await Promise.all(steps)), root.rootKey, MADE + 10);
    };
    expect(await at(step(old, first), step(root, good))).toBe('accepted');
    expect(await at(step(old, { next_root: 'unread' }), step(root, good))).toBe('accepted');
    expect(await at(step(old, { ...first, step: 2 }), step(root, good))).toBe('ERR_ROTATION_INVALID');
    expect(await at(step(root, good), step(old, { ...first, step: 1 }))).toBe('ERR_ROTATION_INVALID');
    expect(await at(step(root, { next_root: {}, iat: MADE + DAY }))).toBe('ERR_NOT_YET_VALID');
    expect(await at(step(root, { next_root: {} }))).toBe('ERR_ROTATION_INVALID');
    expect(await at(step(old, { next_root: {} }))).toBe('ERR_ROTATION_INVALID');
    expect(await at(step(old, good))).toBe('ERR_ROTATION_GAP');
    expect(await at(step(root, first))).toBe('ERR_ROTATION_LOOP');
    // The commitment comes after the loop, and next_roots come last.
    const third = await testKey();
    const committing = (next_roots: unknown) => step(root, { ...good, next_roots });
    const [named, unnamed] = [third.rootKey.thumbprint, 'A'.repeat(43)];
    const onwards = (next_roots: unknown) => step(next, { next_root: third.rootKey.jwk, next_roots });
    expect(await at(committing([named]))).toBe('accepted');
    expect(await at(committing([unnamed]), step(next, { ...first, next_roots: [] }))).toBe(
      'ERR_ROTATION_LOOP',
    );
    expect(await at(committing([unnamed]), onwards([]))).toBe('ERR_ROTATION_NOT_COMMITTED');
    expect(await at(committing([named]), onwards([]))).toBe('ERR_ROTATION_INVALID');
    expect(await at(committing([named]), onwards([root.rootKey.thumbprint]))).toBe('ERR_ROTATION_INVALID');
    // next_roots are no part of the form, so nobody reads those of a step before the pinned key.
    expect(await at(step(old, { ...first, next_roots: [] }), step(root, good))).toBe('accepted');
    // The chain is read from the pinned key on, so a key from before may appear again.
    const back = [step(next, first), step(root, good)];
    expect(await at(...back)).toBe('accepted');
  });

  it('a duplicate member in a list: the last one counts until the canonical form is compared', async () => {
    const root = await testKey();
    const at = async (text: string) =>
      verdict(await dated(publishBytes(root, text), root), root.rootKey, MADE + 10);
    const time = `"updated_at":"${UPDATED_AT}"`;
    expect(await at(`{"issuers":[],"updated_at":0,${time}}`)).toBe('ERR_LIST_NOT_CANONICAL');
    expect(await at(`{"issuers":[],${time},"updated_at":0}`)).toBe('ERR_LIST_NONCONFORMING');
  });

  it('a list that is missing is another one, and no client misses its signature', async () => {
    const root = await testKey();
    const files = await dated(publish(root, [], UPDATED_AT), root);
    const list = files.get('issuers.json') as Buffer;
    files.delete('issuers.sig');
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('accepted');
    for (const path of ['issuers.json', `lists/${sha256(list)}.json`]) files.delete(path);
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('ERR_PUBLICATION_MISMATCH');
  });

  it('a publication is accepted by its signature, whatever its kid', async () => {
    const [root, other] = [await testKey(), await testKey()];
    const named = { ...root, rootKey: { ...root.rootKey, thumbprint: other.rootKey.thumbprint } };
    const files = await dated(publish(root, [], UPDATED_AT), named, { signer: root });
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('accepted');
  });
});
