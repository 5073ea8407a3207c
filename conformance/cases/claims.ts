import type { Case } from './case.js';
import { textOf } from './encoding.js';
import { golden } from './goldens.js';
import { decodeJwt } from './jwt.js';
import { key } from './keys.js';
import { makeCase, sealing, signerOf, variant } from './make-case.js';
import type { Patch, Resigned } from './patch.js';

/** Values that most members must not have, by name. */
export const ODD_VALUES: readonly (readonly [string, unknown])[] = [
  ...([
    ['null', null],
    ['true', true],
    ['0', 0],
    ['-1', -1],
    ['1.5', 1.5],
    ['2^53-1', 2 ** 53 - 1],
  ] as const),
  ...([
    ['2^53', 2 ** 53],
    ['text', 'x'],
    ['an array', []],
  ] as const),
];

/** A statement of a golden tree, and the rule that decides about its claims. */
interface Target {
  readonly base: string;
  readonly file: string;
  readonly step?: number;
  readonly rule: string;
}

const TARGETS: readonly Target[] = [
  { base: 'stated', file: 'publication.jwt', rule: 'statement-claims' },
  { base: 'checkpoint', file: 'publication.jwt', rule: 'statement-claims' },
  { base: 'p256', file: 'publication.jwt', rule: 'statement-claims' },
  { base: 'checkpoint', file: 'checkpoint.jwt', rule: 'checkpoint-form' },
  { base: 'root-checkpoint', file: 'checkpoint.jwt', rule: 'checkpoint-form' },
  { base: 'checkpoint-without-statement', file: 'checkpoint.jwt', rule: 'checkpoint-form' },
  { base: 'hold', file: 'checkpoint.jwt', rule: 'checkpoint-form' },
  { base: 'checkpoint', file: 'keys/delegation.jwt', rule: 'delegation-form' },
  { base: 'hold', file: 'keys/delegation.jwt', rule: 'delegation-form' },
  { base: 'rotated', file: 'keys/rotation.json', step: 0, rule: 'rotation-form' },
  { base: 'rotated-thrice', file: 'keys/rotation.json', step: 0, rule: 'rotation-form' },
  { base: 'rotated-thrice', file: 'keys/rotation.json', step: 2, rule: 'rotation-form' },
  { base: 'described', file: 'operations.jwt', rule: 'operations' },
];

/** Headers that a reader refuses or ignores. */
export const HEADERS: readonly (readonly [string, Pick<Resigned, 'header' | 'without'>])[] = [
  ...['ES256', 'EdDSA', 'Ed25519', 'none', 'HS256', 'Ed448', 'eddsa', ''].map(
    (alg) => [`alg ${alg}`, { header: { alg } }] as const,
  ),
  ...['registry-publication+jwt', 'registry-checkpoint+jwt', 'registry-delegation+jwt', 'JWT'].map(
    (typ) => [`typ ${typ}`, { header: { typ } }] as const,
  ),
  ...['registry-root-rotation+jwt', 'registry-operations+jwt', 'application/registry-checkpoint+jwt'].map(
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

/** Each claim of each statement with odd values, without it, and odd headers. The right key signs. */
export function* oddClaims(): Generator<Case> {
  for (const target of TARGETS) {
    const { base, file, step, rule } = target;
    const tree = golden(base);
    const signer = signerOf(tree, file, step);
    const text = textOf(tree.files.get(file) as Uint8Array);
    const { claims } = decodeJwt(step === undefined ? text : ((JSON.parse(text) as string[])[step] ?? ''));
    const of = step === undefined ? file : `${file}#${step + 1}`;
    const make = (name: string, why: string, change: Partial<Resigned>) => {
      const patches: Patch[] = [{ file, key: signer, ...(step !== undefined && { step }), ...change }];
      if (file !== 'checkpoint.jwt') patches.push(sealing(tree));
      return makeCase({ id: `claim/${base}/${of}/${name}`, rule, base, patches, why });
    };
    for (const claim of new Set([
      ...Object.keys(claims),
      'exp',
      'nbf',
      'hold',
      'checkpoint',
      'log',
      'iat',
      'next_roots',
    ])) {
      yield make(`${claim} absent`, 'The claim is missing.', { without: [`claims.${claim}`] });
      for (const [name, value] of [...ODD_VALUES, ...near(claims[claim])]) {
        yield make(`${claim} ${name}`, 'The claim has another value.', { claims: { [claim]: value } });
      }
    }
    yield make('another claim', 'Other claims are ignored.', { claims: { note: { any: ['thing'] } } });
    for (const [name, change] of HEADERS)
      yield make(`header ${name}`, 'The header has another member.', change);
  }
}

/** Values next to the right one. */
function near(value: unknown): [string, unknown][] {
  if (typeof value === 'number') {
    return [
      ['one less', value - 1],
      ['one more', value + 1],
      ['as text', String(value)],
      ['plus a half', value + 0.5],
    ];
  }
  if (typeof value === 'string') {
    return [
      ['in capitals', value.toUpperCase()],
      ['with a space', `${value} `],
      ['shorter', value.slice(0, -1)],
      ['in an array', [value]],
    ];
  }
  if (Array.isArray(value))
    return [
      ['doubled', [...value, ...value]],
      ['with null', [...value, null]],
      ['of numbers', [1]],
    ];
  return [];
}

/** The claims about the log, in a publication that is logged with them. */
export function* oddLogClaims(): Generator<Case> {
  for (const base of ['log', 'witnessed']) {
    const right = golden(base).registry.log?.claim ?? {};
    const values: (readonly [string, unknown])[] = [...ODD_VALUES, ['undefined', undefined]];
    for (const name of ['origin', 'vkey']) {
      for (const [value, odd] of [...values, ...near((right as Record<string, unknown>)[name])]) {
        values.push([`${name} ${value}`, { ...right, [name]: odd }]);
      }
    }
    values.push(['another member', { ...right, note: 1 }]);
    values.push(['another origin', { ...right, origin: 'another.example/log' }]);
    for (const [name, log] of values) {
      const patches = variant(base, (registry) => registry.publish({ claims: { log } }));
      const why = 'The statement names a log in another form.';
      yield makeCase({ id: `claim/${base}/log/${name}`, rule: 'log-name', base, patches, why });
    }
  }
}
