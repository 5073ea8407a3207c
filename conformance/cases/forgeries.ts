import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import type { Case } from './case.js';
import { base64url, jcs, textOf, unbase64, utf8 } from './encoding.js';
import { golden } from './goldens.js';
import { jwt, type Members } from './jwt.js';
import { key } from './keys.js';
import { makeCase, sealing, signerOf, variant } from './make-case.js';
import type { Patch } from './patch.js';

const TREES = [
  'stated',
  'p256',
  'root-checkpoint',
  'checkpoint',
  'hold',
  'rotated',
  'rotated-thrice',
  'described',
  'witnessed',
];
const STATEMENTS = ['publication.jwt', 'checkpoint.jwt', 'keys/delegation.jwt', 'operations.jwt'];
const SIGNERS = ['stranger', 'p256 stranger', 'root', 'root 2', 'online', 'log', 'spare'];

/** Statements and lists by a key that may not sign them: with the `kid` of the right key, and with their own. */
export function* wrongSigners(): Generator<Case> {
  for (const base of TREES) {
    const tree = golden(base);
    for (const file of STATEMENTS.filter((one) => tree.files.has(one))) {
      for (const signer of SIGNERS.filter((name) => name !== signerOf(tree, file))) {
        const { thumbprint, alg } = key(signer);
        for (const [name, header] of [
          ['kid of the right key', {}],
          ['its own kid', { kid: thumbprint }],
          ['its own kid and alg', { kid: thumbprint, alg }],
        ] as const) {
          const patches: Patch[] = [{ file, key: signer, header }];
          if (file !== 'checkpoint.jwt') patches.push(sealing(tree));
          yield make(`${base}/${file}/by ${signer} with ${name}`, base, patches);
        }
      }
    }
    const list = tree.files.get('issuers.json') as Uint8Array;
    for (const signer of SIGNERS.filter((name) => name !== tree.registry.root.name)) {
      const text = base64url(key(signer).sign(list));
      yield make(`${base}/issuers.sig/by ${signer}`, base, [{ file: 'issuers.sig', text }]);
      const root = jcs({ ...key(signer).jwk, kid: key(signer).thumbprint });
      const own: Patch[] = [
        { file: 'issuers.sig', text },
        { file: 'keys/root.json', text: root },
      ];
      yield make(`${base}/issuers.sig/by ${signer}, with its root key`, base, [...own, sealing(tree)]);
    }
  }
}

const make = (id: string, base: string, patches: readonly Patch[]) =>
  makeCase({
    id: `forged/${id}`,
    rule: 'checkpoint-signer',
    base,
    patches,
    why: 'Somebody signs what this key must not sign.',
  });

/** What thieves of one key can make with it. */
export function* thieves(): Generator<Case> {
  const thief = key('stranger');
  for (const base of ['checkpoint', 'hold', 'rotated', 'witnessed']) {
    const tree = golden(base);
    const { registry } = tree;
    const { now } = registry;
    const checkpoint = (claims: Members, signer = registry.online) => registry.checkpoint(claims, signer);
    const delegation = (signer: string, claims: Members) =>
      jwt(
        key(signer),
        { typ: 'registry-delegation+jwt' },
        {
          iat: now,
          exp: now + 86_400,
          keys: [thief.jwk],
          ...claims,
        },
      );
    const forged: [string, Patch[]][] = [
      ['a hold without permission', [at('checkpoint.jwt', checkpoint({ hold: ['alpha'] }))]],
      ['a hold by the root key', [at('checkpoint.jwt', checkpoint({ hold: ['alpha'] }, registry.root))]],
      ['a checkpoint by an undelegated key', [at('checkpoint.jwt', checkpoint({}, thief))]],
      [
        'a checkpoint before the delegation',
        [at('checkpoint.jwt', checkpoint({ iat: now - 100_000, exp: now + 9000 }))],
      ],
      ['a checkpoint for years', [at('checkpoint.jwt', checkpoint({ exp: now + 1e9 }))]],
      [
        'a checkpoint of a list that is not there',
        [at('checkpoint.jwt', checkpoint({ sha256: '0'.repeat(64) }))],
      ],
      [
        'a checkpoint of an older list',
        [at('checkpoint.jwt', checkpoint({ updated_at: '2026-11-01T00:00:00Z' }))],
      ],
      [
        'a checkpoint of a newer list',
        [at('checkpoint.jwt', checkpoint({ updated_at: '2026-12-01T00:00:00Z' }))],
      ],
      ['a checkpoint with a higher sequence', [at('checkpoint.jwt', checkpoint({ sequence: 99 }))]],
      ['a checkpoint with a lower sequence', [at('checkpoint.jwt', checkpoint({ sequence: 1 }))]],
      ['a checkpoint without a sequence', [at('checkpoint.jwt', checkpoint({ sequence: undefined }))]],
      [
        'a delegation that the thief signs',
        [at('keys/delegation.jwt', delegation('stranger', {})), at('checkpoint.jwt', checkpoint({}, thief))],
      ],
      [
        'a delegation that the online key signs',
        [at('keys/delegation.jwt', delegation('online', {})), at('checkpoint.jwt', checkpoint({}, thief))],
      ],
      ['a delegation of another key', [at('keys/delegation.jwt', delegation(registry.root.name, {}))]],
      [
        'a delegation that may hold',
        [
          at(
            'keys/delegation.jwt',
            delegation(registry.root.name, { keys: [registry.online.jwk], hold: true }),
          ),
          at('checkpoint.jwt', checkpoint({ hold: ['alpha'] })),
        ],
      ],
      [
        'a delegation with 16 keys',
        [
          at(
            'keys/delegation.jwt',
            delegation(registry.root.name, { keys: Array(16).fill(registry.online.jwk) }),
          ),
        ],
      ],
      [
        'a delegation with 17 keys',
        [
          at(
            'keys/delegation.jwt',
            delegation(registry.root.name, { keys: Array(17).fill(registry.online.jwk) }),
          ),
        ],
      ],
      ...Object.entries(badKeys(registry.online.jwk)).map(([name, jwk]): [string, Patch[]] => [
        `a delegation with ${name}`,
        [at('keys/delegation.jwt', delegation(registry.root.name, { keys: [registry.online.jwk, jwk] }))],
      ]),
    ];
    for (const [name, patches] of forged) {
      yield make(`${base}/${name}`, base, patches);
      const sealed = [
        ...patches.filter((one) => !('file' in one) || one.file !== 'checkpoint.jwt'),
        sealing(tree),
      ];
      const last = patches.filter((one) => 'file' in one && one.file === 'checkpoint.jwt');
      if (last.length === 0) yield make(`${base}/${name}, sealed`, base, sealed);
    }
  }
}

const at = (file: string, text: string): Patch => ({ file, text });

/** Public keys that are refused or accepted (rule public-key-values), made of a good one. */
export function badKeys(good: { readonly x: string }): Readonly<Record<string, unknown>> {
  const ed = key('spare').jwk;
  const ec = key('p256 spare').jwk;
  const point = (hex: string) => ({
    ...ed,
    x: base64url(Uint8Array.from(hex.match(/../g) ?? [], (two) => Number.parseInt(two, 16))),
  });
  return {
    'a private key': { ...good, d: 'AAAA' },
    'a private member that is null': { ...good, d: null },
    'a symmetric member': { ...good, k: '' },
    'the wrong kid': { ...good, kid: 'x' },
    'kid null': { ...good, kid: null },
    'the right kid': { ...ed, kid: key('spare').thumbprint },
    'another member': { ...good, use: 'enc' },
    'no key type': { ...good, kty: undefined },
    'another curve': { ...good, crv: 'X25519' },
    'y in an Ed25519 key': { ...good, y: ed.x },
    'y null in an Ed25519 key': { ...ed, y: null },
    'a short x': { ...good, x: good.x.slice(0, -1) },
    'padding in x': { ...good, x: `${good.x}=` },
    'the point 0': point('01'.padEnd(64, '0')),
    'the point 0 with a sign': point(`01${'00'.repeat(30)}80`),
    'a point of order 2': point(`ec${'ff'.repeat(30)}7f`),
    'a point of order 4': point('00'.repeat(32)),
    'a point of order 8': point('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
    'y equal to p': point(`ed${'ff'.repeat(30)}7f`),
    'y equal to p + 1': point(`ee${'ff'.repeat(30)}7f`),
    'no point': point(`02${'00'.repeat(31)}`),
    'a P-256 key': ec,
    'a P-256 key without y': { ...ec, y: undefined },
    'a P-256 point that is not on the curve': { ...ec, y: ec.x },
    'a P-256 coordinate that is not below the prime': { ...ec, x: base64url(new Uint8Array(32).fill(255)) },
    'a text': 'key',
    null: null,
  };
}

/** `issuers.sig` in other encodings, and signatures that are malleable or degenerate. */
export function* signatures(): Generator<Case> {
  for (const base of ['plain', 'checkpoint', 'p256']) {
    const { files, registry } = golden(base);
    const right = textOf(files.get('issuers.sig') as Uint8Array);
    for (const [name, text] of Object.entries({ ...encodings(right), ...algebra(base, right) })) {
      const bytes = typeof text === 'string' ? utf8(text) : text;
      const file = 'issuers.sig';
      // Every copy of the signature is that of the case, so that no role finds the right one elsewhere.
      const copies = [...files.keys()].filter((path) => path.startsWith('snapshots/') && path.endsWith(file));
      const encoded = base64url(bytes);
      const all = [file, ...copies.slice(-1)].map((path) => ({ file: path, bytes: encoded }));
      const patches = [...all, { sealedBy: registry.checkpointKey.name }];
      const why = 'The signature of the list has another form.';
      yield makeCase({ id: `signature/${base}/${name}`, rule: 'signature-form', base, patches, why });
    }
  }
}

export function encodings(right: string): Record<string, string | Uint8Array> {
  const last = right.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const stray = alphabet[alphabet.indexOf(last) + 1] ?? '';
  return {
    'white space around': `\t\n\f\r ${right} \r\f\n\t`,
    'a vertical tab': `${right}\v`,
    'a no-break space': `${right}\u00A0`,
    'a byte order mark': `\uFEFF${right}`,
    'a NUL': `${right}\0`,
    padding: `${right}==`,
    'stray bits': right.slice(0, -1) + stray,
    'white space inside': `${right.slice(0, 40)}\n${right.slice(40)}`,
    'the other alphabet': right.replace(/[A-Za-z0-9]/, '+'),
    'a slash': right.replace(/[A-Za-z0-9]/, '/'),
    hexadecimal: Array.from(unbase64(right), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    'a byte more': base64url(Uint8Array.from([...unbase64(right), 0])),
    'a byte less': base64url(unbase64(right).slice(1)),
    zeros: base64url(new Uint8Array(64)),
    'bytes that are not UTF-8': Uint8Array.from([...utf8(right), 0xff]),
    'of 256 bytes with white space': right.padEnd(256, ' '),
    'of 257 bytes with white space': right.padEnd(257, ' '),
  };
}

const toNumber = (bytes: Uint8Array) =>
  BigInt(`0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`);

function toBytes(value: bigint): Uint8Array {
  const hex = value.toString(16).padStart(64, '0').slice(-64);
  return Uint8Array.from(hex.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
}

/** Signatures that fulfil an equation, or nearly. */
export function algebra(base: string, right: string): Record<string, string> {
  const raw = unbase64(right);
  const [r, s] = [raw.slice(0, 32), raw.slice(32)];
  const joined = (one: Uint8Array, other: Uint8Array) => base64url(Uint8Array.from([...one, ...other]));
  if (base === 'p256') {
    const { n } = p256.Point.CURVE();
    const high = joined(r, toBytes(n - toNumber(s)));
    return {
      'the other s': high,
      'r equal to 0': joined(new Uint8Array(32), s),
      's equal to 0': joined(r, new Uint8Array(32)),
      's equal to n': joined(r, toBytes(n)),
      'r plus n': joined(toBytes(toNumber(r) + n), s),
      DER: base64url(
        p256.sign(golden(base).files.get('issuers.json') as Uint8Array, key('p256 root').seed, {
          format: 'der',
        }),
      ),
    };
  }
  const order = ed25519.Point.Fn.ORDER;
  const little = (value: bigint) => toBytes(value).reverse();
  const scalar = toNumber(s.slice().reverse());
  return {
    's plus L': joined(r, little(scalar + order)),
    's equal to L': joined(r, little(order)),
    'R of small order and s equal to 0': joined(
      Uint8Array.from([1, ...new Uint8Array(31)]),
      new Uint8Array(32),
    ),
    'R that is not canonical': joined(Uint8Array.from([0xee, ...new Uint8Array(30).fill(255), 0x7f]), s),
    'R negated': joined(
      r.map((byte, index) => (index === 31 ? byte ^ 0x80 : byte)),
      s,
    ),
  };
}

/** Rotations that do not lead from key to key. */
export function* rotations(): Generator<Case> {
  const base = 'rotated-thrice';
  const tree = golden(base);
  const { now, root } = tree.registry;
  const steps = JSON.parse(textOf(tree.files.get('keys/rotation.json') as Uint8Array)) as string[];
  const typ = 'registry-root-rotation+jwt';
  const step = (signer: string, next: unknown, more: Members = {}) =>
    jwt(key(signer), { typ }, { iat: now, next_root: next, ...more });
  const jwk = (name: string) => key(name).jwk;
  const [one = '', two = '', three = ''] = steps;
  const chains: Record<string, unknown> = {
    'no steps': [],
    'without the first': [two, three],
    'without the last': [one, two],
    'without the middle': [one, three],
    'in another order': [two, one, three],
    'the last twice': [...steps, three],
    'with one more': [...steps, step('root 4', jwk('root 5'))],
    'with one more, numbered': [...steps, step('root 4', jwk('root 5'), { step: 4 })],
    'with one more, numbered wrong': [...steps, step('root 4', jwk('root 5'), { step: 5 })],
    'with one more of a stranger': [...steps, step('stranger', jwk('root 5'))],
    'with one more of a stranger under the right kid': [
      ...steps,
      jwt(key('stranger'), { typ, kid: root.thumbprint }, { iat: now, next_root: jwk('root 5') }),
    ],
    'to a key that is not committed': [step('root', jwk('root 5'))],
    'to the spare key': [step('root', jwk('spare'))],
    'back to the first key': [...steps, step('root 4', jwk('root'))],
    'to itself': [...steps, step('root 4', jwk('root 4'))],
    'committed to itself': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: [key('root 5').thumbprint] }),
    ],
    'committed to an earlier key': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: [key('root 2').thumbprint] }),
    ],
    'committed to nothing': [...steps, step('root 4', jwk('root 5'), { next_roots: [] })],
    'committed to four keys': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: ['a', 'b', 'c', 'd'].map((name) => key(name).thumbprint) }),
    ],
    'committed to one key twice': [
      ...steps,
      step('root 4', jwk('root 5'), { next_roots: [key('a').thumbprint, key('a').thumbprint] }),
    ],
    'committed to null': [...steps, step('root 4', jwk('root 5'), { next_roots: null })],
    'to a P-256 key': [...steps, step('root 4', jwk('p256 root 5'))],
    'to nothing': [...steps, step('root 4', undefined)],
    'not an array': { steps },
    'of numbers': [1, 2],
    'with null': [...steps, null],
    nested: [steps],
    null: null,
    ...Object.fromEntries(
      Object.entries(badKeys(jwk('root 5'))).map(([name, bad]) => [
        `to ${name}`,
        [...steps, step('root 4', bad)],
      ]),
    ),
  };
  for (const [name, chain] of Object.entries(chains)) {
    const text = JSON.stringify(chain);
    const patches = [at('keys/rotation.json', text), sealing(tree)];
    const why = 'The rotation is not the chain that the keys have signed.';
    yield makeCase({ id: `rotation/${base}/${name}`, rule: 'rotation-chain', base, patches, why });
  }
  for (const count of [63, 64, 65]) {
    const patches = variant('checkpoint', (registry) => {
      for (let number = 1; number <= count; number++) registry.rotate(`long ${number}`);
    });
    const id = `rotation/checkpoint/of ${count} steps`;
    yield makeCase({
      id,
      rule: 'rotation-chain',
      base: 'checkpoint',
      patches,
      now: golden('checkpoint').now + count * 60_000,
      why: 'A rotation has at most 64 steps.',
    });
  }
  for (const pinned of ['root 2', 'root 3', 'root 4', 'stranger', 'spare']) {
    const anchor = { root: { ...jwk(pinned), kid: key(pinned).thumbprint } };
    const why = 'The verifier has pinned a later key, or another one.';
    yield makeCase({ id: `rotation/${base}/pinned ${pinned}`, rule: 'rotation-chain', base, anchor, why });
  }
}
