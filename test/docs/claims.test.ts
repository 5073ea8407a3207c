import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAIMS, type RanTest, unheldClaims } from '../support/claims.js';
import { ROOT } from '../support/paths.js';
import { sha256 } from '../support/sha256.js';

/** Returns the items of the list below a heading, each on one line. */
function bullets(file: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [, below = ''] = text.split(`\n## ${heading}\n`);
  const [section = ''] = below.split('\n## ');
  const items = section.split('\n- ').slice(1);
  return items.map((item) => (item.split('\n\n')[0] as string).trim().replaceAll(/\s+/g, ' '));
}

describe.each(Object.entries(CLAIMS))('%s', (place, claims) => {
  const [file = '', heading = ''] = place.split(': ');
  const known = Object.keys(claims).map((claim) => claim.split(' #') as [start: string, hash: string]);

  // The report of a run holds that these tests have passed.
  it('names tests for each item', () => {
    const items = bullets(file, heading);
    const untested = items.filter((item) => !known.some(([start]) => item.startsWith(start)));
    expect(untested).toEqual([]);
    expect(items).toHaveLength(known.length);
    for (const [claim, tests] of Object.entries(claims)) expect(tests.length, claim).toBeGreaterThan(0);
  });

  // If this fails, see whether the tests verify the new text, and then replace the hash in CLAIMS.
  it('has for each item the tests of this text', () => {
    const texts = bullets(file, heading).map((item) => {
      const [start = ''] = known.find(([words]) => item.startsWith(words)) ?? [];
      return `${start} #${sha256(Buffer.from(item)).slice(0, 8)}`;
    });
    expect(texts.sort()).toEqual(Object.keys(claims).sort());
  });
});

describe('the report of a run', () => {
  const file = 'generator/signing/secrets';
  const name = 'keys > is in no output and no error of any command';
  const ofFile = (claims: readonly string[]) => claims.filter((claim) => claim.includes(file));
  /** The report of a run of some tests, of which there is another file that did not run. */
  const ofPart = (...tests: readonly RanTest[]) => ofFile(unheldClaims(tests, [file, 'another/file']));

  it('fails for a claim whose test failed, was skipped, or is gone', () => {
    expect(ofPart({ file, name, state: 'passed' })).toEqual([]);
    expect(ofPart({ file, name, state: 'failed' })).toHaveLength(1);
    expect(ofPart({ file, name, state: 'skipped' })).toHaveLength(1);
    expect(ofPart({ file, name: 'another one', state: 'passed' })).toHaveLength(1);
  });

  it('fails for a claim whose file is gone, if all other files ran', () => {
    const other: RanTest = { file: 'another/file', name, state: 'passed' };
    expect(ofFile(unheldClaims([other], ['another/file']))).toHaveLength(1);
    // A run of some files says nothing about the others.
    expect(ofPart(other)).toEqual([]);
    expect(ofPart()).toEqual([]);
  });

  it('does not fail for tests that the run is to leave out, or that lack a program', () => {
    expect(ofFile(unheldClaims([{ file, name, state: 'skipped' }], undefined))).toEqual([]);
    expect(ofPart({ file, name, state: 'lacks a program' })).toEqual([]);
  });
});
