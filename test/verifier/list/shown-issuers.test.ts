import type { Issuer } from '@passport-registry/verifier';
import {
  alikeIssuers,
  isNotYet,
  lookOf,
  nameSkeleton,
  placeName,
  recognitionOf,
  type ShownStatus,
  sinceOf,
  standingOf,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { issuer } from '../../support/publication.js';

const SINCE = '2026-11-21T08:00:00Z';
const NOW = Date.parse(SINCE);

function issuerOf(changed: Partial<Issuer>): Issuer {
  return { ...issuer('acme'), certified_since: SINCE, status: 'active', tier: 'certified', ...changed };
}

describe('what an issuer is to a reader', () => {
  it.each<[Issuer['tier'], ShownStatus, number, string, string]>([
    ['founding', 'active', NOW, 'trusted', 'trusted'],
    ['certified', 'active', NOW, 'trusted', 'trusted'],
    ['registered', 'active', NOW, 'listed', 'listed'],
    ['sandbox', 'active', NOW, 'tests', 'listed'],
    ['sandbox', 'active', NOW - 1, 'tests', 'listedToCome'],
    ['certified', 'active', NOW - 1, 'notYet', 'trustedToCome'],
    ['certified', 'suspended', NOW, 'suspended', 'trustedBefore'],
    ['registered', 'revoked', NOW, 'revoked', 'listedBefore'],
    ['sandbox', 'on hold', NOW, 'on hold', 'listedBefore'],
    ['certified', 'on hold', NOW - 1, 'on hold', 'trustedToCome'],
  ])('a %s issuer that is %s, at %i', (tier, status, now, standing, since) => {
    const one = issuerOf({ tier });
    expect(standingOf(one, status, now)).toBe(standing);
    expect(sinceOf(one, status, now)).toBe(since);
    expect(isNotYet(one, now)).toBe(now < NOW);
  });

  it('is not recognised by a tier that is not known', () => {
    expect(recognitionOf(issuerOf({ tier: 'platinum' as Issuer['tier'] }))).toBe('listed');
  });
});

describe('the name of a place', () => {
  const words = { everywhere: 'everywhere', regions: new Intl.DisplayNames('en', { type: 'region' }) };

  it.each([
    ['global', 'everywhere'],
    ['NO', 'Norway'],
    ['US-CA', 'US-CA (United States)'],
    // Not a country: what it stands for is not known, and the code is shown as it is.
    ['EUROPE', 'EUROPE'],
    ['', ''],
  ])('%s is %s', (code, name) => {
    expect(placeName(code, words)).toBe(name);
  });
});

describe('what a name looks like', () => {
  it.each([
    ['Harbour Bank', 'HARB0UR-BANK ✓ trusted'],
    ['Harbour Bank', 'Hárbour Bank, Ltd.'],
    ['Harbour Bank', 'Harbour Bank AS GmbH'],
    ['Harbour Bank', 'Наrbour Bank'],
    ['Amber', 'Arnber'],
    ['Wave', 'VVave'],
    ['Acme S.A.', 'acme'],
    ['Harbour', 'Trusted Harbour'],
  ])('%s and %s look alike', (one, other) => {
    expect(nameSkeleton(one)).toBe(nameSkeleton(other));
  });

  it.each([
    ['Harbour Bank', 'Harbour'],
    ['Harbour Bank', 'Bank Harbour'],
    // A word is left out only if another one is left.
    ['Trusted', 'Certified'],
    ['Limited', 'Ltd'],
    ['AS Harbour', 'Harbour'],
  ])('%s and %s do not', (one, other) => {
    expect(nameSkeleton(one)).not.toBe(nameSkeleton(other));
  });

  it('is the name itself if it has no letters', () => {
    expect(nameSkeleton('✓✓')).toBe('✓✓');
  });
});

describe('issuers that look alike', () => {
  const looks = (...names: [id: string, name: string | undefined, changed?: Partial<Issuer>][]) =>
    names.map(([issuer_id, name, changed]) => lookOf(issuerOf({ issuer_id, ...changed }), name));
  const found = (...names: Parameters<typeof looks>) =>
    Object.fromEntries(
      [...alikeIssuers(looks(...names), NOW)].map(([id, { alike, unnamed }]) => [
        id,
        [alike.map((one) => one.issuer_id).join(' '), unnamed],
      ]),
    );

  it('are those with the look of the name, by name or id', () => {
    expect(found(['acme', 'Acme'], ['other', 'ACME Ltd'], ['third', 'Third'])).toEqual({
      acme: ['other', 0],
      other: ['acme', 0],
    });
    expect(found(['acme', 'Something'], ['other', 'Acme'])).toEqual({ other: ['acme', 0] });
  });

  it('are not known of an issuer without a name', () => {
    expect(found(['acme', undefined], ['other', 'Acme'])).toEqual({ other: ['acme', 0] });
    expect(found(['acme', undefined], ['other', undefined])).toEqual({});
  });

  it('are four at most, the trusted ones first, and the number of the others', () => {
    const all = found(
      ['one', 'Same', { status: 'revoked' }],
      ['two', 'Same', { tier: 'registered' }],
      ...['three', 'four', 'five', 'six'].map((id): [string, string] => [id, 'Same']),
    );
    expect(all['one']).toEqual(['three four five six', 1]);
    expect(all['six']).toEqual(['three four five two', 1]);
  });
});
