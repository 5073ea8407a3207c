import { key } from './keys.js';
import type { Resigned } from './patch.js';

/** Values that most members must not have, by name. */
export const ODD_VALUES: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['0', 0],
  ['-1', -1],
  ['1.5', 1.5],
  ['2^53-1', 2 ** 53 - 1],
  ['2^53', 2 ** 53],
  ['text', 'x'],
  ['an array', []],
];

/** Headers that a reader refuses or ignores. */
export const HEADERS: readonly (readonly [string, Pick<Resigned, 'header' | 'without'>])[] = [
  ...['ES256', 'EdDSA', 'Ed25519', 'none', 'HS256', 'Ed448', 'eddsa', ''].map(
    (alg) => [`alg ${alg}`, { header: { alg } }] as const,
  ),
  ...['registry-publication+jwt', 'registry-checkpoint+jwt', 'registry-note+jwt', 'JWT'].map(
    (typ) => [`typ ${typ}`, { header: { typ } }] as const,
  ),
  ...['registry-root-rotation+jwt', 'registry-unknown+jwt', 'application/registry-checkpoint+jwt'].map(
    (typ) => [`typ ${typ}`, { header: { typ } }] as const,
  ),
  ['typ in capitals', { header: { typ: 'REGISTRY-PUBLICATION+JWT' } }],
  ...['alg', 'typ', 'kid'].map((name) => [`no ${name}`, { without: [`header.${name}`] }] as const),
  ...['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64'].map((name) => [name, { header: { [name]: [] } }] as const),
  ['b64 true', { header: { b64: true } }],
  ['another member', { header: { note: 'ignored' } }],
  ['kid null', { header: { kid: null } }],
  ['kid a number', { header: { kid: 1 } }],
  ['kid of a stranger', { header: { kid: key('stranger').thumbprint } }],
  ['kid empty', { header: { kid: '' } }],
];
