import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { bytesToNumberBE, bytesToNumberLE, numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js';
import { base64url, bytesToHex, concatBytes, hexToBytes, unbase64, utf8, withStrayBits } from './encoding.js';
import { bytesIn } from './files.js';
import { golden } from './goldens.js';
import { key } from './keys.js';

/** Those of the keys below that are right, but that a trust anchor need not know, or that are another key. */
export const GOOD_KEYS = [
  ...[
    'the right kid',
    'a private member that is null',
    'kid null',
    'another member',
    'y null in an Ed25519 key',
    'a P-256 key',
  ],
];

/** Public keys that are refused or accepted (rule public-key-values), made of a good one. */
export function badKeys(good: { readonly x: string }): Readonly<Record<string, unknown>> {
  const ed = key('spare').jwk;
  const ec = key('p256 spare').jwk;
  const point = (hex: string) => ({ ...ed, x: base64url(hexToBytes(hex)) });
  return {
    'a private key': { ...good, d: 'AAAA' },
    'a private member that is null': { ...ed, d: null },
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

export function encodings(right: string): Record<string, string | Uint8Array> {
  return {
    'white space around': `\t\n\f\r ${right} \r\f\n\t`,
    'a vertical tab': `${right}\v`,
    'a no-break space': `${right}\u00A0`,
    'a byte order mark': `\uFEFF${right}`,
    'a NUL': `${right}\0`,
    padding: `${right}==`,
    'stray bits': withStrayBits(right),
    'white space inside': `${right.slice(0, 40)}\n${right.slice(40)}`,
    'the other alphabet': right.replace(/[A-Za-z0-9]/, '+'),
    'a slash': right.replace(/[A-Za-z0-9]/, '/'),
    hexadecimal: bytesToHex(unbase64(right)),
    'a byte more': base64url(Uint8Array.from([...unbase64(right), 0])),
    'a byte less': base64url(unbase64(right).slice(1)),
    zeros: base64url(new Uint8Array(64)),
    'bytes that are not UTF-8': Uint8Array.from([...utf8(right), 0xff]),
    'of 256 bytes with white space': right.padEnd(256, ' '),
    'of 257 bytes with white space': right.padEnd(257, ' '),
  };
}

/** Signatures that fulfil an equation, or nearly. */
export function algebra(base: string, right: string): Record<string, string> {
  const raw = unbase64(right);
  const [r, s] = [raw.slice(0, 32), raw.slice(32)];
  const joined = (one: Uint8Array, other: Uint8Array) => base64url(concatBytes(one, other));
  if (base === 'p256') {
    const { n } = p256.Point.CURVE();
    const scalarOf = (value: bigint) => numberToBytesBE(value, 32);
    const high = joined(r, scalarOf(n - bytesToNumberBE(s)));
    return {
      'the other s': high,
      'r equal to 0': joined(new Uint8Array(32), s),
      's equal to 0': joined(r, new Uint8Array(32)),
      's equal to n': joined(r, scalarOf(n)),
      'r plus n': joined(scalarOf((bytesToNumberBE(r) + n) % 2n ** 256n), s),
      DER: base64url(
        p256.sign(bytesIn(golden(base).files, 'issuers.json'), key('p256 root').seed, {
          format: 'der',
        }),
      ),
    };
  }
  const order = ed25519.Point.Fn.ORDER;
  const little = (value: bigint) => numberToBytesLE(value, 32);
  const scalar = bytesToNumberLE(s);
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
