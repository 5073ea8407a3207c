import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAIMS, unheldClaims } from '../support/claims.js';
import { ROOT } from '../support/paths.js';

/** Returns the items of the list below a heading. */
function bullets(file: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [, below = ''] = text.split(`\n## ${heading}\n`);
  const [section = ''] = below.split('\n## ');
  return section.split('\n- ').slice(1);
}

describe.each(Object.entries(CLAIMS))('%s', (place, claims) => {
  const [file = '', heading = ''] = place.split(': ');

  // The report of a run holds that these tests have passed.
  it('names tests for each item', () => {
    const items = bullets(file, heading);
    const starts = Object.keys(claims);
    const untested = items.filter((item) => !starts.some((start) => item.startsWith(start)));
    expect(untested).toEqual([]);
    expect(items).toHaveLength(starts.length);
    for (const [claim, tests] of Object.entries(claims)) expect(tests.length, claim).toBeGreaterThan(0);
  });
});

describe('the report of a run', () => {
  const file = 'generator/signing/secrets';
  const name = 'keys > is in no output and no error of any command';
  const ofFile = (claims: readonly string[]) => claims.filter((claim) => claim.includes(file));

  it('fails for a claim whose test failed, or is gone', () => {
    expect(ofFile(unheldClaims([{ file, name, failed: false }]))).toEqual([]);
    expect(ofFile(unheldClaims([{ file, name, failed: true }]))).toHaveLength(1);
    expect(ofFile(unheldClaims([{ file, name: 'another one', failed: false }]))).toHaveLength(1);
    // A run of some files says nothing about the others.
    expect(ofFile(unheldClaims([]))).toEqual([]);
  });
});
