import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, type NoUsableSource, type RootKey } from '@passport-registry/verifier';
import { canonicalBytes, LIMITS, MAX_JSON_DEPTH, parseStrictJson } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { protocol, rows, section } from '../support/protocol.js';
import {
  checkpoint,
  delegation,
  type Files,
  publish,
  publishBytes,
  rotationStep,
  sha256,
  statement,
  testKey,
} from '../support/publication.js';
import { publishSummed } from '../support/summed-registry.js';

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
      'verifier/src/core/statements/delegation.ts': 'MAX_DELEGATED_KEYS = 16',
      'verifier/src/http/issuer-documents.ts': 'MAX_ISSUER_KEYS = 100',
      'verifier/src/core/sums/sums-file.ts': 'MAX_LEVELS = 8',
      'verifier/src/core/log/signed-note.ts': 'MAX_SIGNATURES = 100',
      'verifier/src/core/log/tlog-proof.ts': 'MAX_HASHES = 63',
      'verifier/src/core/audit/sums-levels.ts': 'MAX_AVERAGE = 64',
      'verifier/src/passport/mandate.ts': 'MAX_SCOPES = 256',
      'verifier/src/passport/scope.ts': 'MAX_LENGTH = 256',
      'generator/verification/ask-host.ts': 'TIMEOUT_MS = 30_000',
    };
    for (const [path, constant] of Object.entries(constants)) expect(source(path)).toContain(constant);
    expect(source('verifier/src/core/statements/checkpoint.ts')).toContain('MAX_HELD_ISSUERS = 64');
    expect(limits).toContain('| issuers on hold | 64,');
  });

  it('lists every error code of the verifier once, and no others', () => {
    const codes = [...source('verifier/src/core/errors.ts').matchAll(/^ {2}\| '(ERR_[A-Z_]+)'/gm)].map(
      ([, code]) => code ?? '',
    );
    const table = rows('The error codes', 'The codes').flatMap(
      ([, code = '']) => /^`(ERR_[A-Z_]+)`$/.exec(code)?.[1] ?? [],
    );
    expect(table.sort()).toEqual(codes.sort());
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
    for (const text of ['is above 64,', 'more than 65,536 bytes', 'is at most 16,', 'up to 8 levels'])
      expect(section('The tree of sums')).toContain(text);
    const claims = /const \{\s*(sequence[^}]*?),?\s*\} =\s+claims;/.exec(
      source('verifier/src/core/statements/publication-statement.ts'),
    )?.[1];
    const stated = rows('The publication statement').flatMap(
      ([name = '']) => /^`(\w+)`$/.exec(name)?.[1] ?? [],
    );
    expect(stated.filter((name) => !['iat', 'exp'].includes(name)).sort()).toEqual(
      claims?.split(/,\s*/).sort(),
    );
  });

  it('lists the error codes after which a client retries', () => {
    const [, list = ''] = /TRANSIENT[^=]*= \[([^\]]*)\]/.exec(source('verifier/src/client/retries.ts')) ?? [];
    const transient = list.match(/ERR_[A-Z_]+/g) ?? [];
    const [, text = ''] =
      /A client asks a source again, at most twice, after([^:]*):/.exec(section('The codes')) ?? [];
    expect((text.match(/ERR_[A-Z_]+/g) ?? []).sort()).toEqual([...transient].sort());
  });

  it('has the table of non-public hosts', () => {
    const code = source('verifier/src/http/public-address.ts');
    const blocks = [...code.matchAll(/^ {2}(\S+\/\d+) /gm)].map(([, block]) => block ?? '');
    const [, list = ''] = /const NAMES = \[(.*?)^\];/ms.exec(code) ?? [];
    const names = [...list.matchAll(/'([a-z0-9]+)'/g)].map(([, name]) => name ?? '');
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
    expect(rows('The tree').find(([path]) => path === '`/checkpoint.jwt`')?.[1]).toBe('`application/jwt`');
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
      'options.maxAge, MAX_AGE_MS)',
      'options.grace, 60 * 60_000)',
      'options.clockTolerance, CLOCK_TOLERANCE_MS)',
      'options.timeout, 15_000)',
    ])
      expect(client).toContain(text);
    const passports = source('verifier/src/verification/options.ts');
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
    expect(source('verifier/src/passport/action-proof.ts')).toContain('MAX_ACTION_SECONDS = 60');
    expect(source('verifier/src/core/bytes/clock.ts')).toMatch(
      /CLOCK_TOLERANCE_MS = 5 \* 60 \* 1000;[\s\S]*MAX_AGE_MS = 30 \* DAY_MS;/,
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
async function verdict(files: Files, root: RootKey, now: number, maxAge = 30 * DAY): Promise<string> {
  const base = 'https://registry.example/';
  const client = createRegistryClient({
    sources: [base],
    rootKey: root.jwk,
    maxAge,
    now: () => now * 1000,
    fetch: async (input) => {
      const bytes = files.get(String(input).slice(base.length).replace(/\?.*/, ''));
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

describe('the clocks (rule clocks)', () => {
  const MS = 0.001;
  const ENDS =
    '`exp` of checkpoint, of the delegation that it rests on, and of a publication statement, if it has one';
  const stated = (row: string) =>
    expect(rows('The clocks', 'The other clocks').map(([name]) => name)).toContain(row);

  async function world(times: { delegation?: object; checkpoint?: object } = {}) {
    const [root, online] = [await testKey(), await testKey()];
    const files = publish(root, [], UPDATED_AT);
    const long = { iat: MADE, exp: MADE + 1000 * DAY };
    const delegated = await delegation(root, online, { ...long, ...times.delegation });
    const signed = await checkpoint(files, online, { ...long, ...times.checkpoint });
    files.set('keys/delegation.jwt', Buffer.from(delegated)).set('checkpoint.jwt', Buffer.from(signed));
    return { root: root.rootKey, files };
  }

  it('updated_at in the future, and its maximum age', async () => {
    stated('`updated_at` of the list, in the future');
    stated('`updated_at`, maximum age, where there is no checkpoint');
    const key = await testKey();
    const files = publish(key, [], UPDATED_AT);
    const at = (now: number) => verdict(files, key.rootKey, now);
    expect(await at(MADE - T)).toBe('accepted');
    expect(await at(MADE - T - MS)).toBe('ERR_NOT_YET_VALID');
    expect(await at(MADE + 30 * DAY + T)).toBe('accepted');
    expect(await at(MADE + 30 * DAY + T + MS)).toBe('ERR_LIST_EXPIRED');
  });

  it('iat, nbf and exp of checkpoint and delegation', async () => {
    stated('`iat` and `nbf` of delegation, checkpoint, publication statement, rotation step');
    stated(ENDS);
    for (const [times, code] of [
      [{ checkpoint: { exp: MADE + 100 } }, 'ERR_CHECKPOINT_EXPIRED'],
      [{ delegation: { exp: MADE + 100 } }, 'ERR_DELEGATION_EXPIRED'],
    ] as const) {
      const { files, root } = await world(times);
      expect(await verdict(files, root, MADE + 100 + T - MS)).toBe('accepted');
      expect(await verdict(files, root, MADE + 100 + T)).toBe(code);
      expect(await verdict(files, root, MADE - T)).toBe('accepted');
      expect(await verdict(files, root, MADE - T - MS)).toBe('ERR_NOT_YET_VALID');
    }
    for (const times of [{ checkpoint: { nbf: MADE + 1000 } }, { delegation: { nbf: MADE + 1000 } }]) {
      const { files, root } = await world(times);
      expect(await verdict(files, root, MADE + 1000 - T)).toBe('accepted');
      expect(await verdict(files, root, MADE + 1000 - T - MS)).toBe('ERR_NOT_YET_VALID');
    }
  });

  it('iat, nbf and exp of a publication statement, and the freshness that it ends', async () => {
    stated(ENDS);
    const key = await testKey();
    const at = async (claims: Record<string, number>, now: number) =>
      verdict(await publishSummed(key, [], { updatedAt: UPDATED_AT, claims }), key.rootKey, now);
    expect(await at({ exp: MADE + 100 }, MADE + 100 + T - MS)).toBe('accepted');
    expect(await at({ exp: MADE + 100 }, MADE + 100 + T)).toBe('ERR_PUBLICATION_EXPIRED');
    expect(await at({}, MADE + 29 * DAY)).toBe('accepted');
    expect(await at({}, MADE - T)).toBe('accepted');
    expect(await at({}, MADE - T - MS)).toBe('ERR_NOT_YET_VALID');
    expect(await at({ nbf: MADE + 1000 }, MADE + 1000 - T)).toBe('accepted');
    expect(await at({ nbf: MADE + 1000 }, MADE + 1000 - T - MS)).toBe('ERR_NOT_YET_VALID');
  });

  it('updated_at of a publication statement against that of the checkpoint', async () => {
    stated('`updated_at` of a publication statement against that of the checkpoint');
    stated('`updated_at` of a checkpoint against that of the last accepted one');
    const [root, online] = [await testKey(), await testKey()];
    const times = { iat: MADE, exp: MADE + DAY };
    const named = await publishSummed(root, [], { updatedAt: UPDATED_AT });
    const at = async (updatedAt: string, sequence: number) => {
      const files = await publishSummed(root, [], { updatedAt, claims: { sequence } });
      files.set('keys/delegation.jwt', Buffer.from(await delegation(root, online, times)));
      files.set('checkpoint.jwt', Buffer.from(await checkpoint(named, online, { ...times, sequence: 5 })));
      return verdict(files, root.rootKey, MADE + 10);
    };
    expect(await at(UPDATED_AT, 5)).toBe('accepted');
    expect(await at(UPDATED_AT, 6)).toBe('accepted');
    expect(await at(UPDATED_AT, 4)).toBe('ERR_CHECKPOINT_MISMATCH');
    expect(await at('2026-11-21T08:00:01Z', 6)).toBe('accepted');
    expect(await at('2026-11-21T08:00:01Z', 5)).toBe('ERR_CHECKPOINT_MISMATCH');
    expect(await at('2026-11-21T07:59:59Z', 6)).toBe('ERR_CHECKPOINT_MISMATCH');
  });

  it('iat of a checkpoint within its delegation', async () => {
    stated('`iat` of a checkpoint within its delegation');
    const now = MADE + 1000;
    for (const [iat, expected] of [
      [MADE - 1, 'ERR_CHECKPOINT_INVALID'],
      [MADE, 'accepted'],
      [MADE + 900, 'accepted'],
      [MADE + 901, 'ERR_CHECKPOINT_INVALID'],
    ] as const) {
      const { files, root } = await world({ delegation: { exp: MADE + 900 }, checkpoint: { iat } });
      expect(await verdict(files, root, now), String(iat)).toBe(expected);
    }
  });

  it('a rotation step cannot be from the future, and does not expire', async () => {
    stated('`exp` of a rotation step');
    const [old, next] = [await testKey(), await testKey()];
    const claims = { iat: MADE, exp: MADE + 1, next_root: next.rootKey.jwk };
    const step = await statement(old, 'registry-root-rotation+jwt', claims);
    const files = publish(next, [], UPDATED_AT).set(
      'keys/rotation.json',
      Buffer.from(JSON.stringify([step])),
    );
    expect(await verdict(files, old.rootKey, MADE - T)).toBe('accepted');
    expect(await verdict(files, old.rootKey, MADE - T - MS)).toBe('ERR_NOT_YET_VALID');
    expect(await verdict(files, old.rootKey, MADE + 29 * DAY)).toBe('accepted');
  });
});

describe('which error code wins (rule error-codes)', () => {
  it('the code of the earlier step', async () => {
    const [root, other] = [await testKey(), await testKey()];
    const good = () => publish(root, [], UPDATED_AT);
    const now = MADE + 1000;
    const at = (files: Files, maxAge?: number) => verdict(files, root.rootKey, now, maxAge);

    // Adds faults from the last step to the first. Each new fault must win over all faults before.
    const files = publish(root, [], '2026-01-01T00:00:00Z');
    expect(await at(files, 0)).toBe('ERR_LIST_EXPIRED');
    files.set('issuers.json', Buffer.from('no JSON'));
    expect(await at(files, 0)).toBe('ERR_SIGNATURE_INVALID');
    files.set('issuers.sig', Buffer.from('\uFEFF'));
    expect(await at(files, 0)).toBe('ERR_SIGNATURE_MALFORMED');
    const expired = { iat: MADE, exp: MADE + 1 };
    const online = await testKey();
    files.set('checkpoint.jwt', Buffer.from(await checkpoint(good(), online, expired)));
    expect(await at(files)).toBe('ERR_CHECKPOINT_INVALID');
    files.set(
      'keys/delegation.jwt',
      Buffer.from(await delegation(root, online, { iat: MADE, exp: now + DAY })),
    );
    expect(await at(files)).toBe('ERR_CHECKPOINT_EXPIRED');
    files.set('keys/delegation.jwt', Buffer.from(await delegation(root, online, expired)));
    expect(await at(files)).toBe('ERR_DELEGATION_EXPIRED');
    files.set('keys/delegation.jwt', Buffer.from(await delegation(other, online, expired)));
    expect(await at(files)).toBe('ERR_DELEGATION_INVALID');
    files.set('keys/rotation.json', Buffer.from(JSON.stringify([await rotationStep(other, online)])));
    expect(await at(files)).toBe('ERR_ROTATION_GAP');
    files.set('keys/rotation.json', Buffer.from('[1]'));
    expect(await at(files)).toBe('ERR_ROTATION_INVALID');
  });

  it('a rotation: first the format of every step, then step by step from the pinned key', async () => {
    const [old, root, next] = [await testKey(), await testKey(), await testKey()];
    const step = (from: typeof root, more: object) =>
      statement(from, 'registry-root-rotation+jwt', { iat: MADE, ...more });
    const good = { next_root: next.rootKey.jwk };
    const first = { next_root: root.rootKey.jwk };
    const at = async (...steps: Promise<string>[]) => {
      const files = publish(next, [], UPDATED_AT);
      files.set('keys/rotation.json', Buffer.from(JSON.stringify(await Promise.all(steps))));
      return verdict(files, root.rootKey, MADE + 10);
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
    const at = (text: string) => verdict(publishBytes(root, text), root.rootKey, MADE + 10);
    const time = `"updated_at":"${UPDATED_AT}"`;
    expect(await at(`{"issuers":[],"updated_at":0,${time}}`)).toBe('ERR_LIST_NOT_CANONICAL');
    expect(await at(`{"issuers":[],${time},"updated_at":0}`)).toBe('ERR_LIST_NONCONFORMING');
  });

  it('a list or a signature that is missing has its own code', async () => {
    const [root, online] = [await testKey(), await testKey()];
    const files = publish(root, [], UPDATED_AT);
    const list = files.get('issuers.json') as Buffer;
    const times = { iat: MADE, exp: MADE + DAY };
    files.set('keys/delegation.jwt', Buffer.from(await delegation(root, online, times)));
    files.set('checkpoint.jwt', Buffer.from(await checkpoint(files, online, times)));
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('accepted');
    for (const path of ['issuers.json', `lists/${sha256(list)}.json`]) files.delete(path);
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('ERR_CHECKPOINT_MISMATCH');
    files.set('issuers.json', list).delete('issuers.sig');
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('ERR_SOURCE_STATUS');
  });

  it('a delegation is accepted by its signature, whatever its kid', async () => {
    const [root, online] = [await testKey(), await testKey()];
    const files = publish(root, [], UPDATED_AT);
    const times = { iat: MADE, exp: MADE + DAY };
    const named = { ...root, rootKey: { ...root.rootKey, thumbprint: online.rootKey.thumbprint } };
    files.set('keys/delegation.jwt', Buffer.from(await delegation(named, online, times)));
    files.set('checkpoint.jwt', Buffer.from(await checkpoint(files, online, times)));
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('accepted');
  });
});
