import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, type NoUsableSource, type RootKey } from '@passport-registry/verifier';
import { LIMITS, MAX_JSON_DEPTH } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { protocol, rows, section } from '../support/protocol.js';
import {
  checkpoint,
  type Files,
  publish,
  rotationStep,
  stated,
  statement,
  type TestKey,
  testKey,
  withRotation,
} from '../support/publication.js';
import { sha256 } from '../support/sha256.js';
import { together } from '../support/statements.js';

const source = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('docs/protocol.md and its parts', () => {
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

  it('names every claim of a publication', () => {
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
});

/** 2026-11-21T08:00:00Z. */
const MADE = 1795248000;
const UPDATED_AT = '2026-11-21T08:00:00Z';
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

/** Signs publication and checkpoint of a tree at `MADE`. */
async function dated(files: Files, key: TestKey, signer = key): Promise<Files> {
  const named = stated(files, key, { iat: MADE });
  const times = { iat: MADE, exp: MADE + 30 * DAY };
  return named.set('checkpoint.jwt', Buffer.from(await checkpoint(named, signer, times)));
}

describe('which error code wins (rule error-codes)', () => {
  it('the code of the earlier step', async () => {
    const [root, other] = [await testKey(), await testKey()];
    const now = MADE + 1000;
    const at = (tree: Files) => verdict(tree, root.rootKey, now);
    const seal = async (signer: TestKey, tree: Files, times: object) =>
      Buffer.from(await checkpoint(tree, signer, { iat: MADE, exp: MADE + DAY, ...times }));

    // Adds faults from the last step to the first. Each new fault must win over all faults before.
    const files = await dated(publish(root, [], { updatedAt: '2026-11-22T08:00:00Z' }), root);
    const named = `lists/${sha256(files.get('issuers.json') as Buffer)}.json`;
    expect(await at(files)).toBe('ERR_NOT_YET_VALID');
    files.set('issuers.json', Buffer.from('{}')).set(named, Buffer.from('{}'));
    expect(await at(files)).toBe('ERR_PUBLICATION_MISMATCH');
    const another = publish(root, [], { updatedAt: UPDATED_AT });
    files.set('checkpoint.jwt', await seal(root, another, {}));
    expect(await at(files)).toBe('ERR_CHECKPOINT_MISMATCH');
    files.set('checkpoint.jwt', await seal(root, another, { exp: MADE + 1 }));
    expect(await at(files)).toBe('ERR_CHECKPOINT_EXPIRED');
    files.set('checkpoint.jwt', await seal(other, another, { exp: MADE + 1 }));
    expect(await at(files)).toBe('ERR_CHECKPOINT_INVALID');
    files.set(
      'publication.jwt',
      publish(other, [], { updatedAt: UPDATED_AT }).get('publication.jwt') as Buffer,
    );
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
      const files = await dated(publish(next, [], { updatedAt: UPDATED_AT }), next);
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

  it('a publication is accepted by its signature, whatever its kid', async () => {
    const [root, other] = [await testKey(), await testKey()];
    const named = { ...root, rootKey: { ...root.rootKey, thumbprint: other.rootKey.thumbprint } };
    const files = await dated(publish(root, [], { updatedAt: UPDATED_AT }), named, root);
    expect(await verdict(files, root.rootKey, MADE + 10)).toBe('accepted');
  });
});
