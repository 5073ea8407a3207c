import type { Case, Right } from '../cases/case.js';
import { base64url, withStrayBits } from '../cases/encoding.js';
import { bytesIn, textIn } from '../cases/files.js';
import { badKeys, GOOD_KEYS } from '../cases/forgeries.js';
import { golden } from '../cases/goldens.js';
import { key } from '../cases/keys.js';
import { either, topic } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import { mixedKey, oddCommitments, type SignedBytes, smallOrderKeys } from '../cases/small-order.js';

const INVALID = ['ERR_SIGNATURE_INVALID'];
const KEY_REFUSED = ['ERR_TRUST_ANCHOR_INVALID', 'ERR_ROOT_KEY_INVALID'];

const base = 'stated';

/** Keys that are pinned. Of the right key in other forms, the closed schema of a trust anchor decides. */
export function* rootKeys(): Generator<Case> {
  const { jwk, thumbprint } = golden(base).registry.root;
  const why = 'The pinned key has another form.';
  const make = topic('list', 'key', { rule: 'public-key-values', base, why });
  const pinned = (name: string, root: unknown, right: Right) =>
    make(name, { anchor: JSON.stringify({ root }) }, right);
  yield pinned('without kid', jwk, 'accept');
  yield pinned('with kid', { ...jwk, kid: thumbprint }, 'accept');
  yield pinned('with kid null', { ...jwk, kid: null }, 'accept');
  yield pinned('with y null', { ...jwk, y: null }, 'accept');
  yield pinned('with kid null and y null', { ...jwk, kid: null, y: null }, 'accept');
  yield pinned('with kid and y null', { ...jwk, kid: thumbprint, y: null }, 'accept');
  yield pinned('the kid of another key', { ...jwk, kid: key('stranger').thumbprint }, KEY_REFUSED);
  yield pinned('kid empty', { ...jwk, kid: '' }, KEY_REFUSED);
  yield pinned('y empty', { ...jwk, y: '' }, KEY_REFUSED);
  for (const [name, bad] of Object.entries(badKeys(jwk))) {
    if (!GOOD_KEYS.includes(name)) yield pinned(name, bad, KEY_REFUSED);
  }
  yield pinned('another member', { ...jwk, use: 'sig' }, KEY_REFUSED);
  yield pinned('stray bits in x', { ...jwk, x: withStrayBits(jwk.x) }, KEY_REFUSED);
  yield pinned('another key', key('stranger').jwk, INVALID);
  yield make('another kind of key', { needs: 'ES256', anchor: { root: key('p256 root').jwk } }, INVALID);
  yield* forgedKeys();
}

const patchesOf = ({ list, signature }: SignedBytes): Patch[] => [
  { file: 'issuers.json', bytes: base64url(list) },
  { file: 'issuers.sig', text: base64url(signature) },
];

/** Keys under which anybody can sign: only the check of the key refuses. */
function* forgedKeys(): Generator<Case> {
  const { root, now } = golden(base).registry;
  const make = topic('list', 'key', { rule: 'public-key-values', base });
  for (const [name, { jwk, ...signed }] of Object.entries(smallOrderKeys(now))) {
    const why = 'The signature fulfils the equation, and was made without a private key.';
    const shown = { anchor: { root: jwk }, patches: patchesOf(signed) };
    yield make(`forged: ${name}`, { ...shown, why }, KEY_REFUSED);
  }
  const { jwk, ...signed } = mixedKey(root, now);
  const why = 'The key has a part of small order, but is of large order.';
  const shown = { anchor: { root: jwk }, patches: patchesOf(signed) };
  yield make('of large order, with a part of order 8', { ...shown, why }, 'accept');
}

/** Signatures that only fulfil an equation with the cofactor, or have another encoding of R. */
export function* oddSignatures(): Generator<Case> {
  const { files, registry } = golden(base);
  const list = bytesIn(files, 'issuers.json');
  const why = 'R has another form, or another equation holds.';
  const make = topic('list', 'signature', { rule: 'signature-strict', base, why });
  for (const [name, signature] of Object.entries(oddCommitments(registry.root, list)))
    yield make(`${base}, ${name}`, { patches: patchesOf({ list, signature }) }, INVALID);
}

/** A signature file at its limit, and larger. */
export function* signatureSizes(): Generator<Case> {
  const right = textIn(golden(base).files, 'issuers.sig');
  const why = 'The file may have 256 bytes, with white space.';
  const make = topic('list', 'signature', { rule: 'limits', base, why });
  for (const size of [256, 257, 4096]) {
    for (const side of ['before', 'after']) {
      const text = side === 'before' ? right.padStart(size, '\n') : right.padEnd(size, ' ');
      const patches = [{ file: 'issuers.sig', text }];
      yield make(`${size} bytes, with white space ${side}`, { patches }, either(size === 256, ...TOO_LARGE));
    }
  }
}

const TOO_LARGE = ['ERR_SOURCE_TOO_LARGE'];
