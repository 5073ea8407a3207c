import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertTrustPolicy, PASSPORT_REASONS, VERDICT_CHECKS } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';

const document = readFileSync(join(ROOT, 'docs/verifiers.md'), 'utf8');
const source = (path: string) => readFileSync(join(ROOT, 'verifier/src', path), 'utf8');

describe('docs/verifiers.md', () => {
  it('has only valid policies in its cookbook', () => {
    const policies = [...document.matchAll(/\| `(\{ "tiers".*\})` \|/g)].map(([, policy]) => policy ?? '');
    expect(policies.length).toBeGreaterThanOrEqual(8);
    for (const policy of policies) assertTrustPolicy(JSON.parse(policy));
  });

  it('explains every error code and every reason of a decision', () => {
    const codes = [...source('errors.ts').matchAll(/code = '(ERR_[A-Z_]+)'/g)].map(([, code]) => code ?? '');
    const reasons = [...source('policy/decide.ts').matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(
      ([, reason]) => reason ?? '',
    );
    expect(codes.length).toBeGreaterThan(30);
    expect(reasons.length).toBeGreaterThan(10);
    const names = [...codes, ...reasons, ...Object.keys(PASSPORT_REASONS), ...VERDICT_CHECKS];
    for (const name of names) expect(document).toContain(`\`${name}\``);
  });

  it('names only reasons that exist', () => {
    const [, table = ''] = /### Why a passport or an action is refused([\s\S]*?)\n## /.exec(document) ?? [];
    const named = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/[a-z-]+/g) ?? [],
    );
    expect(named.sort()).toEqual(Object.keys(PASSPORT_REASONS).sort());
  });
});
